import MeshpipeBase
package import MeshpipeScene

/// A scan that is read in addition to the input, and merged with it or referred to by stages.
package struct JoinedInput: Sendable {
  /// The file to read, or the folder of a capture without a mesh.
  package var path: String
  /// The reader of the mesh; nil for a capture without one.
  package var format: FormatReader?
  /// The capture with its frames; nil if it has none, or none are read.
  package var frames: FoundCapture?
  /// What messages call it.
  package var title: String
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
  ///
  /// - Parameter title: What messages call it; nil for the name of the file.
  package init(
    path: String, format: FormatReader?, frames: FoundCapture? = nil, title: String? = nil,
    id: String? = nil, reading: InputReading = InputReading(),
    alignment: (any ScanAlignment)? = nil
  ) {
    self.alignment = alignment
    self.path = path
    self.format = format
    self.frames = frames
    self.title = title ?? Self.title(ofInput: path)
    self.id = id
    self.reading = reading
  }

  /// What messages call a scan that was given by a path: the name of the file or the folder.
  package static func title(ofInput path: String) -> String {
    BuiltInVariable.name.value(
      forInput: path, isFolder: FileSystem.isFolder(path), archive: nil) ?? path
  }

  var json: JSONValue {
    var members: [JSONValue.Member] = [.init("path", JSONValue(.string(path)))]
    if let format { members.append(.init("format", JSONValue(.string(format.id)))) }
    if let frames { members.append(.init("frames", JSONValue(.string(frames.layout.id)))) }
    if let id { members.insert(.init("id", JSONValue(.string(id))), at: 0) }
    if let origin = format?.origin { members.append(.init("plugin", origin.json)) }
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
    let source = ScanSource(path: path, format: format, frames: frames, reading: reading)
    var scene = try source.read(in: context)
    if format != nil { context.didOpen(path) }
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
    try scene.join(joined, toInput: source.path, named: inputName, in: context)
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
    let other = (joined + otherInputs).first { isNamed($0.path) || isNamed($0.title) }
    guard !isNamed(step.name), let other else { return step }
    var step = step
    step.name = other.path
    return step
  }
}

extension Scene {
  /// Assigns the class given by the file name to faces without one, for a room exported as
  /// `Floor.obj`, `Wall.obj` and so on.
  mutating func classify(byNameOf path: String) {
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
