package import MeshPipeline

/// A file of Apple's RoomPlan: a `CapturedRoom`, or a `CapturedStructure` of several, as `JSONEncoder` writes it.
///
/// What is not needed may be missing, since versions and apps differ; a part that can't be used is left out with a
/// warning.
package struct RoomFile: RoomReading {
  /// The largest number of surfaces and objects.
  private static let mostParts = 10_000
  /// The largest number of doors, windows and openings, which may all be in one wall.
  private static let mostInserts = 2000
  /// The largest number of corners of surfaces that are not rectangles.
  private static let mostCorners = 20_000
  /// The largest file, in bytes.
  private static let mostBytes = 1 << 26
  /// The lists of parts, with what is in them.
  private static let lists: [(key: String, kind: Room.Kind)] = [
    ("walls", .wall), ("floors", .floor), ("doors", .door), ("windows", .window),
    ("openings", .opening), ("objects", .object),
  ]
  /// The versions whose files were seen.
  private static let knownVersions = 1.0...2.0

  private let path: String
  private let reading: ReadingContext
  private var parts: [Room.Part] = []
  private var uses: [Room.Use] = []
  private var identifiers: Set<String> = []
  private var insertCount = 0
  private var cornerCount = 0
  /// Why parts were left out, with the places.
  private var faults: [(reason: String, places: [String])] = []
  private var unknownCategories: [String] = []
  private var flattened: [String] = []

  /// Whether a file probably is one, by its first bytes.
  package static func recognizes(_ head: FileHead) -> Bool {
    guard let first = head.body.first, first == "{" || first == "[", let text = head.text,
      !text.contains("\"stages\"")
    else { return false }
    if text.contains("\"coreModel\"") || text.contains("\"referenceOriginTransform\"") {
      return true
    }
    return lists.contains { text.contains("\"\($0.key)\"") } && text.contains("\"transform\"")
      && text.contains("\"dimensions\"")
  }

  /// The room's file in the folder of a scan, by its name and first bytes; nil if there is none.
  ///
  /// It is `room.json`, `CapturedRoom.json` or `CapturedStructure.json`, or any name with `roomplan`, in any case, and
  /// `scan.room.json` for `scan.obj`, which takes precedence.
  package static func find(besideScan path: String) -> String? {
    let isFolder = FileSystem.isFolder(path)
    let folder = isFolder ? path : FileSystem.folder(of: path)
    guard let names = try? FileSystem.names(inFolder: folder) else { return nil }
    let own = isFolder ? "" : FileSystem.stem(of: path).lowercased() + ".room.json"
    let known = ["room.json", "capturedroom.json", "capturedstructure.json"]
    let candidates = names.filter { name in
      let name = name.lowercased()
      return name.hasSuffix(".json")
        && (name == own || known.contains(name) || name.contains("roomplan"))
    }
    let ordered = candidates.sorted {
      ($0.lowercased() == own ? 0 : 1, $0) < ($1.lowercased() == own ? 0 : 1, $1)
    }
    return ordered.map { folder == "." && !path.hasPrefix("./") ? $0 : "\(folder)/\($0)" }.first {
      file in
      FileHead(ofFile: file).map { recognizes($0) } ?? false
    }
  }

  /// Reads the room.
  ///
  /// - Throws: A ``CaptureError`` with line and column for invalid JSON, and for a file without a usable part.
  package static func read(_ path: String, in reading: ReadingContext) throws -> Room {
    let json = try reading.reading(path) { _ in
      try JSONReader.captureValue(
        of: FileSystem.contents(of: path, limit: mostBytes), file: path)
    }
    var file = RoomFile(path: path, reading: reading)
    try file.add(json)
    return try file.room(json)
  }

  private init(path: String, reading: ReadingContext) {
    self.path = path
    self.reading = reading
  }

  // MARK: Rooms

  /// Adds all rooms of a value.
  private mutating func add(_ json: JSONValue) throws {
    if case .array(let rooms) = json.content {
      for room in rooms where Self.isRoom(room) { try addRoom(room) }
      return
    }
    if Self.isRoom(json), Self.hasParts(json) { return try addRoom(json) }
    // A structure of several rooms, or an app's own object around one.
    for room in json["rooms"]?.elements ?? [] { try addRoom(room) }
    guard case .object(let members) = json.content, parts.isEmpty, faults.isEmpty else { return }
    for member in members where Self.isRoom(member.value) { try addRoom(member.value) }
  }

  private static func isRoom(_ json: JSONValue) -> Bool {
    lists.contains { list in
      if case .array? = json[list.key]?.content { true } else { false }
    }
  }

  private static func hasParts(_ json: JSONValue) -> Bool {
    lists.contains { json[$0.key]?.elements.isEmpty == false }
  }

  private mutating func addRoom(_ json: JSONValue) throws {
    if let version = json["version"]?.number, !Self.knownVersions.contains(version) {
      reading.stage.warn(
        "\(path): RoomPlan's version \(JSONValue.text(of: version)) is not known; what is as in version 2 is read"
      )
    }
    for (key, kind) in Self.lists {
      for (number, element) in (json[key]?.elements ?? []).enumerated() {
        try reading.stage.checkCancellation()
        do throws(PartFault) {
          let part = try part(element, kind)
          add(part)
          if kind == .wall { noteCurve(of: part, element, "\(key)[\(number)]") }
        } catch {
          leaveOut("\(key)[\(number)]", at: element.position, because: error.reason)
        }
        try checkSize(at: element.position)
      }
    }
    uses += (json["sections"]?.elements ?? []).prefix(Self.mostParts).compactMap(\.use)
  }

  private func checkSize(at position: SourcePosition) throws(CaptureError) {
    let excess =
      parts.count > Self.mostParts
      ? "\(Self.mostParts) surfaces and objects"
      : insertCount > Self.mostInserts
        ? "\(Self.mostInserts) doors, windows and openings"
        : cornerCount > Self.mostCorners ? "\(Self.mostCorners) corners" : nil
    if let excess { throw CaptureError(path, at: position, "has more than \(excess)") }
  }

  /// Adds a part, once: rooms of a structure share their walls.
  private mutating func add(_ part: Room.Part) {
    guard part.identifier.isEmpty || identifiers.insert(part.identifier).inserted else { return }
    parts.append(part)
    cornerCount += part.corners.count
    if part.isInsert { insertCount += 1 }
  }

  /// Notes a curve that was not understood.
  private mutating func noteCurve(of part: Room.Part, _ json: JSONValue, _ name: String) {
    guard part.curve == nil, case .object? = json["curve"]?.content else { return }
    flattened.append("\(name) (line \(json.position.line))")
  }

  private mutating func leaveOut(
    _ name: String, at position: SourcePosition, because reason: String
  ) {
    let place = "\(name) (line \(position.line))"
    if let index = faults.firstIndex(where: { $0.reason == reason }) {
      faults[index].places.append(place)
    } else {
      faults.append((reason, [place]))
    }
  }

  /// The room of all parts, after warnings.
  private func room(_ json: JSONValue) throws -> Room {
    let sentences = faults.map { fault in
      let places = fault.places.prefix(3).joined(separator: ", ")
      let more = fault.places.count > 3 ? " and \(fault.places.count - 3) more" : ""
      return "\(places)\(more): \(fault.reason)"
    }
    guard !parts.isEmpty else {
      throw CaptureError(
        path, at: json.position,
        sentences.isEmpty
          ? "is not a room of RoomPlan: it has neither walls nor objects. Export the CapturedRoom with JSONEncoder"
          : "has no usable surface or object: \(sentences.joined(separator: "; "))")
    }
    for sentence in sentences { reading.stage.warn("\(path): left out: \(sentence)") }
    if !flattened.isEmpty {
      reading.stage.warn(
        "\(path): the 'curve' of \(flattened.prefix(3).joined(separator: ", ")) does not go through the ends of "
          + "the wall, which is made flat")
    }
    if !unknownCategories.isEmpty {
      let names = unknownCategories.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
      reading.stage.warn(
        "\(path): RoomPlan has no category \(names); it becomes a class of its own")
    }
    var room = Room(parts: Room.Kind.allCases.flatMap { kind in parts.filter { $0.kind == kind } })
    room.uses = uses
    return room
  }

  // MARK: Parts

  private mutating func part(_ json: JSONValue, _ kind: Room.Kind) throws(PartFault) -> Room.Part {
    guard case .object = json.content else { throw PartFault("it is \(json.kindDescription)") }
    var part = Room.Part(
      kind, category: kind.rawValue, placement: try json.placement(), size: .zero)
    part.corners = try kind == .object ? [] : json.polygon()
    part.size = try json.size(of: part)
    part.identifier = json["identifier"]?.text ?? ""
    part.parent = json["parentIdentifier"]?.text
    part.story = json.story
    if kind == .wall { part.curve = json.curve(width: part.size.x) }
    if kind == .object { part.category = category(json["category"]) }
    return part
  }

  /// The class of an object, as in `{"washerDryer":{}}`.
  private mutating func category(_ json: JSONValue?) -> String {
    let key =
      if case .object(let members)? = json?.content { members.first?.key } else { json?.text }
    let name = FaceClasses.normalized(Self.words(key ?? ""))
    guard !name.isEmpty, name != "none" else { return "object" }
    if !FaceClasses.isKnown(name), !unknownCategories.contains(name) {
      unknownCategories.append(name)
    }
    return name
  }

  /// `washerDryer` as `washer-Dryer`, printable and short.
  fileprivate static func words(_ key: String) -> String {
    var result = ""
    for character in key.prefix(64)
    where character.isLetter || character.isNumber || "-_ ".contains(character) {
      if character.isUppercase, !result.isEmpty { result.append("-") }
      result.append(character)
    }
    return result
  }
}

