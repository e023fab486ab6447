import MeshpipeBase
import MeshpipeScene

/// How a length that a stage takes relates to the size of the scan.
public enum LengthScope: Sendable {
  /// A part of the scan, such as a deviation or a thickness: nothing larger than the scan makes sense.
  case ofScan
  /// What the scan has to fit, such as a print bed, which may be larger.
  case aroundScan
  /// A place, or the range of something else, such as of a camera.
  case free
}

extension ParameterType {
  /// The scope of a length that does not say it.
  var usualScope: LengthScope {
    switch self {
    case .length, .relativeLength: .ofScan
    case .optional(let wrapped): wrapped.usualScope
    default: .free
    }
  }
}

/// A number that was meant to be millimetres, and is metres because it has no unit.
///
/// A vase of 20 cm has no details of 2 m: a plain 2 was meant in another unit.
struct ForgottenUnit: UserError {
  let option: String
  /// The numbers, without a unit.
  let numbers: [Double]
  /// The size of the scan in metres.
  let size: Double

  var exitCode: ExitCode { .data }

  var message: String {
    let meant = numbers.map { "\(JSONValue.text(of: $0))\(unit)" }.joined(separator: ",")
    let written = numbers.map { "\(JSONValue.text(of: $0))m" }.joined(separator: ",")
    return """
      '\(option)' is \(written), as a number without a unit is metres, which is larger than the scan \
      (\(NumberText.fixed(size, digits: size < 1 ? 3 : 1)) m); did you mean \(meant)? If not, write \(written)
      """
  }

  /// Beds are given in centimetres, too.
  private var unit: String {
    let largest = numbers.max() ?? 0
    return numbers.count == 3 && largest < 100 ? "cm" : "mm"
  }

  /// What beds have less of, and millimetres or centimetres have more of.
  private static let fewestOfBed = 1.0

  /// Throws for the first of a stage's options whose unit was forgotten.
  static func check(
    _ options: [JSONValue.Member], declared: [ParameterDeclaration], on scene: borrowing Scene
  ) throws(ForgottenUnit) {
    var candidates: [(option: String, scope: LengthScope, numbers: [Double])] = []
    for option in options {
      let scope = declared.first { $0.name == option.key }?.scope ?? .free
      let numbers = option.value.plainNumbers
      guard scope != .free, let largest = numbers.max(), largest > 0 else { continue }
      if scope == .aroundScan, largest < fewestOfBed { continue }
      candidates.append((option.key, scope, numbers))
    }
    // The bounds take as long as a look at every vertex.
    guard !candidates.isEmpty else { return }
    let extent = SIMD3<Double>(scene.bounds.size) * scene.coordinateSystem.metersPerUnit
    let size = extent.length
    for (option, scope, numbers) in candidates {
      let decisive = scope == .aroundScan ? numbers.min() : numbers.max()
      guard size > 0, let decisive, decisive > size else { continue }
      throw ForgottenUnit(option: option, numbers: numbers, size: size)
    }
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
