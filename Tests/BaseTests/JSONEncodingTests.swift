import MeshpipeBase
import Testing

/// Values as JSON and back.
struct JSONEncodingTests {
  private struct Part: Codable, Equatable {
    enum Kind: Codable, Equatable {
      case none
      case named(String, index: Int)
    }

    var kind = Kind.none
    var word: String?
    var numbers: [Double] = []
    var place = SIMD3<Double>.zero
    var corner = SIMD2<Float>.zero
    var range = 0.0...0.0
    var parts: [Part] = []
    var table: [String: Int] = [:]
    var isOn = false
    var byte: UInt8 = 0
  }

  /// By way of text, as in a file.
  private func copy<Value: Codable>(_ value: Value) throws -> Value {
    let text = try JSONEncoding.json(value).compactText
    let json = try #require(JSONReader.read(Array(text.utf8)).value)
    return try JSONDecoding.value(of: json)
  }

  @Test func `a value comes back with all its parts`() throws {
    var part = Part()
    part.kind = .named("a \"b\"\u{1}\n", index: -7)
    part.word = ""
    part.place = SIMD3(1.0 / 3, -2e-300, 1e300)
    part.corner = SIMD2(0.1, .leastNonzeroMagnitude)
    part.range = -1.5...2
    part.table = ["x": 1, "": Int(1) << 53]
    part.isOn = true
    part.byte = 255
    var whole = Part()
    whole.parts = [part, Part(), part]
    #expect(try copy(whole) == whole)
  }

  @Test func `numbers come back bit by bit`() throws {
    var numbers = [
      0.0, -0.0, 1, -1, .infinity, -.infinity, .pi, .leastNonzeroMagnitude,
      .greatestFiniteMagnitude,
    ]
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<1000 {
      let number = Double(bitPattern: generator.next())
      if !number.isNaN { numbers.append(number) }
    }
    let copies = try copy(numbers)
    #expect(copies.map(\.bitPattern) == numbers.map(\.bitPattern))
    #expect(try copy([Double.nan])[0].isNaN)
    let singles: [Float] = [0.1, -0.0, .infinity, .leastNonzeroMagnitude, 16_777_215]
    #expect(try copy(singles).map(\.bitPattern) == singles.map(\.bitPattern))
  }

  @Test func `a number that JSON can't hold is refused, not rounded`() {
    #expect(throws: EncodingError.self) { try JSONEncoding.json([Int.max]) }
  }

  @Test(arguments: [
    "[]", "{}", "7", "{ \"kind\": { \"named\": {} } }", "{ \"byte\": 256 }", "null",
  ])
  func `JSON of something else is an error`(text: String) throws {
    let json = try #require(JSONReader.read(Array(text.utf8)).value)
    #expect(throws: DecodingError.self) { try JSONDecoding.value(Part.self, of: json) }
  }
}
