import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct ShapesJSONTests {
  @Test func `places of shapes are those of the grid, to the millimetre`() throws {
    var scene = Scene(coordinateSystem: .blender)
    scene.origin = SIMD3(583_000, 5_411_000, 0)
    var sphere = Shape(.sphere, center: .zero, radius: 1)
    sphere.center = SIMD3(1.0625, 2.125, 30.001)
    scene.shapes = [sphere]
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.shapes.json")
    try ShapesJSON.write(scene, to: output, in: WritingContext())
    let json = try #require(
      JSONReader.read(FileSystem.contents(of: output.mainPath), file: "a").value)
    #expect(json["origin"]?.elements.compactMap(\.number) == [583_000, 5_411_000, 0])
    let center = json["shapes"]?.elements.first?["center"]?.elements.compactMap(\.number)
    #expect(center == [583_001.0625, 5_411_002.125, 30.001])
  }
}
