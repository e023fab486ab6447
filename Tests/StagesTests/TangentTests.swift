import MeshPipeline
import MeshTestSupport
import Stages
import SurfaceKernels
import Testing

/// Tangents and the second set of texture coordinates in stages.
@Suite struct TangentTests {
  private var cube: Mesh {
    var mesh = MeshFixtures.cube
    mesh.addTangentSpace()
    return mesh
  }

  private var grid: Mesh {
    var mesh = MeshFixtures.grid(columns: 8, rows: 6)
    mesh.addTangentSpace()
    return mesh
  }

  private func run(_ stage: some Stage, on mesh: Mesh) throws -> Mesh {
    let scene = try stage.run(Scene(meshes: [mesh]), in: StageContext())
    let result = try #require(scene.meshes.first)
    try result.validate(materialCount: scene.materials.count)
    return result
  }

  @Test func `directions are mixed to a unit vector, and the side is that of the greater weight`() {
    let (a, b) = (Tangent(SIMD3(1, 0, 0), w: 1), Tangent(SIMD3(0, 0, 1), w: -1))
    let half = Float(0.5).squareRoot()
    #expect(Tangent.mix(a, b, share: 0) == a)
    #expect(Tangent.mix(a, b, share: 0.25).w == 1)
    #expect(Tangent.mix(a, b, share: 0.75).w == -1)
    let middle = Tangent.mix(a, b, share: 0.5)
    #expect((middle.direction - SIMD3(half, 0, half)).length < 1e-6)
    #expect(middle.w == 1)
    let opposite = Tangent(SIMD3(-1, 0, 0), w: 1)
    #expect(Tangent.mix(a, opposite, share: 0.5) == a)
    let mean = Tangent.mix(a, b, b, weights: SIMD3(0.4, 0.3, 0.3), fallback: .none)
    #expect(mean.w == -1)
    #expect(abs(mean.direction.length - 1) < 1e-6)
  }

  @Test(arguments: [
    Transform(scale: SIMD3(-1, 1, 1)), Transform(scale: SIMD3(2, 2, 2)),
    Transform(scale: SIMD3(1, 3, -0.5)),
    Transform(x: SIMD3(0, 1, 0), y: SIMD3(1, 0, 0), z: SIMD3(0, 0, 1)),
    Transform(x: SIMD3(0.6, 0, -0.8), y: SIMD3(0, 1, 0), z: SIMD3(0.8, 0, 0.6)),
    Transform(x: SIMD3(1, 0.5, 0), y: SIMD3(0, -1, 0.2), z: SIMD3(0.3, 0, 1)),
  ])
  func `tangents follow the surface, in mirrors too`(transform: Transform) {
    var mesh = cube
    #expect(mesh.tangentError < 1e-5)
    mesh.apply(transform)
    #expect(mesh.tangentError < 1e-5)
    #expect(mesh.tangents?.allSatisfy { abs($0.direction.length - 1) < 1e-5 } == true)
    let isMirror = transform.determinant < 0
    #expect(mesh.tangents?.map(\.w).reduce(0, +) == (isMirror ? -1 : 1) * side(of: cube))
  }

  private func side(of mesh: Mesh) -> Float { mesh.tangents?.map(\.w).reduce(0, +) ?? 0 }

  @Test func `a translation changes no bit`() {
    var mesh = cube
    mesh.apply(Transform(translation: SIMD3(0.1, 0.2, 0.3)))
    #expect(mesh.tangents == cube.tangents)
  }

