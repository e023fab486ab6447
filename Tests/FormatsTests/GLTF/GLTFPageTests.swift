import Formats
import MeshPipeline
import MeshTestSupport
import Testing

/// The page about glTF.
struct GLTFPageTests {
  @Test func `it names every choice of the options`() throws {
    let page = try Checkout.text("docs/gltf.md")
    let writer = try #require(FormatRegistry(builtInFormats).writer(id: "glb"))
    for option in writer.options {
      #expect(page.contains("`\(option.name)`"))
      guard case .choice(let names) = option.type else { continue }
      for name in names { #expect(page.contains("`\(name)`"), "\(option.name): \(name)") }
    }
  }
}
