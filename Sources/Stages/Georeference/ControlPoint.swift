public import MeshPipeline
import NativeLibraries

/// A point of the scan with its place on a map: `"7 = [451234.12, 5764321.55, 87.3]"`.
public struct ControlPoint: ParameterValue, Equatable {
  /// A marker by its number, or a point in coordinates of the scene.
  let point: KnownDistance.End
  /// East, north and height in units of the map.
  let place: SIMD3<Double>
  let text: String

  /// ``ParameterType/string``.
  public static let parameterType = ParameterType.string
  /// As it was written.
  public var json: JSONValue { text.json }

  /// Accepts a marker or a point, and three numbers.
  public init(json: JSONValue) throws(ParameterFault) {
    let expectation =
      "a point and its east, north and height, like \"7 = [451234.12, 5764321.55, 87.3]\" or "
      + "\"[0.5, 0, 1.2] = [451234.12, 5764321.55, 87.3]\""
    guard case .string(let text) = json.content else { throw .expected(expectation, json) }
    let sides = text.split(separator: "=", omittingEmptySubsequences: false)
      .map { String($0).trimmingSpaces() }
    guard sides.count == 2, sides[1].hasPrefix("["), sides[1].hasSuffix("]") else {
      throw .expected(expectation, json)
    }
    let numbers = sides[1].dropFirst().dropLast()
      .split(separator: ",", omittingEmptySubsequences: false)
      .map { Double(String($0).trimmingSpaces()) }
    guard numbers.count == 3, let east = numbers[0], let north = numbers[1],
      let height = numbers[2], [east, north, height].allSatisfy(\.isFinite)
    else { throw .expected(expectation, json) }
    point = try KnownDistance.End(sides[0])
    place = SIMD3(east, north, height)
    self.text = text
  }

  /// The left side, for messages: `7`, `[0.5, 0, 1.2]`.
  var name: String { String(text.prefix { $0 != "=" }).trimmingSpaces() }
}

/// The map on which a scan is put: `"utm"`, `"local"` or a code like `"EPSG:25832"`.
public enum MapChoice: ParameterValue, Equatable {
  /// The zone of UTM on WGS 84 that the scan lies in.
  case utm
  /// East, north and up about the scan.
  case local
  /// A code of the EPSG registry, with heights `EPSG:25832+7837`.
  case code(String)

  /// ``ParameterType/string``.
  public static let parameterType = ParameterType.string
  /// As it is written.
  public var json: JSONValue {
    switch self {
    case .utm: "utm"
    case .local: "local"
    case .code(let code): code.json
    }
  }

  /// Accepts the words, and a code with or without its authority.
  public init(json: JSONValue) throws(ParameterFault) {
    let expectation = "\"utm\", \"local\" or a code like \"EPSG:25832\""
    let text: String
    switch json.content {
    case .string(let given): text = given.trimmingSpaces()
    case .number(let number):
      guard let code = Int(exactly: number) else { throw .expected(expectation, json) }
      text = String(code)
    default: throw .expected(expectation, json)
    }
    switch text.lowercased() {
    case "utm": self = .utm
    case "local", "enu": self = .local
    default:
      let digits = text.uppercased().hasPrefix("EPSG:") ? String(text.dropFirst(5)) : text
      let parts = digits.split(separator: "+", omittingEmptySubsequences: false)
      guard (1...2).contains(parts.count),
        parts.allSatisfy({ (1...6).contains($0.count) && $0.allSatisfy(\.isWholeNumber) })
      else { throw .expected(expectation, json) }
      self = .code("EPSG:\(digits)")
    }
  }
}