/// Why a part can't be used.
private struct PartFault: Error {
  var reason: String
  init(_ reason: String) { self.reason = reason }
}

extension JSONValue {
  /// The finite numbers of an array.
  fileprivate var finiteNumbers: [Double]? {
    guard case .array(let elements) = content else { return nil }
    let numbers = elements.compactMap(\.number).filter(\.isFinite)
    return numbers.count == elements.count ? numbers : nil
  }

  /// The transform of a part: 16 numbers column by column, or 4 columns of 4.
  fileprivate func placement() throws(PartFault) -> Transform {
    guard let json = self["transform"] else { throw PartFault("its 'transform' is missing") }
    let columns = json.elements.compactMap(\.finiteNumbers)
    let isNested = columns.count == 4 && columns.allSatisfy { $0.count == 4 }
    guard let m = isNested ? Array(columns.joined()) : json.finiteNumbers, m.count == 16 else {
      throw PartFault("its 'transform' is not 16 finite numbers")
    }
    func column(_ start: Int) -> SIMD3<Double> { SIMD3(m[start], m[start + 1], m[start + 2]) }
    let result = Transform(x: column(0), y: column(4), z: column(8), translation: column(12))
    guard abs(m[3]) + abs(m[7]) + abs(m[11]) + abs(m[15] - 1) < 1e-3 else {
      throw PartFault("its 'transform' does not end its columns with 0, 0, 0 and 1")
    }
    guard max(abs(m[12]), abs(m[13]), abs(m[14])) < 1e5 else {
      throw PartFault("it is more than 100 km away")
    }
    let lengths = [result.x.length, result.y.length, result.z.length]
    guard lengths.allSatisfy({ 0.9...1.1 ~= $0 }), abs(result.determinant) > 0.7 else {
      throw PartFault("the axes of its 'transform' have not the length 1 or no right angles")
    }
    return result
  }

