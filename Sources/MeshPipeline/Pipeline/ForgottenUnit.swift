import MeshpipeBase
import MeshpipeScene

extension ResolvedPipeline.ResolvedStage {
  /// Refuses lengths too large for the scan whose unit was forgotten.
  func checkLengths(on scene: borrowing Scene) throws(ForgottenUnit) {
    let unit = scene.coordinateSystem.metersPerUnit
    var size: Double?
    for option in options {
      let scope = definition.parameters.first { $0.name == option.key }?.scope ?? .free
      guard let numbers = ForgottenUnit.suspects(in: option.value, scope) else { continue }
      // Finding the bounds takes a pass over the scan.
      let found = size ?? SIMD3<Double>(scene.bounds.size).length * unit
      size = found
      if let fault = ForgottenUnit(option.key, numbers, scope, size: found) { throw fault }
    }
  }
}

/// A number that was meant to be millimetres, and is metres because it has no unit.
///
/// A vase of 20 cm has no details of 2 m, and a hall of 20 m no tolerance of 2 m: a plain 2 was meant in another unit.
struct ForgottenUnit: UserError {
  let option: String
  /// The numbers, without a unit.
  let numbers: [Double]
  private let scope: LengthScope
  /// The size of the scan in metres.
  let size: Double

  var exitCode: ExitCode { .data }

  var message: String {
    let meant = units.map { unit in
      numbers.map { "\(JSONValue.text(of: $0))\(unit)" }.joined(separator: ",")
    }.joined(separator: " or ")
    let written = numbers.map { "\(JSONValue.text(of: $0))m" }.joined(separator: ",")
    let share = JSONValue.percentText(of: Self.largestDetail)
    let relation = scope == .detail ? "more than \(share) of the scan" : "larger than the scan"
    return """
      '\(option)' is \(written), as a number without a unit is metres, which is \(relation) \
      (\(NumberText.fixed(size, digits: size < 1 ? 3 : 1)) m); did you mean \(meant)? If not, write \(written)
      """
  }

  /// The units that may be meant, the most probable first.
  ///
  /// Beds, sizes and parts of the scan are given in centimetres, too, where that makes them no larger than the scan.
  private var units: [String] {
    let largest = numbers.max() ?? 0
    if numbers.count == 3 { return largest < 100 ? ["cm"] : ["mm"] }
    guard scope != .detail, largest * 0.01 <= size else { return ["mm"] }
    return ["cm", "mm"]
  }

  /// What beds have less of, and millimetres or centimetres have more of.
  private static let fewestOfBed = 1.0

  /// The share of the scan that a tolerance has at most: with more, nothing of the scan would stay as it is.
  private static let largestDetail = 0.05

  /// The numbers of an option that can be too large; nil if it has units, or is as large as it likes.
  static func suspects(in value: JSONValue, _ scope: LengthScope) -> [Double]? {
    let numbers = value.plainNumbers
    guard scope != .free, let largest = numbers.max(), largest > 0 else { return nil }
    return scope == .aroundScan && largest < fewestOfBed ? nil : numbers
  }

  /// Nil if the numbers are not too large for the scan.
  ///
  /// - Parameter size: That of the scan in metres, 0 if it has none.
  init?(_ option: String, _ numbers: [Double], _ scope: LengthScope, size: Double) {
    let number = scope == .aroundScan ? numbers.min() : numbers.max()
    let limit = scope == .detail ? size * Self.largestDetail : size
    guard size > 0, let number, number > limit else { return nil }
    (self.option, self.numbers, self.scope, self.size) = (option, numbers, scope, size)
  }
}

extension JSONValue {
  /// The number, or the numbers of an array, if none has a unit.
  fileprivate var plainNumbers: [Double] {
    switch content {
    case .number(let number): [number]
    case .string(let text): splitUnit(text).flatMap { $0.unit.isEmpty ? [$0.number] : nil } ?? []
    case .array(let elements):
      elements.allSatisfy { !$0.plainNumbers.isEmpty } ? elements.flatMap(\.plainNumbers) : []
    default: []
    }
  }
}
