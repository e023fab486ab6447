import Formats
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// Stages on meshes that others made, against what is known of these.
@Suite struct RealScanTests {
  private func run(_ stages: [any Stage], _ scene: Scene) throws -> Scene {
    var scene = scene
    for stage in stages { scene = try stage.run(scene, in: StageContext()) }
    return scene
  }

  private func read(_ shared: String) throws -> Scene {
    try OBJ.read(try #require(Checkout.shared(shared)), in: ReadingContext())
  }

  @Test(.needsShared("meshes/arkit-mesh-anchors"))
  func `ARKit's anchors are joined along their borders`() throws {
    let scan = try read("meshes/arkit-mesh-anchors/beige_v1.derived.obj")
    let distinct = Set(scan.meshes.flatMap(\.positions)).count
    #expect(distinct < scan.vertexCount)
    let welded = try run([Weld(Weld.Parameters())], scan)
    #expect(welded.vertexCount == distinct)
    #expect(welded.faceCount == scan.faceCount)
  }

  @Test(.needsShared("meshes/common/stanford-bunny.obj"))
  func `the bunny's five holes are filled, and it is watertight`() throws {
    let bunny = try read("meshes/common/stanford-bunny.obj")
    var parameters = FillHoles.Parameters()
    parameters.maximumSize = .fraction(1)
    let context = StageContext()
    let clean = try run([Clean(Clean.Parameters())], bunny)
    let smooth = try FillHoles(parameters).run(clean, in: context)
    #expect(context.notes.prefix(2).map(\.value) == [5, 0])
    #expect(smooth.meshes[0].isWatertight)
    parameters.fill = .flat
    let filled = try FillHoles(parameters).run(clean, in: StageContext())
    #expect(filled.meshes[0].isWatertight)
    #expect(abs(smooth.meshes[0].volume / filled.meshes[0].volume - 1) < 1e-3)
    // The volume that trimesh finds in the result: 754.77 cm³.
    #expect(abs(filled.meshes[0].volume - 754.77e-6) < 0.01e-6)
  }
}
