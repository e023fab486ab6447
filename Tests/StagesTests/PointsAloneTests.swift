import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// Stages for faces that get points alone.
struct PointsAloneTests {
  private static let stages: [(name: String, stage: any Stage)] = [
    ("decimate", Decimate(Decimate.Parameters())), ("smooth", Smooth(Smooth.Parameters())),
    ("fill-holes", FillHoles(FillHoles.Parameters())), ("remesh", Remesh(Remesh.Parameters())),
    ("flatten", Flatten(Flatten.Parameters())),
    ("remove-fragments", RemoveFragments(RemoveFragments.Parameters())),
  ]

  @Test(arguments: stages.map(\.name)) func `points are unchanged, and that is said`(name: String)
    throws
  {
    let stage = try #require(Self.stages.first { $0.name == name }?.stage)
    let scene = Scene(pointClouds: [PointCloud(positions: [.zero, Vector3(1, 2, 3)])])
    let context = StageContext()
    #expect(try stage.run(scene, in: context) == scene)
    #expect(context.warnings.count == 1)
    #expect(context.warnings.first?.hasSuffix("the 2 points are unchanged") == true)
  }

  @Test func `points beside a mesh are no reason to warn`() throws {
    let scene = Scene(
      meshes: [MeshFixtures.sphere()], pointClouds: [PointCloud(positions: [.zero])])
    let context = StageContext()
    let result = try FillHoles(FillHoles.Parameters()).run(scene, in: context)
    #expect(result.pointClouds == scene.pointClouds)
    #expect(context.warnings.isEmpty)
  }
}
