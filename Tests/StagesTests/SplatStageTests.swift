import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// What stages do with Gaussian splats.
struct SplatStageTests {
  private let registry = StageRegistry(builtInStages)
  private let scene = Scene(pointClouds: [SplatFixtures.cloud(200)])

  private func stage(
    _ name: String, _ options: [String: JSONValue] = [:]
  ) throws -> any PreparedStage {
    try #require(registry[name]).prepared(
      with: options.map { JSONValue.Member($0.key, $0.value) }
    ) {
      // Options may be missing that its work needs.
      if $0 != nil { Issue.record("\(name): \($2)") }
    }
  }

  @Test(arguments: [0, 0.1, 0.5, 0.9, 1])
  func `splats are filtered by their opacity`(least: Double) throws {
    let filter = try stage(
      "filter-points", ["method": "opacity", "minimumOpacity": JSONValue(.number(least))])
    let result = try filter.run(scene, in: StageContext()).pointClouds[0]
    let logits = try #require(scene.pointClouds[0].attributes["opacity"]?.values.doubles)
    let kept = logits.indices.filter { least == 0 || logits[$0] >= -log(1 / least - 1) }
    #expect(result == scene.pointClouds[0].selecting(points: kept))
  }

  @Test func `points without opacity stay, and an opacity needs its method`() throws {
    let points = Scene(pointClouds: [PointCloud(name: "scan", positions: [.zero])])
    let context = StageContext()
    #expect(try stage("filter-points", ["method": "opacity"]).run(points, in: context) == points)
    #expect(context.warnings.contains { $0.contains("no opacity") })
    var parameters = FilterPoints.Parameters()
    parameters.minimumOpacity = 0.5
    #expect(parameters.faults() == ["'minimumOpacity' needs the method 'opacity'"])
  }

  @Test func `a box keeps the splats within, with all of their numbers`() throws {
    let crop = try stage("crop", ["max": [0, 0, 0]])
    let cloud = scene.pointClouds[0]
    let inside = cloud.positions.indices.filter { cloud.positions[$0].simd.max() <= 0 }
    #expect(!inside.isEmpty)
    #expect(
      try crop.run(scene, in: StageContext()).pointClouds[0] == cloud.selecting(points: inside))
  }

  @Test func `stages that would make something else of splats object, and others don't`() throws {
    let objecting = builtInStages.map { $0.name }.filter {
      (try? stage($0).objectionToSplats) != nil
    }
    #expect(objecting == ["bake-colors", "compute-normals", "reconstruct-surface", "weld"])
    #expect(try stage("thin-points", ["representative": "mean"]).objectionToSplats != nil)
  }

  @Test(arguments: [
    "decimate", "fill-holes", "flatten", "remesh", "remove-fragments", "sample-points", "smooth",
  ])
  func `stages for faces refuse splats alone, and leave those beside a mesh as they are`(
    name: String
  ) throws {
    let stage = try stage(name)
    #expect(throws: RefusedSplats.self) { try stage.run(scene, in: StageContext()) }
    var both = scene
    both.meshes = [MeshFixtures.sphere()]
    let result = try stage.run(both, in: StageContext())
    #expect(result.pointClouds[0] == scene.pointClouds[0])
  }

  @Test func `a stretch is told where colours depend on the direction`() throws {
    for (degree, options, count) in [
      (3, ["stretch": [1, 2, 1]], 1), (0, ["stretch": [1, 2, 1]], 0),
      (3, ["stretch": [-1, 1, 1]], 0), (3, ["scale": 2], 0),
    ] as [(Int, [String: JSONValue], Int)] {
      let context = StageContext()
      let scene = Scene(pointClouds: [SplatFixtures.cloud(3, degree: degree)])
      _ = try stage("transform", options).run(scene, in: context)
      #expect(context.warnings.count == count)
    }
  }

  @Test func `merged splats have the highest degree, and plain points among them are refused`()
    throws
  {
    let parts = [SplatFixtures.cloud(3, degree: 1), SplatFixtures.cloud(4, degree: 2, seed: 3)]
    let merged = try stage("merge").run(Scene(pointClouds: parts), in: StageContext())
    let cloud = try #require(merged.pointClouds.first)
    #expect(cloud.splatForm?.degree == 2 && cloud.positions.count == 7)
    for direction in SplatFixtures.directions {
      let color = SplatFixtures.color(2, of: parts[0], along: direction)
      #expect((SplatFixtures.color(2, of: cloud, along: direction) - color).length < 1e-9)
    }
    var mixed = Scene(pointClouds: [parts[0], PointCloud(name: "scan", positions: [.zero])])
    mixed.pointClouds[1].colors = [.white]
    #expect(throws: MixedSplats.self) { try stage("merge").run(mixed, in: StageContext()) }
    let context = StageContext()
    let plain = try stage("merge", ["missing": "drop"]).run(mixed, in: context)
    #expect(plain.splatCount == 0 && plain.pointClouds[0].colors?.count == 4)
    #expect(context.warnings.contains { $0.contains("become plain points") })
  }
}
