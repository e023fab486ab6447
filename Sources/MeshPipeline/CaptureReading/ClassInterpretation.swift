import MeshpipeBase
import MeshpipeScene

/// Names the classes of files that have numbers only.
extension Scene {
  mutating func interpretClasses(_ facts: FileFacts, _ reading: InputReading) {
    for index in meshes.indices {
      let mesh = meshes[index]
      guard let classes = mesh.classes, let column = classes.column else { continue }
      let finding =
        Self.certainFinding(of: classes, facts, reading) ?? finding(ofFaces: mesh, classes)
      meshes[index].classes = classes.named(by: finding.scheme, column)
      if finding.scheme == classes.codeScheme {
        keepCodes(of: classes, named: finding.scheme, column)
      }
      note(finding, column)
    }
    for index in pointClouds.indices {
      guard let classes = pointClouds[index].classes, let column = classes.column else { continue }
      let finding =
        Self.certainFinding(of: classes, facts, reading)
        ?? Self.finding(ofPoints: classes, column)
      pointClouds[index].classes = classes.named(by: finding.scheme, column)
      if finding.scheme == .asprs || finding.scheme == classes.codeScheme {
        keepCodes(of: classes, named: finding.scheme, column)
        keepUnclassifiedCodes(of: classes, ofCloud: index)
      }
      note(finding, column)
    }
    if interpretation[.classes] == nil, features.contains(.classification) {
      interpretation.set(.classes, "by name", .declared)
    }
  }

  /// Keeps the codes that classes have in the file, for outputs.
  private mutating func keepCodes(
    of classes: FaceClasses, named scheme: ClassScheme, _ column: String
  ) {
    var known = survey ?? Survey()
    for (number, count) in classes.counts.enumerated() where count > 0 {
      let name = scheme.name(of: number, column: column)
      guard name != "none", known.classCodes[name] == nil else { continue }
      known.classCodes[name] = UInt8(exactly: number)
    }
    survey = known
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
      survey?.unclassifiedCode = 0
    }
  }

  private mutating func note(_ finding: ClassFinding, _ column: String) {
    var other = Interpretation()
    other.set(
      .classes, finding.scheme.words(column), finding.source, because: finding.reason,
      option: "--input-classes", isDoubtful: finding.source == .assumed)
    interpretation.merge(other)
  }

  // MARK: Meanings

  /// What the user, the file or its capture says; nil if none of them does.
  private static func certainFinding(
    of classes: FaceClasses, _ facts: FileFacts, _ reading: InputReading
  ) -> ClassFinding? {
    if let scheme = reading.classes {
      return ClassFinding(scheme: scheme, source: .option, reason: "")
    }
    if let scheme = classes.codeScheme {
      return ClassFinding(scheme: scheme, source: .declared, reason: "the file names them")
    }
    if facts.isOwn {
      return ClassFinding(scheme: .arkit, source: .declared, reason: "meshpipe wrote the file")
    }
    // More than ARKit has are another program's, also beside a capture.
    if facts.isPartOfCapture, classes.names.count <= FaceClasses.arkitNames.count {
      return ClassFinding(scheme: .arkit, source: .declared, reason: "the scan is an ARKit capture")
    }
    return nil
  }

  private func finding(ofFaces mesh: Mesh, _ classes: FaceClasses) -> ClassFinding {
    if !classes.areOfFaces { return .unknown() }
    guard classes.names.count <= Self.phoneClassCount else {
      return .unknown(because: "ARKit has no \(classes.names.count - 1)")
    }
    let size = SIMD3<Double>(mesh.bounds.size).max() * coordinateSystem.metersPerUnit
    guard Self.roomSizes.contains(size) else {
      return .unknown(because: "the mesh is not of the size of rooms")
    }
    if let contradiction = contradictionToARKit(in: mesh) {
      return .unknown(because: contradiction)
    }
    return ClassFinding(
      scheme: .arkit, source: .numbers, reason: "0 to 7 on the faces of a mesh in metres")
  }

  /// Why the numbers of a mesh are not ARKit's: what these call floor, wall and ceiling lies elsewhere in rooms.
  private func contradictionToARKit(in mesh: Mesh) -> String? {
    let up = coordinateSystem.up
    func place(_ number: UInt16) -> (isLevel: Bool, height: Double)? {
      mesh.facing { $0 == number }.map {
        ($0.areas[up.index] > 0.5 * $0.total, $0.middle.dot(up.vector))
      }
    }
    let (wall, floor, ceiling) = (place(1), place(2), place(3))
    if wall == nil, floor == nil, ceiling == nil {
      return "none of them is what ARKit calls floor, wall or ceiling"
    }
    if floor?.isLevel == false { return "what ARKit calls floor does not lie level" }
    if ceiling?.isLevel == false { return "what ARKit calls ceiling does not lie level" }
    if wall?.isLevel == true { return "what ARKit calls wall does not stand upright" }
    let heights = [floor, wall, ceiling].compactMap { $0?.height }
    if zip(heights, heights.dropFirst()).contains(where: { $0 >= $1 }) {
      return "what ARKit calls floor, wall and ceiling are not one above the other"
    }
    return nil
  }

  private static func finding(ofPoints classes: FaceClasses, _ column: String) -> ClassFinding {
    // The name that CloudCompare and the text formats of surveys have for the field of LAS.
    guard column == "classification", classes.names.count <= 256 else { return .unknown() }
    return ClassFinding(
      scheme: .asprs, source: .format, reason: "so programs for point clouds call the codes of LAS")
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

  static func unknown(because reason: String = "nothing says what they stand for") -> ClassFinding {
    ClassFinding(scheme: .numbered, source: .assumed, reason: reason)
  }
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
