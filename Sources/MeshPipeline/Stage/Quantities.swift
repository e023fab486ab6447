import MeshpipeBase
public import MeshpipeScene

/// A length in metres; written as a number of metres or with a unit: `0.02`, `"5mm"`, `"1.5 m"`.
public struct Length: ParameterValue, Equatable, Comparable {
  /// The length in metres.
  public var meters: Double
  /// Creates a length in metres.
  public init(meters: Double) { self.meters = meters }

  /// Creates a length from one in the units of a scene, which is what algorithms work in.
  public init(units: Double, in system: CoordinateSystem) {
    meters = units * system.metersPerUnit
  }
  /// The length in the units of a scene.
  public func units(in system: CoordinateSystem) -> Double { meters / system.metersPerUnit }

  /// ``ParameterType/length``.
  public static let parameterType = ParameterType.length
  /// Metres with the unit: `"0.02m"`.
  public var json: JSONValue { JSONValue(.string(JSONValue.text(of: meters) + "m")) }
  /// The metres.
  public var magnitudes: [Double] { [meters] }
  /// Orders by length.
  public static func < (left: Length, right: Length) -> Bool { left.meters < right.meters }

  /// Accepts metres as a number, or a text with a metric unit, `in`, `ft` or `usft`.
  public init(json: JSONValue) throws(ParameterFault) {
    let expectation = "a length like 0.02 (metres), \"5mm\" or \"2cm\""
    switch json.content {
    case .number(let number):
      meters = number
    case .string(let text):
      guard let (number, unit) = splitUnit(text), let factor = Self.units[unit] else {
        throw .expected(expectation, json)
      }
      meters = number * factor
    default: throw .expected(expectation, json)
    }
  }

  /// The accepted units, in metres.
  package static let units: [String: Double] = [
    "": 1, "m": 1, "km": 1000, "dm": 0.1, "cm": 0.01, "mm": 0.001, "um": 1e-6, "µm": 1e-6,
    "in": 0.0254, "ft": 0.3048, "usft": CoordinateSystem.usSurveyFoot,
  ]
}

/// An area in square metres; written as a number of square metres or with a unit: `0.05`, `"20cm2"`.
public struct Area: ParameterValue, Equatable, Comparable {
  /// The area in square metres.
  public var squareMeters: Double
  /// Creates an area in square metres.
  public init(squareMeters: Double) { self.squareMeters = squareMeters }

  /// Creates an area from one in the units of a scene, squared.
  public init(units: Double, in system: CoordinateSystem) {
    squareMeters = units * system.metersPerUnit * system.metersPerUnit
  }
  /// The area in the units of a scene, squared.
  public func units(in system: CoordinateSystem) -> Double {
    squareMeters / (system.metersPerUnit * system.metersPerUnit)
  }

  /// ``ParameterType/area``.
  public static let parameterType = ParameterType.area
  /// Square metres with the unit: `"0.05m2"`.
  public var json: JSONValue { JSONValue(.string(JSONValue.text(of: squareMeters) + "m2")) }
  /// The square metres.
  public var magnitudes: [Double] { [squareMeters] }
  /// Orders by area.
  public static func < (left: Area, right: Area) -> Bool { left.squareMeters < right.squareMeters }

  /// Accepts square metres as a number, or a text with a unit from `mm2` to `m2`.
  public init(json: JSONValue) throws(ParameterFault) {
    let expectation = "an area like 0.05 (square metres), \"0.05m2\" or \"500cm2\""
    switch json.content {
    case .number(let number):
      squareMeters = number
    case .string(let text):
      guard let (number, unit) = splitUnit(text), let factor = Self.units[unit] else {
        throw .expected(expectation, json)
      }
      squareMeters = number * factor
    default: throw .expected(expectation, json)
    }
  }

  /// The accepted units, in square metres.
  package static let units: [String: Double] = [
    "": 1, "m2": 1, "m²": 1, "dm2": 0.01, "dm²": 0.01, "cm2": 1e-4, "cm²": 1e-4, "mm2": 1e-6,
    "mm²": 1e-6,
  ]
}

/// An angle in radians; written with a unit: `"30deg"`, `"0.5rad"`, or as a number of degrees.
public struct Angle: ParameterValue, Equatable, Comparable {
  /// The angle in radians.
  public var radians: Double
  /// Creates an angle in radians.
  public init(radians: Double) { self.radians = radians }
  /// Creates an angle in degrees.
  public init(degrees: Double) { radians = degrees * .pi / 180 }

  /// The angle in degrees.
  public var degrees: Double { radians * 180 / .pi }
  /// ``ParameterType/angle``.
  public static let parameterType = ParameterType.angle
  /// Degrees with the unit: `"30deg"`.
  public var json: JSONValue { JSONValue(.string(text)) }

  /// The angle as written in a pipeline: `30deg`.
  var text: String {
    // Degrees converted from radians have a rounding error in the last digits.
    JSONValue.text(of: (degrees * 1e9).rounded() / 1e9) + "deg"
  }
  /// The radians.
  public var magnitudes: [Double] { [radians] }
  /// Orders by angle, without reducing full turns.
  public static func < (left: Angle, right: Angle) -> Bool { left.radians < right.radians }

