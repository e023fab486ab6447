import Foundation
import MeshTestSupport
import Testing

@testable import Formats
@testable import MeshPipeline

struct ShortestDecimalTests {
  private func text(_ number: Float) -> String {
    var buffer = ByteBuffer()
    buffer.append(decimal: number, powers: .shared)
    return buffer.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    (Float(0), "0"), (-0.0, "-0"), (1, "1"), (-1, "-1"), (0.1, "0.1"), (-0.25, "-0.25"), (10, "10"),
    (1.5, "1.5"), (1234.567, "1234.567"), (0.0001, "0.0001"), (0.00001, "0.00001"),
    (0.000001, "1e-6"), (1.5e-7, "1.5e-7"), (1_000_000, "1000000"), (16_777_216, "16777216"),
    (123_456_792, "123456790"), (1e9, "1e9"), (1e10, "1e10"), (3.4028235e38, "3.4028235e38"),
    (.leastNonzeroMagnitude, "1e-45"), (1.1754944e-38, "1.1754944e-38"), (.infinity, "0"),
    (.nan, "0"),
  ])
  func `numbers are written as a person would write them`(number: Float, expected: String) {
    #expect(text(number) == expected)
  }

  @Test func `numbers read back to the same bits and have as few digits as Swift's own text`() {
    var state: UInt64 = 1
    var wrong: [Float] = []
    for round in 0..<100_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      // Every third number is of a room's size, the others are of any size.
      let bits = UInt32(truncatingIfNeeded: state >> 32)
      let number = round % 3 == 0 ? Float(Int32(bitPattern: bits)) / 3e8 : Float(bitPattern: bits)
      guard number.isFinite else { continue }
      let written = text(number)
      if Float(written)?.bitPattern != number.bitPattern { wrong.append(number) }
      if significantDigits(written) != significantDigits(number.description) {
        wrong.append(number)
      }
    }
    #expect(wrong == [])
  }

  /// The digits of a number's text between the zeros on both sides.
  private func significantDigits(_ text: String) -> String {
    let mantissa = text.prefix { $0 != "e" }.filter { $0 != "." && $0 != "-" }
    let trimmed = mantissa.drop { $0 == "0" }
    return String(trimmed.reversed().drop { $0 == "0" }.reversed())
  }

  @Test func `powers of two are exact at both ends of the range`() {
    for exponent in -149...127 {
      let number = Float(sign: .plus, exponent: exponent, significand: 1)
      #expect(Float(text(number)) == number)
      #expect(Float(text(number.nextDown)) == number.nextDown)
      #expect(Float(text(number.nextUp)) == number.nextUp)
    }
  }

  @Test func `parallel parts are written in order`() throws {
    let folder = try TemporaryFolder()
    let writer = try FileWriter(creating: folder.path + "/numbers")
    try writer.write(count: 10_000, chunkSize: 97) { range, buffer in
      for number in range {
        buffer.append(decimal: number)
        buffer.append("\n")
      }
    }
    try writer.finish()
    let expected = (0..<10_000).map { "\($0)\n" }.joined()
    #expect(try FileSystem.contents(of: folder.path + "/numbers") == Array(expected.utf8))
  }
}
