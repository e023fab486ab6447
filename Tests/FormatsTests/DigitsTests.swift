import Testing

@testable import Formats

@Suite struct DigitsTests {
  @Test(arguments: [
    "", "7", "42", "1234567", "12345678", "123456789", "1234567890123456", "18446744073709551615",
  ])
  func `a run of digits is read to its end`(digits: String) {
    for tail in ["", " ", ".5", "/7 8", "\u{FF}", ":0000000", "/////////", "x12345678"] {
      for head in ["", "-", "v 1 "] {
        let bytes = Array((head + digits + tail).utf8)
        var position = head.utf8.count
        var value: UInt64 = 0
        Digits.read(bytes.span, &position, end: bytes.count, into: &value)
        #expect(value == UInt64(digits) ?? 0, "\(head)|\(digits)|\(tail)")
        #expect(position == head.utf8.count + digits.count)
      }
    }
  }

  @Test func `digits behind the end are left alone`() {
    let bytes = Array("12345678901234567890".utf8)
    for end in 0...16 {
      var position = 0
      var value: UInt64 = 0
      Digits.read(bytes.span, &position, end: end, into: &value)
      #expect(position == end)
      #expect(value == UInt64(String("12345678901234567890".prefix(end))) ?? 0)
    }
  }

  @Test func `lines that hold something are counted, whatever ends them`() {
    // Every word of some bytes that matter, so that breaks and blanks meet at each place of eight.
    let alphabet: [UInt8] = [0x0A, 0x0D, 0x20, 0x61, 0xFF, 0x09, 0x21, 0x8A]
    var state: UInt64 = 1
    for length in 0..<400 {
      let bytes = (0..<length % 67).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return alphabet[Int(state >> 61)]
      }
      let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }
      let expected = lines.count { $0.contains { $0 > 0x20 } }
      #expect(TextBlocks.countLines(bytes.span, 0..<bytes.count) == expected, "\(bytes)")
    }
  }
}