  /// The units in conditions, in radians.
  package static let units: [String: Double] = ["deg": .pi / 180, "°": .pi / 180, "rad": 1]

  /// Accepts degrees as a number, or a text with the unit `deg`, `°` or `rad`.
  public init(json: JSONValue) throws(ParameterFault) {
    let expectation = "an angle like \"30deg\", \"0.5rad\" or 30 (degrees)"
    switch json.content {
    case .number(let number):
      self.init(degrees: number)
    case .string(let text):
      guard let (number, unit) = splitUnit(text) else { throw .expected(expectation, json) }
      switch unit {
      case "deg", "°", "": self.init(degrees: number)
      case "rad": self.init(radians: number)
      default: throw .expected(expectation, json)
      }
    default: throw .expected(expectation, json)
    }
  }
}

extension ClosedRange<Double> {
  /// The bounds of an ``Angle``, in degrees.
  public static func degrees(_ range: Self) -> Self {
    Angle(degrees: range.lowerBound).radians...Angle(degrees: range.upperBound).radians
  }
}

/// A count, or a share of the total: `50000`, `"20%"`.
public enum Amount: ParameterValue, Equatable {
  /// A number of things, at least 0.
  case count(Int)
  /// 0 to 1.
  case fraction(Double)

  /// ``ParameterType/amount``.
  public static let parameterType = ParameterType.amount
  /// A number, or a text with a percent sign.
  public var json: JSONValue {
    switch self {
    case .count(let count): JSONValue(.number(Double(count)))
    case .fraction(let fraction): JSONValue(.string(JSONValue.percentText(of: fraction)))
    }
  }

  /// The amount, given the `total`.
  public func resolved(of total: Int) -> Int {
    switch self {
    case .count(let count): count
    case .fraction(let fraction): Int((Double(total) * fraction).rounded())
    }
  }

  /// Accepts a whole number from 0, or a percentage from `0%` to `100%`.
  public init(json: JSONValue) throws(ParameterFault) {
    let expectation = "a count like 50000 or a share like \"20%\""
    switch json.content {
    case .number(let number):
      guard let count = Int(exactly: number), count >= 0 else { throw .expected(expectation, json) }
      self = .count(count)
    case .string(let text):
      guard let (number, unit) = splitUnit(text) else { throw .expected(expectation, json) }
      switch unit {
      case "%" where (0...100).contains(number): self = .fraction(number / 100)
      case "%": throw ParameterFault("must be from 0% to 100%, found '\(text)'")
      case "":
        guard let count = Int(exactly: number), count >= 0 else {
          throw .expected(expectation, json)
        }
        self = .count(count)
      default: throw .expected(expectation, json)
      }
    default: throw .expected(expectation, json)
    }
  }
}

/// A length, or a share of the scene's extent: `"5mm"`, `0.02`, `"1%"`.
public enum RelativeLength: ParameterValue, Equatable {
  /// A length, whatever the size of the scene.
  case length(Length)
  /// 0 to 1 of the longest edge of the bounding box.
  case fraction(Double)

  /// ``ParameterType/relativeLength``.
  public static let parameterType = ParameterType.relativeLength
  /// A length with its unit, or a text with a percent sign.
  public var json: JSONValue {
    switch self {
    case .length(let length): length.json
    case .fraction(let fraction): JSONValue(.string(JSONValue.percentText(of: fraction)))
    }
  }
  /// The metres, or the fraction.
  public var magnitudes: [Double] {
    switch self {
    case .length(let length): [length.meters]
    case .fraction(let fraction): [fraction]
    }
  }

  /// The length in the units of a scene.
  ///
  /// - Parameters:
  ///   - extent: The scene's extent, in its units.
  ///   - system: The scene's.
  public func resolved(extent: Double, in system: CoordinateSystem) -> Double {
    switch self {
    case .length(let length): length.units(in: system)
    case .fraction(let fraction): extent * fraction
    }
  }

  /// Accepts what ``Length`` accepts, or a percentage.
  public init(json: JSONValue) throws(ParameterFault) {
    if case .string(let text) = json.content, let (number, unit) = splitUnit(text), unit == "%" {
      self = .fraction(number / 100)
    } else {
      do throws(ParameterFault) {
        self = .length(try Length(json: json))
      } catch {
        throw .expected("a length like \"5mm\" or a share of the extent like \"1%\"", json)
      }
    }
  }
}

/// A number of bytes: `"10MB"`, `"512KiB"`, `4096`.
public struct ByteCount: ParameterValue, Equatable {
  /// At least 0.
  public var bytes: Int
  /// Creates a number of bytes.
  public init(bytes: Int) { self.bytes = bytes }

  /// ``ParameterType/bytes``.
  public static let parameterType = ParameterType.bytes
  /// A whole number.
  public var json: JSONValue { bytes.json }
  /// The bytes.
  public var magnitudes: [Double] { [Double(bytes)] }

