import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import SurfaceKernels
import Testing

@Suite struct ReconstructSurfaceTests {
  private func reconstructed(
    _ cloud: PointCloud, meshes: [Mesh] = [], in context: StageContext = StageContext(),
    _ change: (inout ReconstructSurface.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = ReconstructSurface.Parameters()
    parameters.voxelSize = Length(meters: 0.1)
    change(&parameters)
    return try ReconstructSurface(parameters).run(
      Scene(meshes: meshes, pointClouds: [cloud]), in: context)
  }

  private static func closed(_ parameters: inout ReconstructSurface.Parameters) {
    parameters.trim = Length(meters: 0)
  }

  /// Random points on a sphere of radius 1.
  private func sphere(_ count: Int = 4000, at center: SIMD3<Float> = .zero) -> PointCloud {
    var random = SeededGenerator(seed: 3)
    var cloud = PointCloud(name: "sphere")
    cloud.normals = []
    while cloud.positions.count < count {
      let place = SIMD3<Float>.random(in: -1...1, using: &random)
      guard place.length > 0.1, place.length < 1 else { continue }
      cloud.positions.append(Vector3(place.normalized + center))
      cloud.normals?.append(Vector3(place.normalized))
    }
    return cloud
  }

  /// Points of a square of edge 2, 4 cm apart, seen from above.
  private var square: PointCloud {
    var cloud = PointCloud(name: "square")
    for y in 0..<50 {
      for x in 0..<50 {
        cloud.positions.append(Vector3(Float(x) * 0.04 - 0.98, Float(y) * 0.04 - 0.98, 0))
      }
    }
    cloud.normals = cloud.positions.map { _ in Vector3(0, 0, 1) }
    return cloud
  }

  private func expectClosed(_ mesh: Mesh, components: Int = 1) -> MeshHealth {
    let health = MeshHealth(mesh)
    #expect(health.boundaryEdges == 0)
    #expect(health.nonManifoldEdges == 0)
    #expect(health.inconsistentEdges == 0)
    #expect(health.components == components)
    return health
  }

  @Test func `a sphere is closed, wound to the outside and where its points are`() throws {
    let scene = try reconstructed(sphere(), Self.closed)
    let mesh = try #require(scene.meshes.first)
    #expect(scene.pointClouds.isEmpty)
    #expect(mesh.name == "sphere")
    let health = expectClosed(mesh)
    #expect(health.nonManifoldVertices == 0)
    let volume = 4 * Double.pi / 3
    #expect(abs(health.volume - volume) < 0.01 * volume)
    let normals = try #require(mesh.normals)
    for (position, normal) in zip(mesh.positions, normals) {
      // A tenth of a cell.
      #expect(abs(position.simd.length - 1) < 0.01)
      #expect(normal.simd.dot(position.simd.normalized) > 0.97)
    }
  }

  @Test func `noise is evened out`() throws {
    var random = SeededGenerator(seed: 8)
    var cloud = sphere(8000)
    for point in cloud.positions.indices {
      cloud.positions[point].simd *= 1 + Float.random(in: -0.05...0.05, using: &random)
    }
    let mesh = try #require(try reconstructed(cloud, Self.closed).meshes.first)
    let errors: [Float] = mesh.positions.map { abs($0.simd.length - Float(1)) }
    // Of the points it is 0.025.
    #expect(errors.reduce(0, +) / Float(errors.count) < 0.01)
  }

  @Test func `exact points are followed, and scattered ones give one piece`() throws {
    // A box has edges that a smooth surface rounds off.
    var random = SeededGenerator(seed: 5)
    var box = PointCloud()
    box.normals = []
    for point in 0..<8000 {
      var place = SIMD3<Float>.random(in: -1...1, using: &random)
      var normal = SIMD3<Float>.zero
      normal[point % 3] = point % 2 == 0 ? 1 : -1
      place.replace(with: normal, where: normal .!= 0)
      box.positions.append(Vector3(place))
      box.normals?.append(Vector3(normal))
    }
    let sharp = try #require(try reconstructed(box, Self.closed).meshes.first)
    let errors: [Float] = sharp.positions.map { abs(max(abs($0.x), abs($0.y), abs($0.z)) - 1) }
    // With the same weight for all points it is 0.0037.
    #expect(errors.reduce(0, +) / Float(errors.count) < 0.003)
    // Points within one and a half cells; the same weight as that of exact ones would give many pieces.
    var cloud = sphere(8000)
    for point in cloud.positions.indices {
      cloud.positions[point].simd *= 1 + Float.random(in: -0.15...0.15, using: &random)
    }
    let smooth = try #require(try reconstructed(cloud, Self.closed).meshes.first)
    _ = expectClosed(smooth)
    let distances: [Float] = smooth.positions.map { abs($0.simd.length - Float(1)) }
    #expect(distances.reduce(0, +) / Float(distances.count) < 0.0125)
  }

  @Test func `cells fit noisy points around planes of the grid`() throws {
    // In a box of edge 2, halves, quarters and so on of 25 cm are boundaries of cells: of 31 mm, not of 63.
    var random = SeededGenerator(seed: 6)
    var cloud = PointCloud()
    cloud.normals = []
    for point in 0..<40_000 {
      var place = SIMD3<Float>.random(in: -1...1, using: &random)
      if point > 1 { place.z = 0.03125 + Float.random(in: -0.004...0.004, using: &random) }
      if point < 2 { place = SIMD3(repeating: point == 0 ? -1 : 1) }
      cloud.positions.append(Vector3(place))
      cloud.normals?.append(Vector3(0, 0, 1))
    }
    let context = StageContext()
    _ = try reconstructed(cloud, in: context) { $0.voxelSize = nil }
    let note = try #require(context.notes.first { $0.key == "cellMillimeters" }?.value)
    // There is a point for each square centimetre.
    #expect(try #require(note.number) < 25)
  }

  /// For points without noise.
  private static let settings = PoissonReconstruction.Settings(
    cell: nil, pointWeight: 4, trimming: SurfaceTrimming(reach: .spacings, leastDense: 0))

  @Test func `cells are wider where they would be too many, unless a width is asked for`() throws {
    let cloud = sphere(12_000)
    let normals = try #require(cloud.normals)
    func surface(
      _ change: (inout PoissonReconstruction.Settings) -> Void
    ) throws -> PoissonReconstruction.Surface {
      var settings = Self.settings
      change(&settings)
      let reconstruction = PoissonReconstruction(settings)
      return try reconstruction.surface(of: cloud.positions, normals: normals) { _ in }
    }
    let usual = try surface { _ in }
    let wide = try surface { $0.mostBlocks = 100 }
    #expect(wide.cell > 1.2 * usual.cell)
    #expect(usual.finerCell == nil && wide.finerCell == usual.cell)
    #expect(MeshHealth(wide.mesh).boundaryEdges == 0)
    #expect(throws: PoissonReconstruction.Failure.self) {
      try surface { ($0.mostBlocks, $0.cell) = (100, usual.cell) }
    }
  }

