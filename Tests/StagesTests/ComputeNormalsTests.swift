import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct ComputeNormalsTests {
  private func computed(
    _ mesh: Mesh, weight: ComputeNormals.Weight = .area, creaseAngle: Double? = nil
  ) throws -> Mesh {
    var parameters = ComputeNormals.Parameters()
    parameters.weight = weight
    parameters.creaseAngle = creaseAngle.map { Angle(degrees: $0) }
    return try ComputeNormals(parameters).run(Scene(meshes: [mesh]), in: StageContext()).meshes[0]
  }

  @Test(arguments: [ComputeNormals.Weight.area, .angle])
  func `the normals of a sphere point away from its centre`(weight: ComputeNormals.Weight) throws {
    let sphere = MeshFixtures.sphere(segments: 48, rings: 24)
    let normals = try #require(try computed(sphere, weight: weight).normals)
    for (normal, position) in zip(normals, sphere.positions) {
      #expect(abs(normal.simd.length - 1) < 1e-6)
      #expect(normal.simd.dot(position.simd) > 0.999)
    }
  }

  @Test func `by angle, a cube's corners look along its diagonals`() throws {
    // By area they do not: a corner has one or two triangles of each side.
    let cube = MeshFixtures.cube
    let normals = try #require(try computed(cube, weight: .angle).normals)
    for (normal, position) in zip(normals, cube.positions) {
      let diagonal = (position.simd - SIMD3(repeating: 0.5)).normalized
      #expect((normal.simd - diagonal).length < 1e-6)
    }
  }

  @Test func `by area, a face counts as much as it is large`() throws {
    // Two right triangles at one vertex: area 2 facing Z, area 0.5 facing X.
    let mesh = Mesh(
      positions: [
        Vector3(0, 0, 0), Vector3(2, 0, 0), Vector3(0, 2, 0), Vector3(0, 1, 0), Vector3(0, 0, 1),
      ],
      indices: [0, 1, 2, 0, 3, 4])
    let normal = try #require(try computed(mesh).normals?[0])
    #expect((normal.simd - SIMD3<Float>(0.5, 0, 2).normalized).length < 1e-6)
  }

  @Test func `beyond the crease angle edges stay hard`() throws {
    let cube = MeshFixtures.cube
    let hard = try computed(cube, creaseAngle: 30)
    let normals = try #require(hard.cornerNormals)
    for corner in 0..<cube.cornerCount {
      let (a, b, c) = cube.vertices(ofFace: corner / 3)
      let origin = cube.positions[Int(a)].simd
      let normal = (cube.positions[Int(b)].simd - origin).cross(
        cube.positions[Int(c)].simd - origin)
      #expect((normals[corner].simd - normal.normalized).length < 1e-6)
    }
    #expect(try computed(cube, creaseAngle: 100).cornerNormals == nil)
    #expect(
      try computed(MeshFixtures.grid(columns: 3, rows: 3), creaseAngle: 0.5).cornerNormals == nil)
  }

  @Test func `turning the mesh first or afterwards gives the same normals`() throws {
    let turn = Transform(
      x: SIMD3(0.36, 0.48, -0.8), y: SIMD3(-0.8, 0.6, 0), z: SIMD3(0.48, 0.64, 0.6))
    var torus = MeshFixtures.torus()
    var afterwards = try computed(torus)
    afterwards.apply(turn)
    torus.apply(turn)
    let first = try computed(torus)
    for (a, b) in zip(first.normals ?? [], afterwards.normals ?? []) {
      #expect((a.simd - b.simd).length < 1e-5)
    }
  }

  @Test func `a vertex without a direction gets the up axis`() throws {
    var mesh = MeshFixtures.grid(columns: 1, rows: 1)
    mesh.positions.append(Vector3(9, 9, 9))
    #expect(try computed(mesh).normals?.last == Vector3(0, 1, 0))
  }
}
