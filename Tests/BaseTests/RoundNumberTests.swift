import MeshpipeBase
import Testing

struct RoundNumberTests {
  @Test(arguments: [
    (1.0, 1.0, 1.0), (1.9, 1, 2), (2, 2, 2), (4.9, 2, 5), (7, 5, 10), (0.03, 0.02, 0.05),
    (0.6, 0.5, 1), (123, 100, 200), (9_999, 5000, 10_000),
  ])
  func `the next ones below and above`(number: Double, below: Double, above: Double) {
    #expect(abs(RoundNumber(atMost: number).value / below - 1) < 1e-12)
    #expect(abs(RoundNumber(atLeast: number).value / above - 1) < 1e-12)
    #expect([1, 2, 5].contains(RoundNumber(atMost: number).digit))
    #expect([1, 2, 5].contains(RoundNumber(atLeast: number).digit))
  }
}