  /// Width, height and depth; of the polygon around the corners if there are no dimensions.
  fileprivate func size(of part: Room.Part) throws(PartFault) -> SIMD3<Double> {
    guard let json = self["dimensions"] else {
      guard let first = part.corners.first else { throw PartFault("its 'dimensions' are missing") }
      let low = part.corners.reduce(first, pointwiseMin)
      let high = part.corners.reduce(first, pointwiseMax)
      return SIMD3(high.x - low.x, high.y - low.y, 0)
    }
    guard let numbers = json.finiteNumbers, numbers.count == 3 else {
      throw PartFault("its 'dimensions' are not three finite numbers")
    }
    let size = SIMD3(numbers[0], numbers[1], numbers[2])
    guard size.max() <= 1000 else { throw PartFault("it is larger than 1 km") }
    // Surfaces have no depth.
    let isFlat = part.kind != .object
    guard min(size.x, size.y) >= 0.001, size.z >= (isFlat ? 0 : 0.001) else {
      throw PartFault("its 'dimensions' are negative or zero")
    }
    return size
  }

  /// The corners of a surface that is not a rectangle, in its plane.
  fileprivate func polygon() throws(PartFault) -> [SIMD2<Double>] {
    let elements = self["polygonCorners"]?.elements ?? []
    guard !elements.isEmpty else { return [] }
    guard elements.count <= 1000 else { throw PartFault("it has more than 1000 corners") }
    var corners: [SIMD2<Double>] = []
    for element in elements {
      guard let numbers = element.finiteNumbers, numbers.count >= 2,
        numbers.allSatisfy({ abs($0) <= 1000 })
      else { throw PartFault("its 'polygonCorners' are not points of up to 1 km") }
      corners.append(SIMD2(numbers[0], numbers[1]))
    }
    guard corners.count >= 3 else { throw PartFault("it has fewer than 3 corners") }
    return corners
  }

