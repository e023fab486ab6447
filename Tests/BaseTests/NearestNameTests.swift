import MeshpipeBase
import Testing

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("targt", "target"), ("tagret", "target"), ("MaxError", "maxError"), ("xyzzy", nil),
  ])
  func `a slip of the finger finds its name`(typed: String, meant: String?) {
    #expect(nearestName(to: typed, in: ["target", "maxError", "preserve"]) == meant)
  }

  @Test(arguments: [("w", nil), ("X", "x"), ("-w", "-x"), ("mn", "mm"), ("in", nil)])
  func `a name of which no letter is right is not near`(typed: String, meant: String?) {
    #expect(nearestName(to: typed, in: ["x", "-x", "mm"]) == meant)
  }
}