  @Test func `what is trimmed is the same whether or not it was extracted`() throws {
    for trim in [0.12, 0.3] {
      let part = try reconstructed(square) {
        $0.voxelSize = Length(meters: 0.04)
        $0.trim = Length(meters: trim)
      }.meshes[0]
      // A share of all vertices needs all of them; so small a one has only those without any density.
      let whole = try reconstructed(square) {
        $0.voxelSize = Length(meters: 0.04)
        $0.trim = Length(meters: trim)
        $0.trimShare = 1e-9
      }.meshes[0]
      #expect(part.positions == whole.positions)
      #expect(part.indices == whole.indices)
      #expect(part.normals == whole.normals)
    }
  }

  @Test func `the sides of a thin plate are not taken for noise`() throws {
    // Two cells thick, with normals that are off by about a degree; taken for noise, the error is twice as large.
    var random = SeededGenerator(seed: 9)
    var plate = PointCloud()
    plate.normals = []
    for point in 0..<4_000 {
      let side: Float = point % 2 == 0 ? 1 : -1
      let place = SIMD2<Float>.random(in: -1...1, using: &random)
      let off = SIMD2<Float>.random(in: -0.03...0.03, using: &random)
      plate.positions.append(Vector3(place.x, place.y, side * 0.05))
      plate.normals?.append(Vector3(SIMD3(off, side).normalized))
    }
    let mesh = try reconstructed(plate) { $0.voxelSize = Length(meters: 0.05) }.meshes[0]
    let inner = mesh.positions.filter { max(abs($0.x), abs($0.y)) < 0.8 }
    let errors: [Float] = inner.map { abs(abs($0.z) - 0.05) }
    #expect(errors.reduce(0, +) / Float(max(1, errors.count)) < 0.0007)
  }

