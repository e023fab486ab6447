import MeshpipeBase
import MeshpipeScene

/// Names the classes of files that have numbers only.
extension Scene {
  mutating func interpretClasses(_ facts: FileFacts, _ reading: InputReading) {
    for index in meshes.indices {
      let mesh = meshes[index]
      guard let classes = mesh.classes else { continue }
      guard let column = classes.column else {
        noteNames(facts)
        continue
      }
      let finding =
        reading.classes.map { ClassFinding(scheme: $0, source: .option, reason: "") }
        ?? finding(ofFaces: mesh, classes, facts)
      meshes[index].classes = classes.named(by: finding.scheme, column)
      note(finding, column)
    }
    for index in pointClouds.indices {
      guard let classes = pointClouds[index].classes else { continue }
      guard let column = classes.column else {
        noteNames(facts)
        continue
      }
      let finding =
        reading.classes.map { ClassFinding(scheme: $0, source: .option, reason: "") }
        ?? finding(ofPoints: classes, column, facts)
      pointClouds[index].classes = classes.named(by: finding.scheme, column)
      if finding.scheme == .asprs { keepUnclassifiedCodes(of: classes, ofCloud: index) }
      note(finding, column)
    }
  }

  /// Keeps apart what both are without a class: 0, never classified, and 1, unclassified.
  private mutating func keepUnclassifiedCodes(of classes: FaceClasses, ofCloud index: Int) {
    let counts = classes.counts
    guard counts[0] > 0 else { return }
    if counts.count > 1, counts[1] > 0 {
      pointClouds[index].attributes.append(
        CustomAttribute(
          Survey.neverClassified, values: .uint8(classes.labels.map { $0 == 0 ? 1 : 0 })))
    } else {
      survey = survey ?? Survey()
      survey?.unclassifiedCode = 0
    }
  }

  private mutating func noteNames(_ facts: FileFacts) {
    guard interpretation[.classes] == nil else { return }
    interpretation.set(.classes, "by name", .declared)
  }

  private mutating func note(_ finding: ClassFinding, _ column: String) {
    var other = Interpretation()
    other.set(
      .classes, finding.scheme.words(column), finding.source, because: finding.reason,
      option: "--input-classes", isDoubtful: finding.source == .assumed)
    interpretation.merge(other)
  }

  // MARK: Meanings

  private func finding(
    ofFaces mesh: Mesh, _ classes: FaceClasses, _ facts: FileFacts
  ) -> ClassFinding {
    if let known = finding(ofAny: classes, facts) { return known }
    if !classes.areOfFaces { return .unknown }
    guard classes.names.count <= Self.phoneClassCount else {
      return ClassFinding(
        scheme: .numbered, source: .assumed, reason: "ARKit has no \(classes.names.count - 1)")
    }
    let size = SIMD3<Double>(mesh.bounds.size).max() * coordinateSystem.metersPerUnit
    guard Self.roomSizes.contains(size) else {
      return ClassFinding(
        scheme: .numbered, source: .assumed, reason: "the mesh is not of the size of rooms")
    }
    switch Self.shareOfLevel(mesh, classes, along: coordinateSystem.up) {
    case nil where coordinateSystem.up == .y: break
    case let share? where share > 0.5: break
    default:
      return ClassFinding(
        scheme: .numbered, source: .assumed, reason: "what ARKit calls floor does not lie level")
    }
    return ClassFinding(
      scheme: .arkit, source: .numbers, reason: "0 to 7 on the faces of a mesh in metres")
  }

  private func finding(
    ofPoints classes: FaceClasses, _ column: String, _ facts: FileFacts
  ) -> ClassFinding {
    if let known = finding(ofAny: classes, facts) { return known }
    // The name that CloudCompare and the text formats of surveys have for the field of LAS.
    guard column == "classification", classes.names.count <= 256 else { return .unknown }
    return ClassFinding(
      scheme: .asprs, source: .format, reason: "so programs for point clouds call the codes of LAS")
  }

  private func finding(ofAny classes: FaceClasses, _ facts: FileFacts) -> ClassFinding? {
    if facts.isOwn {
      return ClassFinding(scheme: .arkit, source: .declared, reason: "meshpipe wrote the file")
    }
    // More than ARKit has are another program's, also beside a capture.
    if facts.isPartOfCapture, classes.names.count <= FaceClasses.arkitNames.count {
      return ClassFinding(scheme: .arkit, source: .declared, reason: "the scan is an ARKit capture")
    }
    return nil
  }

  /// The part of what ARKit's numbers call floor or ceiling that faces along an axis, by area; nil if there is none.
  private static func shareOfLevel(
    _ mesh: Mesh, _ classes: FaceClasses, along up: SignedAxis
  ) -> Double? {
    var (level, total) = (0.0, 0.0)
    for face in stride(from: 0, to: mesh.faceCount, by: max(1, mesh.faceCount >> 14)) {
      guard (2...3).contains(classes.labels[face]) else { continue }
      let normal = mesh.areaVector(ofFace: face)
      guard normal.length.isFinite else { continue }
      level += abs(normal[up.index])
      total += normal.length
    }
    return total > 0 ? level / total : nil
  }

  /// Of `ARMeshClassification` on iPhones and iPads.
  private static let phoneClassCount = 8
  /// Metres.
  private static let roomSizes = 0.1...1000.0
}

/// What the numbers of classes stand for, and why.
private struct ClassFinding {
  var scheme: ClassScheme
  var source: Interpretation.Source
  var reason: String

  static let unknown = ClassFinding(
    scheme: .numbered, source: .assumed, reason: "nothing says what they stand for")
}

extension ClassScheme {
  fileprivate func words(_ column: String) -> String {
    switch self {
    case .arkit: "the numbers of '\(column)' are ARKit's"
    case .asprs: "the numbers of '\(column)' are codes of the ASPRS"
    case .numbered: "the numbers of '\(column)' have no names"
    case .named: "the numbers of '\(column)' are named by a table"
    }
  }
}

extension FaceClasses {
  /// The classes whose numbers have names.
  fileprivate func named(by scheme: ClassScheme, _ column: String) -> FaceClasses {
    var table = FaceClasses(labels: [])
    let present = Set(labels)
    let labelOfNumber = names.indices.map { number -> UInt16 in
      guard present.contains(UInt16(number)) else { return 0 }
      return table.label(named: scheme.name(of: number, column: column)) ?? 0
    }
    if labelOfNumber.enumerated().allSatisfy({
      $0.offset == Int($0.element) || !present.contains(UInt16($0.offset))
    }) {
      table.labels = labels
    } else {
      table.labels = labels.map { labelOfNumber[Int($0)] }
    }
    return table
  }
}
