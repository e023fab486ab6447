import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct WeldTests {
  private func welded(
    _ mesh: Mesh, tolerance: Double = 0, normals: Weld.Normals = .average
  ) throws -> Mesh {
    var parameters = Weld.Parameters()
    parameters.tolerance = .length(Length(meters: tolerance))
    parameters.normals = normals
    return try Weld(parameters).run(Scene(meshes: [mesh]), in: StageContext()).meshes[0]
  }

  @Test func `a soup becomes the mesh that it was`() throws {
    let grid = MeshFixtures.grid(columns: 4, rows: 3)
    let result = try welded(MeshFixtures.soup(of: grid))
    #expect(result.vertexCount == 20)
    #expect(result.faceCount == 24)
    #expect(
      result.indices.map { result.positions[Int($0)] }
        == grid.indices.map { grid.positions[Int($0)] })
  }

  @Test func `a tolerance as a share follows the size of the scene`() throws {
    for size in [Float(0.01), 100] {
      // Two triangles whose common edge is apart by a thousandth of their extent.
      let soup = Mesh(
        positions: [
          Vector3(0, 0, 0), Vector3(size, 0, 0), Vector3(0, 0, size),
          Vector3(size * 1.0, size * 0.001, 0), Vector3(size, 0, size), Vector3(0, 0, size),
        ], indices: [0, 1, 2, 3, 4, 5])
      for (share, count) in [(0.0005, 5), (0.002, 4)] {
        var parameters = Weld.Parameters()
        parameters.tolerance = .fraction(share)
        let result = try Weld(parameters).run(Scene(meshes: [soup]), in: StageContext())
        #expect(result.meshes[0].vertexCount == count, "\(size), \(share)")
      }
    }
  }

  @Test func `zeros of both signs are the same place`() throws {
    let mesh = Mesh(
      positions: [Vector3(0, 0, 0), Vector3(-0.0, 0, -0.0), Vector3(1, 0, 0), Vector3(0, 1, 0)],
      indices: [0, 2, 3, 1, 3, 2])
    #expect(try welded(mesh).vertexCount == 3)
  }

  @Test(arguments: [UInt64](1...8))
  func `all pairs within the tolerance are found, and no vertex moves farther`(seed: UInt64) throws
  {
    var random = SeededGenerator(seed: seed)
    let tolerance: Float = [0.003, 0.01, 0.05, 0.2][Int(seed % 4)]
    let scale: Float = seed > 4 ? 1 : 1000
    let cloud = PointCloud(
      positions: (0..<400).map { _ in
        Vector3(
          Float.random(in: -1...1, using: &random) * scale,
          Float.random(in: -1...1, using: &random) * scale, 0)
      })
    var parameters = Weld.Parameters()
    parameters.tolerance = .length(Length(meters: Double(tolerance * scale)))
    let weld = Weld(parameters)
    let once = try weld.run(Scene(pointClouds: [cloud]), in: StageContext())
    let left = once.pointClouds[0].positions
    let limit = Double(tolerance * scale)
    for (index, point) in left.enumerated() {
      for other in left[(index + 1)...] {
        #expect((point.double - other.double).length > limit)
      }
    }
    for point in cloud.positions {
      #expect(left.contains { ($0.double - point.double).length <= limit })
    }
    #expect(try weld.run(once, in: StageContext()) == once)
  }

  @Test func `a chain of near vertices does not collapse into one`() throws {
    let cloud = PointCloud(positions: (0..<10).map { Vector3(Float($0), 0, 0) })
    var parameters = Weld.Parameters()
    parameters.tolerance = .length(Length(meters: 1))
    let result = try Weld(parameters).run(Scene(pointClouds: [cloud]), in: StageContext())
    #expect(result.pointClouds[0].positions.map(\.x) == [0, 2, 4, 6, 8])
  }

  @Test func `attributes of joined vertices are averaged`() throws {
    var mesh = MeshFixtures.soup(of: MeshFixtures.bowTie)
    // The vertices of the knot are the soup's 0 and 3.
    mesh.normals = [Vector3](repeating: Vector3(0, 1, 0), count: 6)
    mesh.normals?[3] = Vector3(1, 0, 0)
    mesh.colors = [Color](repeating: .white, count: 6)
    mesh.colors?[3] = Color(red: 0, green: 100, blue: 254, alpha: 255)
    mesh.confidences = [2, 0, 0, 1, 0, 0]
    let average = try welded(mesh)
    #expect(average.vertexCount == 5)
    #expect(average.normals?[0] == Vector3(SIMD3<Float>(1, 1, 0).normalized))
    #expect(average.colors?[0] == Color(red: 128, green: 178, blue: 255))
    #expect(average.confidences?[0] == 1.5)
    #expect(average.cornerNormals == nil)
    let kept = try welded(mesh, normals: .keep)
    #expect(kept.cornerNormals == mesh.normals)
  }

  @Test func `faces that lose an edge go, with their attributes`() throws {
    var mesh = MeshFixtures.allAttributes
    mesh.positions[1] = mesh.positions[0]
    let result = try welded(mesh)
    #expect(result.faceCount == mesh.faceCount - 1)
    #expect(result.classes?.labels.count == result.faceCount)
    #expect(result.textureCoordinates == Array(mesh.textureCoordinates?.dropFirst(3) ?? []))
  }

  @Test func `the tolerance is in metres whatever the unit`() throws {
    var scene = Scene(pointClouds: [PointCloud(positions: [Vector3(0, 0, 0), Vector3(1, 0, 0)])])
    scene.coordinateSystem.metersPerUnit = 0.001
    var parameters = Weld.Parameters()
    parameters.tolerance = .length(Length(meters: 0.001))
    #expect(try Weld(parameters).run(scene, in: StageContext()).pointCount == 1)
  }
}
