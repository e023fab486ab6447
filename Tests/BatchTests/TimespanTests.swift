import Batch
import Testing

@Test(
  arguments: [
    ("90", 90), ("0.2s", 0.2), ("500ms", 0.5), ("5m", 300), ("1h30m", 5400), ("2d", 172_800),
  ] as [(String, Double)])
func `a span of time is read`(text: String, seconds: Double) throws {
  #expect(abs(try Timespan(parsing: text).seconds - seconds) < 1e-9)
}

@Test(arguments: ["", "0", "-3s", "5 minutes", "1h30", "s", "1e9", "nan", "3x"])
func `what is no span of time is refused`(text: String) {
  #expect(throws: InvalidTimespan.self) { try Timespan(parsing: text) }
}