  @Test func `bitangents stay where faces are turned over`() {
    let flipped = (0..<12).map { $0 % 3 == 0 }
    var mesh = cube
    mesh.reverseFaces(flipped)
    for corner in mesh.indices.indices where flipped[corner / 3] {
      // Their normals point outward still, and would be turned for nothing.
      let normal = mesh.cornerNormals?[corner].simd ?? .zero
      mesh.cornerNormals?[corner] = Vector3(-normal)
      mesh.tangents?[corner].w.negate()
    }
    #expect(mesh.tangentError < 1e-5)
    mesh.flipFaces(flipped)
    #expect(mesh == cube)

    var sheet = grid
    sheet.normals = sheet.positions.map { _ in Vector3(0, 1, 0) }
    sheet.cornerNormals = nil
    var under = sheet
    under.flipFaces([Bool](repeating: true, count: under.faceCount))
    #expect(under.normals?[0] == Vector3(0, -1, 0))
    #expect(under.tangentError < 1e-5)
    #expect(side(of: under) == -side(of: sheet))
  }

  @Test func `selected faces keep theirs`() {
    var mesh = grid
    mesh.keepFaces((0..<mesh.faceCount).map { $0 % 3 == 1 })
    #expect(mesh.tangents?.count == mesh.cornerCount)
    #expect(mesh.tangentError < 1e-5)
    #expect(mesh.secondSetError == 0)
  }

  @Test func `a cut interpolates along edges`() throws {
    var parameters = Crop.Parameters()
    parameters.min = LengthVector(meters: SIMD3(0.3, -1, 0.7))
    parameters.max = LengthVector(meters: SIMD3(6.6, 1, 4.1))
    parameters.mode = .cut
    let mesh = try run(Crop(parameters), on: grid)
    #expect(mesh.bounds.minimum.x == 0.3)
    #expect(mesh.tangentError < 1e-4)
    #expect(mesh.secondSetError < 1e-5)
  }

  @Test(arguments: Decimate.Quality.allCases)
  func `decimate moves them to their new places`(quality: Decimate.Quality) throws {
    var parameters = Decimate.Parameters()
    parameters.faces = .count(20)
    parameters.quality = quality
    // Not flat, so that vertices move; the field is of the place on the surface before.
    var mesh = MeshFixtures.grid(columns: 8, rows: 6)
    for vertex in mesh.positions.indices {
      mesh.positions[vertex].y = 0.02 * Float(vertex * 7 % 5)
    }
    mesh.addTangentSpace()
    // One direction for the whole sheet, so that no seam keeps vertices where they are.
    mesh.cornerNormals = mesh.indices.map { _ in Vector3(0, 1, 0) }
    mesh.tangents = mesh.indices.map { _ in Tangent(SIMD3(1, 0, 0), w: -1) }
    let result = try run(Decimate(parameters), on: mesh)
    #expect(result.faceCount <= 20)
    #expect(result.secondSetError < 0.2)
    #expect(result.tangents == result.indices.map { _ in Tangent(SIMD3(1, 0, 0), w: -1) })
  }

  @Test func `merge fills in none, or drops them`() throws {
    let scene = Scene(meshes: [cube, MeshFixtures.cube])
    let filled = try Merge(Merge.Parameters()).run(scene, in: StageContext()).meshes[0]
    let none = [Tangent](repeating: .none, count: 36)
    #expect(filled.tangents == (cube.tangents ?? []) + none)
    #expect(
      filled.secondTextureCoordinates
        == (cube.secondTextureCoordinates ?? []) + [Vector2](repeating: .zero, count: 36))
    var parameters = Merge.Parameters()
    parameters.missing = .drop
    let context = StageContext()
    let dropped = try Merge(parameters).run(scene, in: context).meshes[0]
    #expect(dropped.tangents == nil && dropped.secondTextureCoordinates == nil)
    #expect(context.warnings.count == 4)
    #expect(context.warnings.contains { $0.contains("tangents") })
  }

  @Test func `tangents go with the normals that they belong to, the second set stays`() throws {
    let mesh = try run(ComputeNormals(ComputeNormals.Parameters()), on: cube)
    #expect(mesh.tangents == nil)
    #expect(mesh.secondTextureCoordinates == cube.secondTextureCoordinates)
  }
}