  @Test func `cells are wider where the surface between the points has too many`() throws {
    // Two squares far apart need few cells, and the plane between them, which is closed, needs many.
    var cloud = PointCloud()
    for x in 0..<20 {
      for y in 0..<20 {
        for place: Float in [0, 5] {
          cloud.positions.append(Vector3(place + Float(x) * 0.02, Float(y) * 0.02, 0))
        }
      }
    }
    let normals = cloud.positions.map { _ in Vector3(0, 0, 1) }
    var settings = Self.settings
    (settings.trimming.reach, settings.mostBlocks) = (.unlimited, 400)
    var shares: [Double] = []
    let surface = try PoissonReconstruction(settings).surface(
      of: cloud.positions, normals: normals
    ) { shares.append($0) }
    #expect(surface.cell > 0.03 && surface.cell < 0.2)
    #expect(shares == shares.sorted() && shares.last == 1)
    settings.cell = 0.02
    #expect(throws: PoissonReconstruction.Failure.self) {
      try PoissonReconstruction(settings).surface(
        of: cloud.positions, normals: normals
      ) { _ in }
    }
  }

  @Test func `a torus keeps its hole`() throws {
    var random = SeededGenerator(seed: 4)
    var cloud = PointCloud()
    cloud.normals = []
    for _ in 0..<5000 {
      let around = Float.random(in: 0..<2 * .pi, using: &random)
      let across = Float.random(in: 0..<2 * .pi, using: &random)
      let ring = SIMD3(cos(around), 0, sin(around))
      let normal = ring * cos(across) + SIMD3(0, sin(across), 0)
      cloud.positions.append(Vector3(ring + normal * 0.4))
      cloud.normals?.append(Vector3(normal))
    }
    let mesh = try #require(try reconstructed(cloud, Self.closed).meshes.first)
    _ = expectClosed(mesh)
    // Euler's characteristic of a torus.
    #expect(2 * mesh.vertexCount - mesh.faceCount == 0)
    for position in mesh.positions {
      let ring: Float = (position.x * position.x + position.z * position.z).squareRoot() - 1
      let tube: Float = (ring * ring + position.y * position.y).squareRoot()
      #expect(abs(tube - 0.4) < 0.02)
    }
  }

  @Test func `an open surface ends a little beyond its points`() throws {
    let mesh = try #require(try reconstructed(square).meshes.first)
    let health = MeshHealth(mesh)
    #expect(health.boundaryLoops.count == 1)
    #expect(health.nonManifoldEdges == 0)
    let box = mesh.bounds
    #expect(box.minimum.x > -1.35 && box.minimum.x < -0.95)
    #expect(box.maximum.y < 1.35 && box.maximum.y > 0.95)
    for position in mesh.positions where max(abs(position.x), abs(position.y)) < 0.9 {
      #expect(abs(position.z) < 0.005)
    }
    let narrow = try reconstructed(square) { $0.trim = Length(meters: 0.06) }.meshes[0].bounds
    #expect(narrow.maximum.x < 1.05 && narrow.maximum.x > 0.9)
    let closed = try reconstructed(square, Self.closed).meshes[0]
    let part = try reconstructed(square) {
      Self.closed(&$0)
      $0.trimShare = 0.3
    }.meshes[0]
    #expect(Double(part.vertexCount) <= 0.7 * Double(closed.vertexCount))
    // The square has 2,500 points, and a cell six of them.
    #expect(part.vertexCount > 400)
  }

  @Test func `colours, classes and other attributes are those of the points there`() throws {
    var cloud = sphere()
    cloud.colors = cloud.positions.map { $0.z > 0 ? .white : Color(red: 0, green: 0, blue: 255) }
    cloud.classes = FaceClasses(
      labels: cloud.positions.map { $0.z > 0 ? 1 : 2 }, names: ["none", "up", "down"])
    cloud.confidences = cloud.positions.map { _ in 2 }
    cloud.attributes = [CustomAttribute("height", values: .float32(cloud.positions.map(\.z)))]
    let mesh = try #require(try reconstructed(cloud).meshes.first)
    let heights = try #require(mesh.vertexAttributes["height"]).values.doubles
    #expect(mesh.classes?.names == ["none", "up", "down"])
    for (vertex, position) in mesh.positions.enumerated() {
      #expect(abs(heights[vertex] - Double(position.z)) < 0.15)
      #expect(mesh.confidences?[vertex] == 2)
      guard abs(position.z) > 0.15 else { continue }
      #expect(mesh.colors?[vertex].red == (position.z > 0 ? 255 : 0))
    }
    for face in 0..<mesh.faceCount {
      let z = mesh.positions[Int(mesh.indices[3 * face])].z
      guard abs(z) > 0.3 else { continue }
      #expect(mesh.classes?.labels[face] == (z > 0 ? 1 : 2))
    }
  }

  @Test func `cells fit the spacing of the points, or the depth that is asked for`() throws {
    func cell(
      of count: Int = 4000, _ change: (inout ReconstructSurface.Parameters) -> Void
    ) throws -> Double {
      let context = StageContext()
      _ = try reconstructed(sphere(count), in: context, change)
      let note = try #require(context.notes.first { $0.key == "cellMillimeters" }?.value)
      guard case .number(let value) = note.content else { return 0 }
      return value
    }
    // 318 points for each square metre.
    let automatic = try cell { $0.voxelSize = nil }
    #expect(automatic > 40 && automatic < 120)
    let deep = try cell { ($0.voxelSize, $0.depth) = (nil, 4) }
    #expect(abs(deep - 2.2 / 16 * 1000) < 1)
    // Too deep for the points: wider cells show as much.
    #expect(try cell(of: 500) { ($0.voxelSize, $0.depth) = (nil, 16) } > 20)
    var both = ReconstructSurface.Parameters()
    (both.voxelSize, both.depth) = (Length(meters: 1), 5)
    #expect(both.faults().count == 1)
  }

  @Test func `any number of threads gives the same surface`() throws {
    let cloud = sphere(2000)
    let one = try Parallel.withThreads(1) { try reconstructed(cloud) }
    #expect(try reconstructed(cloud) == one)
  }

  @Test func `points that are no use are left out with a warning`() throws {
    var cloud = sphere(3000)
    cloud.positions += [Vector3(.nan, 0, 0), Vector3(0, .infinity, 0), Vector3(0, 0, 0)]
    cloud.normals? += [Vector3(1, 0, 0), Vector3(1, 0, 0), .zero]
    cloud.positions += cloud.positions[..<100]
    let again = cloud.normals?[..<100] ?? []
    cloud.normals? += again
    let context = StageContext()
    let mesh = try reconstructed(cloud, in: context, Self.closed).meshes[0]
    #expect(context.warnings.contains { $0.contains("3 points") })
    _ = expectClosed(mesh)
  }

  @Test func `places far from the origin keep their surface`() throws {
    let center = SIMD3<Float>(4000, -2000, 1000)
    let mesh = try reconstructed(sphere(at: center), Self.closed).meshes[0]
    _ = expectClosed(mesh)
    for position in mesh.positions {
      #expect(abs((position.simd - center).length - 1) < 0.015)
    }
  }

  @Test func `points without a surface are refused with advice`() {
    typealias Failure = ReconstructSurface.Failure
    var bare = sphere(10)
    bare.normals = nil
    #expect(throws: Failure.noNormals(cloud: "sphere")) { try reconstructed(bare) }
    #expect(Failure.noNormals(cloud: "").message.contains("compute-normals"))
    var flat = sphere(10)
    flat.normals = flat.normals?.map { _ in .zero }
    #expect(throws: Failure.tooFewPoints(cloud: "sphere")) { try reconstructed(flat) }
    #expect(throws: Failure.tooFewPoints(cloud: "sphere")) { try reconstructed(sphere(1)) }
    #expect(throws: Failure.self) {
      try reconstructed(sphere(10)) { $0.voxelSize = Length(meters: 1e-9) }
    }
  }

  @Test func `meshes stay, and alone are answered by advice`() throws {
    let context = StageContext()
    let scene = try reconstructed(sphere(2000), meshes: [MeshFixtures.cube], in: context)
    #expect(scene.meshes.count == 2 && scene.meshes[0] == MeshFixtures.cube)
    let alone = StageContext()
    let parameters = ReconstructSurface.Parameters()
    let unchanged = try ReconstructSurface(parameters).run(
      Scene(meshes: [MeshFixtures.cube]), in: alone)
    #expect(unchanged.meshes == [MeshFixtures.cube])
    #expect(alone.warnings.contains { $0.contains("sample-points") })
  }
}
