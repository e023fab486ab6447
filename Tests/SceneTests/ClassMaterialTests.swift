import MeshpipeScene
import Testing

/// The colours that classes have without a look of their own.
@Suite struct ClassMaterialTests {
  private func color(_ name: String) -> SIMD4<Float> {
    Material(ofClass: name, isColored: false).baseColor
  }

  @Test func `numbered classes beside each other differ in colour`() {
    for number in 1...30 {
      for step in 1...4 {
        let difference = color("plane-\(number)") - color("plane-\(number + step)")
        #expect((difference * difference).sum() > 0.01, "\(number) and \(number + step)")
      }
    }
  }

  @Test(arguments: ["none", "piano", "door-frame", "plane-", "plane-nan", "-inf"])
  func `other names are grey`(name: String) {
    #expect(color(name) == SIMD4(0.5, 0.5, 0.5, 1))
  }
}