  /// The number of a part's storey; nil if the file has none.
  // Inlined it makes the optimiser of Swift 6.3 crash.
  @inline(never) fileprivate var story: Int? {
    guard let number = self["story"]?.number else { return nil }
    return Int(exactly: number)
  }

  /// What a section of the file is used for; nil if the phone could not tell.
  fileprivate var use: Room.Use? {
    guard let label = self["label"]?.text, let point = self["center"]?.finiteNumbers,
      point.count == 3, point.allSatisfy({ abs($0) < 1e5 })
    else { return nil }
    let name = FaceClasses.normalized(RoomFile.words(label)).map { $0 == "-" ? " " : $0 }
    guard !name.isEmpty, String(name) != "unidentified" else { return nil }
    return Room.Use(name: String(name), point: SIMD3(point[0], point[1], point[2]))
  }

  /// The arc of a curved wall; nil for a flat one, and for one whose numbers contradict each other.
  fileprivate func curve(width: Double) -> Room.Curve? {
    guard let json = self["curve"], case .object = json.content,
      let center = json["center"]?.finiteNumbers, center.count >= 2,
      let radius = json["radius"]?.number, radius.isFinite
    else { return nil }
    let point = SIMD2(center[0], center[1])
    let distance = ((width / 2) * (width / 2) + point.y * point.y).squareRoot()
    guard abs(point.x) <= 0.1 * radius, abs(distance - radius) <= 0.1 * radius else { return nil }
    let angles = ["startAngle", "endAngle"].compactMap { json[$0]?.radians }
    let span = angles.count == 2 ? abs(angles[1] - angles[0]) : 0
    return Room.Curve(center: SIMD2(0, point.y), isMajor: span > .pi && span < 2 * .pi)
  }

  /// An angle as a number of radians, or as a `Measurement` with its unit.
  private var radians: Double? {
    if let number { return number }
    guard let value = self["value"]?.number else { return nil }
    let unit = self["unit"]
    let coefficient = unit?["converter"]?["coefficient"]?.number
    // The base unit of angles is the degree.
    if let coefficient { return value * coefficient * .pi / 180 }
    return unit?["symbol"]?.text == "rad" ? value : value * .pi / 180
  }
}
