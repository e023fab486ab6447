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

  @Test func `classes of aerial scans and other names differ in colour`() {
    let names = [
      "ground", "low-vegetation", "medium-vegetation", "high-vegetation", "building", "low-noise",
      "high-noise", "water", "rail", "road-surface", "bridge-deck", "piano", "lamp",
    ]
    for (place, name) in names.enumerated() {
      for other in names[(place + 1)...] {
        let difference = color(name) - color(other)
        #expect((difference * difference).sum() > 0.003, "\(name) and \(other)")
      }
    }
  }

  @Test(arguments: ["none", "wall", "floor", "sofa", "plane-2", "building", "plane-nan", ""])
  func `a material has the colour that its class has in renderings`(name: String) {
    let code = SRGBTable.shared.code
    let (color, shown) = (color(name), ClassPalette.color(of: name))
    #expect(
      SIMD3(code(color.x), code(color.y), code(color.z))
        == SIMD3(shown.red, shown.green, shown.blue))
    #expect(color.w == 1)
  }
}
