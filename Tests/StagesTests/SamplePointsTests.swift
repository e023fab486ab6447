import MeshPipeline
import MeshTestSupport
import Stages
import Testing

struct SamplePointsTests {
  private func sampled(
    _ scene: Scene, _ change: (inout SamplePoints.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = SamplePoints.Parameters()
    change(&parameters)
    return try SamplePoints(parameters).run(scene, in: StageContext())
  }

  @Test func `the density is that of every part of the surface`() throws {
    // 24 square metres in the XZ plane, in cells of one.
    let scene = Scene(meshes: [MeshFixtures.grid(columns: 6, rows: 4)])
    let cloud = try #require(try sampled(scene) { $0.density = 400 }.pointClouds.first)
    #expect(abs(cloud.positions.count - 9600) <= 1)
    #expect(cloud.positions.allSatisfy { $0.y == 0 })
    for x in 0..<6 {
      for z in 0..<4 {
        let inCell = cloud.positions.count { Int($0.x) == x && Int($0.z) == z }
        #expect((395...405).contains(inCell), "cell \(x), \(z) has \(inCell)")
      }
    }
    let mean = cloud.positions.reduce(SIMD3<Double>.zero) { $0 + $1.double } / 9600
    #expect(abs(mean.x - 3) < 0.05 && abs(mean.z - 2) < 0.05)
  }

  @Test func `the density is per square metre, whatever the unit`() throws {
    var scene = Scene(meshes: [MeshFixtures.cube])
    scene.coordinateSystem.metersPerUnit = 0.1
    let points = try sampled(scene) { $0.density = 10_000 }.pointCount
    #expect(abs(points - 600) <= 1)
  }

  @Test func `points lie on the faces, with normals, colours and classes of the place`() throws {
    var mesh = MeshFixtures.cube
    mesh.colors = mesh.positions.map { Color(red: $0.x == 0 ? 0 : 200, green: 7, blue: 7) }
    // Each of the six sides is a class of its own.
    mesh.classes = FaceClasses(labels: (0..<12).map { UInt16($0 / 2) })
    mesh.cornerNormals = (0..<36).map { corner in
      let face = corner / 3
      let (a, b, c) = mesh.vertices(ofFace: face)
      let normal = (mesh.positions[Int(b)].double - mesh.positions[Int(a)].double)
        .cross(mesh.positions[Int(c)].double - mesh.positions[Int(a)].double)
      return Vector3(SIMD3<Float>(normal))
    }
    let cloud = try #require(
      try sampled(Scene(meshes: [mesh])) { $0.density = 100 }.pointClouds.first)
    let sides: [SIMD3<Float>] = [
      [0, 0, -1], [0, 0, 1], [0, -1, 0], [0, 1, 0], [-1, 0, 0], [1, 0, 0],
    ]
    let labels = try #require(cloud.classes?.labels)
    for (index, position) in cloud.positions.enumerated() {
      let side = sides[Int(labels[index])]
      let offset = ((position.simd - 0.5) * side).sum()
      #expect(abs(offset - 0.5) < 1e-6)
      #expect(cloud.normals?[index] == Vector3(side))
      let red = try #require(cloud.colors?[index].red)
      #expect(abs(Float(red) - 200 * position.x) <= 0.51)
    }
  }

  @Test func `at the vertices, each vertex in use is one point`() throws {
    var mesh = MeshFixtures.cube
    mesh.positions.append(Vector3(9, 9, 9))
    let scene = try sampled(Scene(meshes: [mesh])) { $0.at = .vertices }
    #expect(scene.meshes.isEmpty)
    #expect(Set(scene.pointClouds[0].positions) == Set(MeshFixtures.cube.positions))
    #expect(scene.pointCount == 8)
  }

  @Test func `another seed gives other points, the same seed the same`() throws {
    let scene = Scene(meshes: [MeshFixtures.cube])
    #expect(try sampled(scene) == sampled(scene))
    #expect(try sampled(scene) != sampled(scene) { $0.seed = 2 })
  }

  @Test func `a density beyond all bounds is an error, not a full memory`() throws {
    let scene = Scene(meshes: [MeshFixtures.cube])
    #expect(throws: SamplePoints.Failure.tooManyPoints(6e9)) {
      _ = try sampled(scene) { $0.density = 1e9 }
    }
  }
}
