import MeshPipeline

/// The numbers of classes in formats that have no names for them, but in comments.
///
/// Codes of the ASPRS are those that were read, and so are numbers that never had a name. Other classes have their labels,
/// ARKit's first.
struct ClassNumbers {
  private let table: ClassTable
  private let numberOfLabel: [UInt16]
  /// What a comment of the file says of each number.
  let remarks: [ClassRemark]
  /// Whether points without a class were never classified, code 0, or are of code 1; by cloud.
  private let neverClassified: [[UInt8]?]

  /// Nil when nothing in the scene has classes.
  ///
  /// - Parameter scene: Loses the attribute that tells the codes 0 and 1 apart if the numbers do so.
  init?(takenFrom scene: inout Scene) {
    guard let table = ClassTable(of: scene) else { return nil }
    let used = Self.usedLabels(of: scene, table)
    let names = used.map { table.names[$0] }
    let areCodes = Self.areCodes(names, of: scene)
    var numbers = table.names.indices.map { UInt16($0) }
    if areCodes {
      let codes = ClassCodes.codes(of: names, limit: Int(UInt16.max), scene.survey)
      for (label, code) in zip(used, codes) { numbers[label] = UInt16(code ?? 0) }
      // Readers see by the name of 1, which is not a wall, that these are codes.
      remarks =
        [0, 1].map { ClassRemark(label: $0, name: "none") }
        + Self.remarks(used.filter { table.names[$0] != "none" }, table.names, numbers)
    } else if names.contains(where: { ClassCodes.number(in: $0) != nil }) {
      Self.keepOwnNumbers(of: used, table.names, &numbers)
      remarks = Self.remarks(used, table.names, numbers)
    } else {
      remarks = Self.remarks(Array(table.names.indices), table.names, numbers)
    }
    self.table = table
    numberOfLabel = numbers
    neverClassified = scene.pointClouds.map { areCodes ? $0.neverClassified : nil }
    for index in neverClassified.indices where neverClassified[index] != nil {
      scene.pointClouds[index].attributes[Survey.neverClassified] = nil
    }
  }

  /// Whether the numbers tell points that were never classified from others without a class.
  var tellNeverClassified: Bool { neverClassified.contains { $0 != nil } }

  /// Whether the numbers need more than 8 bits.
  var areWide: Bool { (remarks.map(\.label).max() ?? 0) > 255 }

  /// The numbers of a mesh's faces.
  func numbers(ofMesh index: Int, in scene: Scene) -> [UInt16] {
    numbers(table.labels(ofMesh: index, in: scene))
  }

  /// The numbers of a cloud's points.
  func numbers(ofCloud index: Int, in scene: Scene) -> [UInt16] {
    guard let isNever = neverClassified[index] else {
      return numbers(table.labels(ofCloud: index, in: scene))
    }
    return table.numbers(ofCloud: index, in: scene, by: numberOfLabel, isNever)
  }

  private func numbers(_ labels: [UInt16]) -> [UInt16] {
    if numberOfLabel.enumerated().allSatisfy({ $0.offset == Int($0.element) }) { return labels }
    return labels.map { numberOfLabel[Int($0)] }
  }

  // MARK: Choosing numbers

  /// The labels of the table that some face or point has.
  private static func usedLabels(of scene: Scene, _ table: ClassTable) -> [Int] {
    let parts = scene.meshes.map(\.classes) + scene.pointClouds.map(\.classes)
    var used = Set(parts.compactMap { $0?.presentNames }.joined())
    if parts.contains(where: { $0 == nil }) { used.insert(table.names[0]) }
    return table.names.indices.filter { used.contains(table.names[$0]) }
  }

  /// Whether a file gave one of the classes its code, or points have a class of the ASPRS.
  private static func areCodes(_ names: [String], of scene: Scene) -> Bool {
    if names.allSatisfy({ $0 == "none" }) { return scene.survey != nil }
    let known = scene.survey?.classCodes ?? [:]
    let usual = Set(FaceClasses.asprsNames.values).subtracting(["none"])
    return names.contains { known[$0] != nil }
      || scene.pointClouds.contains {
        $0.classes?.presentNames.contains(where: usual.contains) == true
      }
  }

  /// Gives classes such as `label-3` their number again, unless another class has it.
  private static func keepOwnNumbers(
    of used: [Int], _ names: [String], _ numbers: inout [UInt16]
  ) {
    var taken = Set(used.filter { ClassCodes.number(in: names[$0]) == nil }.map { numbers[$0] })
    var others: [Int] = []
    for label in used {
      guard let own = ClassCodes.number(in: names[label]).map({ UInt16($0) }) else { continue }
      if taken.insert(own).inserted { numbers[label] = own } else { others.append(label) }
    }
    for label in others {
      let free = (FaceClasses.arkitNames.count...Int(UInt16.max)).lazy.map { UInt16($0) }
        .first { !taken.contains($0) }
      numbers[label] = free ?? 0
      taken.insert(numbers[label])
    }
  }

  private static func remarks(
    _ labels: [Int], _ names: [String], _ numbers: [UInt16]
  ) -> [ClassRemark] {
    labels.map { ClassRemark(label: Int(numbers[$0]), name: names[$0]) }
      .sorted { $0.label < $1.label }
  }
}

extension PointCloud {
  /// Whether points without a class were never classified, one number for each; nil if the file does not tell them apart.
  var neverClassified: [UInt8]? {
    guard let attribute = attributes[Survey.neverClassified], attribute.width == 1 else {
      return nil
    }
    if case .uint8(let values) = attribute.values { return values }
    return attribute.values.doubles.map { $0 == 0 ? 0 : 1 }
  }
}
