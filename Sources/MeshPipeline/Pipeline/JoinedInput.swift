import MeshpipeBase
package import MeshpipeScene

/// A scan that is read in addition to the input, and merged with it or referred to by stages.
package struct JoinedInput: Sendable {
  /// The file to read.
  package var path: String
  package var format: FormatReader
  /// The id by which stages refer to it; nil if it is merged with the input.
  package var id: String?
  /// The name of its meshes; nil for the names in their file.
  package var name: String?
  /// What the user or the pipeline says of it, overriding its file.
  package var reading: InputReading
  /// What brings it to where it fits the input; nil if its coordinates are taken as they are.
  var alignment: (any ScanAlignment)?
  /// The stage that places it.
  var placement: (any PreparedStage)?
  /// The options of the placement.
  var transform: [JSONValue.Member] = []

  /// A file that is merged with the input, if no id is given.
  package init(
    path: String, format: FormatReader, id: String? = nil, reading: InputReading = InputReading(),
    alignment: (any ScanAlignment)? = nil
  ) {
    self.alignment = alignment
    self.path = path
    self.format = format
    self.id = id
    self.reading = reading
  }

  var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("path", JSONValue(.string(path))), .init("format", JSONValue(.string(format.id))),
    ]
    if let id { members.insert(.init("id", JSONValue(.string(id))), at: 0) }
    if let origin = format.origin { members.append(.init("plugin", origin.json)) }
    if let name { members.append(.init("name", JSONValue(.string(name)))) }
    if let up = reading.up { members.append(.init("up", JSONValue(.string(up.rawValue)))) }
    if let metersPerUnit = reading.metersPerUnit {
      members.append(.init("metersPerUnit", JSONValue(.number(metersPerUnit))))
    }
    if let classes = reading.classes { members.append(.init("classes", classes.json)) }
    if alignment != nil { members.append(.init("aligned", true)) }
    if !transform.isEmpty { members.append(.init("transform", JSONValue(.object(transform)))) }
    return JSONValue(.object(members))
  }

  /// Reads it and puts it in its place.
  ///
  /// - Parameter takesClass: Whether the name of the file may give the class of its faces.
  func read(takingClass takesClass: Bool, in context: ReadingContext) throws -> Scene {
    try context.stage.checkCancellation()
    let source = ScanSource(path: path, format: format, reading: reading)
    var scene = try source.read(in: context)
    context.didOpen(path)
    if takesClass { scene.classify(byNameOf: path) }
    if let name { scene.rename(to: name) }
    return try placement?.run(scene, in: context.stage) ?? scene
  }
}

extension ResolvedPipeline {
  /// Reads the input, with its frames and with the scans to merge; of the meshes of a capture, the best.
  ///
  /// - Returns: The scene, and what of the input was read.
  package func readInput(in context: ReadingContext) throws -> (Scene, ScanSource) {
    guard let input else { throw MissingInput() }
    var source = ScanSource(
      path: input, format: inputFormat, frames: frames, reading: inputReading, name: inputName)
    source.room = room
    source.alternatives = otherMeshes
    source = try source.withBestMesh(in: context)
    var scene = try source.read(in: context)
    try scene.join(joined, toInput: source.path, in: context)
    return (scene, source)
  }
}

extension ResolvedPipeline {
  /// The warnings of a step, those of reading at the scan with whose name they begin.
  func warnings(_ messages: [String], at step: RunStep) -> [RunEvent] {
    messages.map { .warning(step: source(of: $0, at: step), message: $0) }
  }

  private func source(of warning: String, at step: RunStep) -> RunStep {
    guard step.kind == .read else { return step }
    func isNamed(_ path: String) -> Bool {
      warning.hasPrefix(path + ":") || warning.hasPrefix(FileSystem.name(of: path) + ":")
    }
    let others = (joined + otherInputs).map(\.path)
    guard !isNamed(step.name), let other = others.first(where: isNamed) else { return step }
    var step = step
    step.name = other
    return step
  }
}

extension Scene {
  /// Reads further scans and merges them with the scene, whose capture's mesh is then one of several.
  ///
  /// - Parameter path: The file of the scene, whose name may give the class of its faces.
  package mutating func join(
    _ others: [JoinedInput], toInput path: String, in context: ReadingContext
  ) throws {
    guard !others.isEmpty else { return }
    classify(byNameOf: path)
    capture?.origin?.hasOwnMesh = false
    var parts: [Scene?] = try others.map { try $0.read(takingClass: true, in: context) }
    try align(&parts, of: others, to: path, in: context)
    for (part, other) in zip(parts, others) {
      guard let part else { continue }
      warn(of: part, from: other.path, in: context)
      append(part)
    }
  }

