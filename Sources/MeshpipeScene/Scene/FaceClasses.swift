/// The class of each face: floor, wall, table and so on.
///
/// A label is an index into ``names``. The first labels are ARKit's `ARMeshClassification` (0 none,
/// 1 wall, 2 floor, 3 ceiling, 4 table, 5 seat, 6 window, 7 door, and visionOS's 8 to 19), followed
/// by names specific to a scan.
public struct FaceClasses: Sendable, Equatable {
  /// One label per face (or per point), each below `names.count`.
  public var labels: [UInt16]
  /// The name of each label, lower case.
  public var names: [String]
  /// While labels are a file's numbers that nothing named yet, what these stood under: `classification`; nil otherwise.
  ///
  /// Readers set it, and interpreting the scan ends it.
  package var column: String?
  /// Whether such numbers are those of faces in the file, and not of vertices.
  package var areOfFaces = true
  /// What the file says that such numbers stand for, if they are codes of the ASPRS; nil otherwise.
  package var codeScheme: ClassScheme?

  /// Creates the classes of faces or points, in their order; each label is an index into `names`.
  public init(labels: [UInt16], names: [String] = FaceClasses.arkitNames) {
    self.labels = labels
    self.names = names
  }

  /// The classes of a file that has numbers and no names, until the scan is interpreted.
  ///
  /// - Parameters:
  ///   - column: What the numbers stood under.
  ///   - ofFaces: Whether the file has one for each face.
  ///   - scheme: What the file says that they stand for, if they are codes of the ASPRS.
  package init(
    numbers: [UInt16], under column: String, ofFaces: Bool, codes scheme: ClassScheme? = nil
  ) {
    labels = numbers
    areOfFaces = ofFaces
    names = (0...(Int(numbers.max() ?? 0))).map { "class-\($0)" }
    self.column = column
    codeScheme = scheme
  }

  /// The names of `ARMeshClassification`, in the order of its raw values.
  public static let arkitNames = [
    "none", "wall", "floor", "ceiling", "table", "seat", "window", "door",
    "wall-decoration", "blinds", "fireplace", "stairs", "bed", "counter", "cabinet",
    "home-appliance", "door-frame", "tv", "whiteboard", "plant",
  ]

  /// The names of RoomPlan's categories that ARKit does not have.
  public static let roomNames = [
    "opening", "storage", "refrigerator", "stove", "sink", "washer-dryer", "toilet", "bathtub",
    "oven", "dishwasher", "sofa", "chair", "television",
  ]

  /// The label with `name`, added to ``names`` if it is new.
  ///
  /// - Returns: The label, or nil if all 65,536 are taken.
  public mutating func label(named name: String) -> UInt16? {
    if let known = names.firstIndex(of: name) { return UInt16(known) }
    guard names.count <= Int(UInt16.max) else { return nil }
    names.append(name)
    return UInt16(names.count - 1)
  }

  /// The number of faces of each label; as many entries as ``names``.
  public var counts: [Int] {
    var counts = [Int](repeating: 0, count: names.count)
    for label in labels { counts[Int(label)] += 1 }
    return counts
  }

  /// The names of classes with at least one face, in label order.
  public var presentNames: [String] {
    zip(names, counts).filter { $0.1 > 0 }.map(\.0)
  }
}

extension FaceClasses {
  /// A name in the form of class names: lower case, hyphens for spaces and underscores.
  ///
  /// A trailing number (`wall_3`, `Wall.001`, `wall 2`) is dropped if the rest is one of ARKit's
  /// or RoomPlan's names.
  package static func normalized(_ name: String) -> String {
    var result = ""
    for character in name.lowercased() {
      let isSeparator = character == " " || character == "_" || character == "\t"
      if isSeparator || character == "-" {
        if !result.isEmpty, result.last != "-" { result.append("-") }
      } else {
        result.append(character)
      }
    }
    while result.last == "-" { result.removeLast() }
    if knownNames.contains(result) { return result }
    let joined = result.filter { $0 != "-" }
    if let known = knownByLetters[joined] { return known }
    var base = Substring(result)
    while let last = base.last, last.isNumber || last == "-" || last == "." { base.removeLast() }
    if base.count < result.count, let known = knownByLetters[base.filter { $0 != "-" }] {
      return known
    }
    return result
  }

  /// Whether a normalised name is one of ARKit's or RoomPlan's classes.
  package static func isKnown(_ normalized: String) -> Bool { knownNames.contains(normalized) }

  private static let knownNames = Set(arkitNames + roomNames)

  /// `wallDecoration` and `walldecoration` become `wall-decoration`.
  private static let knownByLetters = Dictionary(
    uniqueKeysWithValues: (arkitNames + roomNames).map { ($0.filter { $0 != "-" }, $0) })
}