  /// Accepts a whole number from 0, or a text with a unit of powers of 1000 or 1024.
  public init(json: JSONValue) throws(ParameterFault) {
    let bytes: Int? =
      switch json.content {
      case .number(let number): Int(exactly: number)
      case .string(let text): ByteSize.bytes(of: text)
      default: nil
      }
    guard let bytes, bytes >= 0 else { throw .expected("a size like \"10MB\" or 4096", json) }
    self.bytes = bytes
  }
}

/// Three lengths, written as `[x, y, z]`, each a number of metres or with a unit.
public struct LengthVector: ParameterValue, Equatable {
  /// Metres.
  public var meters: SIMD3<Double>
  /// Creates a vector in metres.
  public init(meters: SIMD3<Double>) { self.meters = meters }
  /// The vector in the units of a scene.
  public func units(in system: CoordinateSystem) -> SIMD3<Double> { meters / system.metersPerUnit }

  /// The place in a scene that has these coordinates in its file, as in a national grid.
  package func place(in scene: borrowing Scene) -> SIMD3<Double> {
    units(in: scene.coordinateSystem) - scene.origin
  }

  /// ``ParameterType/vector``.
  public static let parameterType = ParameterType.vector
  /// Three numbers of metres.
  public var json: JSONValue { [meters.x.json, meters.y.json, meters.z.json] }
  /// The three lengths in metres.
  public var magnitudes: [Double] { [meters.x, meters.y, meters.z] }

  /// Accepts an array of three values that ``Length`` accepts.
  public init(json: JSONValue) throws(ParameterFault) {
    let lengths = try threeElements(of: json, "three lengths", like: ["0", "5cm", "1.5"])
    meters = SIMD3(
      try Length(json: lengths[0]).meters, try Length(json: lengths[1]).meters,
      try Length(json: lengths[2]).meters)
  }
}

/// Three plain numbers, written as `[x, y, z]`.
public struct NumberVector: ParameterValue, Equatable {
  /// The three numbers.
  public var value: SIMD3<Double>
  /// Creates a vector of plain numbers.
  public init(_ value: SIMD3<Double>) { self.value = value }

  /// ``ParameterType/vector``.
  public static let parameterType = ParameterType.vector
  /// Three numbers.
  public var json: JSONValue { [value.x.json, value.y.json, value.z.json] }
  /// The three numbers.
  public var magnitudes: [Double] { [value.x, value.y, value.z] }

  /// Accepts an array of three numbers.
  public init(json: JSONValue) throws(ParameterFault) { try self.init(json: json, in: nil) }

  /// Accepts an array of three numbers; a message takes its example from the bounds.
  public init(json: JSONValue, in range: ClosedRange<Double>?) throws(ParameterFault) {
    var example = [0.0, 1, 0]
    // Half-open ranges have no end to use as an example.
    if let range, range.upperBound < 1e6, range.lowerBound > -1e6 {
      example = [range.upperBound, range.lowerBound, range.lowerBound]
    }
    let numbers = try threeElements(
      of: json, "three numbers", like: example.map { JSONValue.text(of: $0) })
    value = SIMD3(
      try Double(json: numbers[0]), try Double(json: numbers[1]), try Double(json: numbers[2]))
  }
}

/// - Parameter example: Three elements as typed in an argument.
private func threeElements(
  of json: JSONValue, _ what: String, like example: [String]
) throws(ParameterFault) -> [JSONValue] {
  let written = example.map { Double($0) == nil ? "\"\($0)\"" : $0 }.joined(separator: ", ")
  let expectation =
    "\(what) like " + (json.position.isArgument ? example.joined(separator: ",") : "[\(written)]")
  guard case .array(let elements) = json.content else { throw .expected(expectation, json) }
  if elements.count == 3 { return elements }
  // A word given for the whole vector.
  if elements.count == 1, case .string = elements[0].content, json.position.isArgument {
    throw .expected(expectation, elements[0])
  }
  let count = elements.count == 1 ? "1 value" : "\(elements.count) values"
  throw ParameterFault("expected \(expectation), found \(count)")
}

/// Splits `"5 mm"` into 5 and "mm"; nil if it does not start with a finite number.
func splitUnit(_ text: String) -> (number: Double, unit: String)? {
  let trimmed = text.trimmingSpaces()
  let numberEnd =
    trimmed.indices.first { index in
      let character = trimmed[index]
      if "0123456789.+-".contains(character) { return false }
      // An exponent needs a digit or a sign after it, otherwise "e" starts a unit.
      if "eE".contains(character) {
        let next = trimmed.index(after: index)
        return next == trimmed.endIndex || !"0123456789+-".contains(trimmed[next])
      }
      return true
    } ?? trimmed.endIndex
  guard let number = Double(trimmed[..<numberEnd]), number.isFinite else { return nil }
  return (number, String(trimmed[numberEnd...]).trimmingSpaces())
}

extension String {
  /// The text without spaces and tabs at both ends.
  package func trimmingSpaces() -> String {
    let start = firstIndex { !$0.isWhitespace } ?? endIndex
    let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? start
    return String(self[start..<end])
  }
}