  /// Brings the scans with an alignment to where they fit the scene, all together; one that does not fit becomes nil.
  private func align(
    _ parts: inout [Scene?], of others: [JoinedInput], to path: String, in context: ReadingContext
  ) throws {
    let chosen = others.indices.filter { others[$0].alignment != nil }
    guard let first = chosen.first, let alignment = others[first].alignment else { return }
    var scans = [NamedScan(name: FileSystem.name(of: path), scene: self)]
    for index in chosen {
      guard let part = parts[index] else { continue }
      scans.append(NamedScan(name: FileSystem.name(of: others[index].path), scene: part))
      parts[index] = nil
    }
    let placed = try alignment.align(scans, in: context.stage)
    for (index, part) in zip(chosen, placed) { parts[index] = part }
  }

  /// Warns where what is merged means its numbers differently.
  private func warn(of part: Scene, from path: String, in context: ReadingContext) {
    if part.hasOtherTimes(than: self) {
      context.stage.warn(
        """
        \(FileSystem.name(of: path)) counts GPS times from another time than what it is merged with: they are \
        taken as they are
        """)
    }
    if let own = survey?.referenceSystem, let second = part.survey?.referenceSystem,
      !own.isLeft, !second.isLeft, !own.isSame(as: second)
    {
      context.stage.warn(
        """
        \(FileSystem.name(of: path)) is in the reference system \(second.words), and what it is merged with in \
        \(own.words): its coordinates are taken as they are; project one of them first
        """)
    }
  }
}

extension Scene {
  /// Assigns the class given by the file name to faces without one, for a room exported as
  /// `Floor.obj`, `Wall.obj` and so on.
  fileprivate mutating func classify(byNameOf path: String) {
    let name = FaceClasses.normalized(FileSystem.stem(of: path))
    guard name != "none", let label = FaceClasses.arkitNames.firstIndex(of: name) else { return }
    for index in meshes.indices where meshes[index].classes == nil {
      let labels = [UInt16](repeating: UInt16(label), count: meshes[index].faceCount)
      meshes[index].classes = FaceClasses(labels: labels)
    }
    for index in pointClouds.indices where pointClouds[index].classes == nil {
      let labels = [UInt16](repeating: UInt16(label), count: pointClouds[index].positions.count)
      pointClouds[index].classes = FaceClasses(labels: labels)
    }
  }

  /// Gives all parts one name, numbered if there are several.
  fileprivate mutating func rename(to name: String) {
    let isSingle = meshes.count + pointClouds.count == 1
    for index in meshes.indices { meshes[index].name = isSingle ? name : "\(name)-\(index + 1)" }
    for index in pointClouds.indices {
      pointClouds[index].name = isSingle ? name : "\(name)-\(meshes.count + index + 1)"
    }
  }
}

/// A pipeline that was resolved without an input was run on one.
struct MissingInput: UserError {
  var exitCode: ExitCode { .usage }
  var message: String { "no input was given" }
}

extension Scene {
  /// Whether points of both have GPS times, which count from the beginning of a week in one of them only.
  fileprivate func hasOtherTimes(than other: Scene) -> Bool {
    guard let own = survey?.hasStandardTime, let second = other.survey?.hasStandardTime,
      own != second
    else { return false }
    return [self, other].allSatisfy { scene in
      scene.pointClouds.contains { $0.attributes["gps_time"] != nil }
    }
  }
}

/// Brings scans that become one scene into the coordinates of the first of them.
package protocol ScanAlignment: Sendable {
  /// Says what it did in notes of the context, and warns of each scan that it leaves out.
  ///
  /// - Returns: The scans but the first, each where it belongs and in the coordinate system of the first; nil for a scan
  ///   that fits nowhere.
  func align(_ scans: [NamedScan], in context: StageContext) throws -> [Scene?]
}

/// A scan with the name that messages call it by.
package struct NamedScan: Sendable {
  package let name: String
  package let scene: Scene

  package init(name: String, scene: Scene) { (self.name, self.scene) = (name, scene) }
}
