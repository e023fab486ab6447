import MeshpipeBase

/// The size of a model against the original; written as a factor or as a ratio: `0.04`, `"1:25"`.
public struct Scale: ParameterValue, Equatable {
  /// Below 1 for a model that is smaller.
  public var factor: Double
  /// Creates a scale from a factor.
  public init(factor: Double) { self.factor = factor }

  /// ``ParameterType/scale``.
  public static let parameterType = ParameterType.scale
  /// The factor.
  public var json: JSONValue { factor.json }
  /// The factor.
  public var magnitudes: [Double] { [factor] }

  /// Accepts a factor as a number, or a ratio of two positive numbers.
  public init(json: JSONValue) throws(ParameterFault) {
    let expectation = "a scale like \"1:25\" or 0.04"
    switch json.content {
    case .number(let number): factor = number
    case .string(let text):
      let parts = text.split(separator: ":", omittingEmptySubsequences: false).map {
        Double(String($0).trimmingSpaces()) ?? 0
      }
      guard parts.count == 2, parts[0] > 0, parts[1] > 0, (parts[0] / parts[1]).isFinite else {
        throw .expected(expectation, json)
      }
      factor = parts[0] / parts[1]
    default: throw .expected(expectation, json)
    }
  }

  /// The scale for people: `1:27.9`, `2:1`, `1:1`.
  package var text: String {
    func number(_ value: Double) -> String {
      let text = NumberText.fixed(value, digits: value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
      guard text.contains(".") else { return text }
      return String(text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed())
    }
    return factor < 1 ? "1:\(number(1 / factor))" : "\(number(factor)):1"
  }
}
