import MeshTestSupport
import Testing

@testable import Formats

@Suite struct DecimalTests {
  /// Reads a number at the end of a text and in the midst of one, where words may be read behind it.
  private func parse(_ text: String) -> Float? {
    let count = text.utf8.count
    let bytes = Array((text + " 1.5 -2.25\n. 7 .25").utf8)
    let values = [count, bytes.count].map { end in
      var index = 0
      let value = Decimal.float(bytes.span, &index, end: end)
      #expect(index == (value == nil ? 0 : count), "\(text)")
      return value
    }
    #expect(values[0]?.bitPattern == values[1]?.bitPattern, "\(text)")
    return values[0]
  }

  @Test func `random decimals are rounded as the standard library rounds them`() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<40_000 {
      let digitCount = 1 + Int(random.next() % 21)
      var digits = ""
      for _ in 0..<digitCount { digits += String(random.next() % 10) }
      let point = Int(random.next() % UInt64(digitCount + 1))
      var text = random.next() % 2 == 0 ? "-" : ""
      text += digits.prefix(point) + "." + digits.dropFirst(point)
      if random.next() % 4 == 0 { text += "e\(Int(random.next() % 90) - 50)" }
      if text == "." || text == "-." { continue }
      #expect(parse(text)?.bitPattern == Float(text)?.bitPattern, "\(text)")
    }
  }

  @Test func `decimals near the middle of two floats are rounded right`() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<4_000 {
      let exponent = 100 + UInt32(random.next() % 60)
      let low = Float(bitPattern: exponent << 23 | UInt32(random.next() & 0x7F_FFFF))
      let middle = (Double(low) + Double(low.nextUp)) / 2
      for value in [middle, middle.nextUp, middle.nextDown] {
        let text = value.description
        #expect(parse(text)?.bitPattern == Float(text)?.bitPattern, "\(text)")
      }
    }
  }

  @Test(arguments: [
    ("0", Float(0)), ("-0", -0.0), ("1", 1), ("+2.5", 2.5), (".5", 0.5), ("5.", 5), ("1e3", 1000),
    ("1E-3", 0.001), ("123456789", 123_456_792), ("1e39", .infinity), ("1e-60", 0),
    ("inf", .infinity),
    ("-INF", -.infinity), ("16777217", 16_777_216), ("1.17549435e-38", 0x1p-126),
    ("00000000000000000000001.5", 1.5), ("3.4028235e38", .greatestFiniteMagnitude),
    ("1.#INF", .infinity),
  ])
  func `known numbers`(_ text: String, _ expected: Float) {
    #expect(parse(text)?.bitPattern == expected.bitPattern)
  }

  @Test(arguments: ["nan", "NaN", "-nan", "nan(ind)", "-nan(ind)", "1.#QNAN", "-1.#IND"])
  func `not-a-number in many spellings`(_ text: String) {
    #expect(parse(text)?.isNaN == true)
  }

  @Test(arguments: [
    "", "-", ".", "e5", "1e", "1e+", "1,5", "0x10", "1.2.3", "--1", "abc", "1e5x", "1_0",
  ])
  func `what is no number is refused`(_ text: String) {
    #expect(parse(text) == nil)
  }
}
