import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct MergeTests {
  private func merged(
    _ scene: Scene, missing: Merge.Missing = .fill, context: StageContext = StageContext()
  ) throws -> Scene {
    var parameters = Merge.Parameters()
    parameters.missing = missing
    return try Merge(parameters).run(scene, in: context)
  }

  @Test func `faces keep their places`() throws {
    let cube = MeshFixtures.cube
    let torus = MeshFixtures.torus()
    let result = try merged(Scene(meshes: [cube, torus]))
    #expect(result.meshes.count == 1)
    #expect(result.meshes[0].vertexCount == cube.vertexCount + torus.vertexCount)
    #expect(abs(result.meshes[0].volume - cube.volume - torus.volume) < 1e-6)
    #expect(result.meshes[0].normals == nil)
  }

  @Test func `attributes that only some have are filled`() throws {
    let scene = MeshFixtures.sceneWithEverything
    let result = try merged(scene)
    let mesh = result.meshes[0]
    let first = scene.meshes[0]
    #expect(mesh.colors == (first.colors ?? []) + [Color](repeating: .white, count: 8))
    #expect(
      mesh.classes?.labels == (first.classes?.labels ?? []) + [UInt16](repeating: 0, count: 12))
    #expect(mesh.faceMaterials?.suffix(12) == [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2])
    #expect(result.materials.count == 3)
    #expect(mesh.textureCoordinates?.count == mesh.cornerCount)
    let normals = try #require(mesh.normals)
    #expect(normals.allSatisfy { abs($0.simd.length - 1) < 1e-6 })
  }

  @Test func `or dropped, with a warning each`() throws {
    let context = StageContext()
    let result = try merged(MeshFixtures.sceneWithEverything, missing: .drop, context: context)
    #expect(result.meshes[0].colors == nil)
    #expect(result.meshes[0].classes == nil)
    #expect(result.materials.count == 2)
    #expect(context.warnings.count == 12)
    #expect(
      context.warnings.contains("only some of the meshes have classification: dropped from all"))
  }

  @Test func `classes are united by name`() throws {
    var one = MeshFixtures.grid(columns: 1, rows: 1)
    one.classes = FaceClasses(labels: [0, 1], names: ["sofa", "floor"])
    var other = one
    other.classes = FaceClasses(labels: [0, 1], names: ["floor", "lamp"])
    let classes = try #require(try merged(Scene(meshes: [one, other])).meshes[0].classes)
    #expect(classes.labels.map { classes.names[Int($0)] } == ["sofa", "floor", "floor", "lamp"])
  }

  @Test func `point clouds are merged too`() throws {
    var scene = MeshFixtures.sceneWithEverything
    scene.pointClouds.append(PointCloud(positions: [Vector3(9, 9, 9)]))
    let result = try merged(scene)
    #expect(result.pointClouds.count == 1)
    #expect(result.pointCount == scene.pointCount)
    #expect(result.pointClouds[0].colors?.last == .white)
    #expect(result.pointClouds[0].classes?.labels.last == 0)
  }
}
