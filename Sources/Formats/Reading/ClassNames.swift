package import MeshPipeline

/// Interprets names of groups, objects, materials and meshes as class names.
package enum ClassNames {
  /// A name in the form of class names; see ``FaceClasses/normalized(_:)``.
  package static func normalized(_ name: String) -> String { FaceClasses.normalized(name) }

  /// The name of a class that a file identifies only by number.
  static func name(ofLabel label: Int) -> String {
    ClassScheme.arkit.name(of: label, column: "class")
  }

  /// Whether a normalised name is one of ARKit's classes other than `none`.
  ///
  /// Programs also write `None` for a missing material, so it proves nothing.
  package static func isEvidence(_ normalized: String) -> Bool {
    normalized != "none" && FaceClasses.isKnown(normalized)
  }

  /// The classes of faces in named runs.
  ///
  /// - Parameters:
  ///   - runs: First face and name of each run, in order; an empty name is not a class.
  ///   - faceCount: The number of faces; those before the first run have the class `none`.
  ///   - needsEvidence: Whether one of the names must be a known class.
  /// - Returns: Nil if none is.
  package static func classes(
    ofRuns runs: [(firstFace: Int, name: String)], faceCount: Int, needsEvidence: Bool = true
  ) -> FaceClasses? {
    var table = ClassNameTable()
    var labelOfName: [String: UInt16] = ["": 0]
    var hasEvidence = false
    for run in runs where labelOfName[run.name] == nil {
      let name = classOfGroup(run.name)
      hasEvidence = hasEvidence || isEvidence(name)
      labelOfName[run.name] = table.label(of: name)
    }
    guard hasEvidence || !needsEvidence else { return nil }
    var labels = [UInt16](repeating: 0, count: faceCount)
    for (index, run) in runs.enumerated() {
      let end = index + 1 < runs.count ? runs[index + 1].firstFace : faceCount
      let label = labelOfName[run.name] ?? 0
      if label != 0 { for face in run.firstFace..<end { labels[face] = label } }
    }
    return FaceClasses(labels: labels, names: table.names)
  }

  /// The class of an OBJ group, which may have several names: the first known one is used.
  private static func classOfGroup(_ name: String) -> String {
    let whole = normalized(name)
    if FaceClasses.isKnown(whole) { return whole }
    let parts = name.split { $0 == " " || $0 == "\t" }.prefix(16).map { normalized(String($0)) }
    if let known = parts.first(where: { isEvidence($0) }) { return known }
    return whole == "default" || whole == "(null)" || whole.isEmpty ? "none" : whole
  }
}

extension FaceClasses {
  /// The names of the classes that are there, by number, for extras of glTF.
  var namesByNumber: JSONValue {
    JSONValue(
      .object(
        zip(names, counts).enumerated().filter { $0.element.1 > 0 }
          .map { JSONValue.Member("\($0.offset)", JSONValue(.string($0.element.0))) }))
  }

  /// Classes whose numbers are named by such an object; nil if it names none.
  func named(by names: JSONValue?) -> FaceClasses? {
    guard case .object(let members)? = names?.content else { return nil }
    var table: [Int: String] = [:]
    for member in members {
      guard let number = Int(member.key), number >= 0, number <= 65_535 else { continue }
      table[number] = member.value.text.map(FaceClasses.normalized)
    }
    return table.isEmpty ? nil : withNames(table)
  }

  /// Classes whose numbers are ARKit's; those beyond are named by their number.
  var namedByARKit: FaceClasses { withNames([:]) }

  /// - Parameter table: Names by number; the others are ARKit's.
  private func withNames(_ table: [Int: String]) -> FaceClasses {
    let count = max(names.count, FaceClasses.arkitNames.count)
    return FaceClasses(
      labels: labels, names: (0..<count).map { table[$0] ?? ClassNames.name(ofLabel: $0) })
  }
}

/// Class names with their labels, ARKit's first.
struct ClassNameTable {
  private(set) var names = FaceClasses.arkitNames
  private var labels: [String: UInt16]

  init() {
    labels = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, UInt16($0)) })
  }

  /// The label of a name, a new one if necessary; that of `none` if all 65,536 are taken.
  mutating func label(of name: String) -> UInt16 {
    if let known = labels[name] { return known }
    guard names.count <= Int(UInt16.max) else { return 0 }
    let label = UInt16(names.count)
    names.append(name)
    labels[name] = label
    return label
  }
}
