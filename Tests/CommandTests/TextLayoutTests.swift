import MeshPipeline
import Testing

@testable import MeshpipeCommand

@Test func `columns are aligned and trailing blanks dropped`() {
  let lines = TextLayout.table([["a", "1", ""], ["long", "1000", "x"]], right: [1])
  #expect(lines == ["a        1", "long  1000  x"])
}

@Test func `long terms stand on lines of their own`() {
  let term = String(repeating: "x", count: 30)
  let lines = TextLayout.definitions([(term, "text"), ("y", "text")])
  #expect(lines[0] == "  " + term)
  #expect(lines[1].hasSuffix("text") && lines[2].hasPrefix("  y "))
}

@Test(arguments: [
  (0.0, "0.00 s"), (0.034, "0.03 s"), (0.42, "0.4 s"), (12.4, "12 s"), (59.9, "1 min 00 s"),
  (185, "3 min 05 s"), (7800, "2 h 10 min"),
])
func `durations have as many digits as matter`(seconds: Double, text: String) {
  #expect(TextLayout.duration(seconds) == text)
}

@Test(arguments: [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (123_456_789, "123 MB")])
func `sizes have decimal units`(bytes: Int, text: String) {
  #expect(NumberText.byteCount(bytes) == text)
}

@Test(arguments: [
  (0.0, 2, "0.00"), (1.005, 1, "1.0"), (-0.001, 2, "0.00"), (-1.26, 1, "-1.3"), (12.5, 0, "13"),
])
func `numbers have fixed digits`(number: Double, digits: Int, text: String) {
  #expect(NumberText.fixed(number, digits: digits) == text)
}

@Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")])
func `thousands are set apart`(number: Int, text: String) {
  #expect(NumberText.grouped(number) == text)
}
