import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct SmoothTests {
  private func smoothed(
    _ mesh: Mesh, _ method: Smooth.Method = .bilateral, noise: Double? = nil,
    maximumShift: Double? = nil
  ) throws -> Mesh {
    var parameters = Smooth.Parameters()
    parameters.method = method
    parameters.noise = noise.map { Length(meters: $0) }
    parameters.maximumShift = maximumShift.map { Length(meters: $0) }
    return try Smooth(parameters).run(Scene(meshes: [mesh]), in: StageContext()).meshes[0]
  }

  /// A flat grid of unit cells.
  private let plane = MeshFixtures.grid(columns: 30, rows: 30)

  @Test(arguments: Smooth.Method.allCases)
  func `a noisy plane becomes flatter, and an exact one stays`(method: Smooth.Method) throws {
    let noisy = plane.withNoise(0.1) { _ in SIMD3(0, 1, 0) }
    let result = try smoothed(noisy, method)
    #expect(result.meanHeight < 0.5 * noisy.meanHeight)
    // In the middle, away from the borders, normals are within two degrees in the mean.
    let angles = (0..<result.faceCount).map { acos(min(1, result.areaVector($0).normalized.y)) }
    #expect(angles.reduce(0, +) / Double(angles.count) < 3 * Double.pi / 180)
    #expect(try smoothed(plane, method) == plane)
    let flat = try smoothed(plane, method, noise: 0.1)
    #expect(flat.meanHeight == 0)
  }

  @Test(arguments: Smooth.Method.allCases)
  func `a sphere keeps its volume and becomes rounder`(method: Smooth.Method) throws {
    var sphere = Mesh.cube(cells: 16)
    sphere.positions = sphere.positions.map {
      Vector3(($0.simd - SIMD3(repeating: 8)).normalized)
    }
    let noisy = sphere.withNoise(0.008) { $0.normalized }
    let result = try smoothed(noisy, method, noise: 0.008)
    #expect(abs(result.volume / noisy.volume - 1) < 0.001)
    func deviation(_ mesh: Mesh) -> Double {
      mesh.positions.reduce(0) { $0 + abs($1.double.length - 1) } / Double(mesh.vertexCount)
    }
    #expect(deviation(result) < 0.6 * deviation(noisy))
  }

  @Test(arguments: Smooth.Method.allCases)
  func `a cube keeps its edges`(method: Smooth.Method) throws {
    let cube = Mesh.cube(cells: 12)
    // A vertex on an edge or in a corner moves along the mean of its sides.
    let noisy = cube.withNoise(0.1) { cubeNormal($0, cells: 12) }
    let result = try smoothed(noisy, method, noise: 0.1)
    var (sum, count) = (0.0, 0.0)
    for face in 0..<cube.faceCount where cube.touchesEdge(face, cells: 12) {
      let (before, after) = (cube.areaVector(face).normalized, result.areaVector(face).normalized)
      sum += acos(min(1, before.dot(after))) * 180 / Double.pi
      count += 1
    }
    #expect(sum / count < 4)
    #expect(abs(result.volume / cube.volume - 1) < 0.001)
    #expect(try smoothed(cube, method) == cube)
    let exact = try smoothed(cube, method, noise: 0.1)
    for (before, after) in zip(cube.positions, exact.positions) {
      #expect((before.double - after.double).length < 1e-4)
    }
  }

  /// A side of a box of 2 m in few cells, with noise of 8 mm.
  @Test(arguments: Smooth.Method.allCases, [4, 8, 16])
  func `a coarse cube becomes flatter and keeps its volume`(
    method: Smooth.Method, cells: Int
  ) throws {
    let cube = Mesh.cube(cells: cells)
    let noise = 0.004 * Double(cells)
    let half = Double(cells) / 2
    let noisy = cube.withNoise(noise) { cubeNormal($0, cells: cells) }
    let result = try smoothed(noisy, method, noise: noise)
    func error(_ mesh: Mesh) -> Double {
      let offsets = mesh.positions.map { abs($0.double - SIMD3(repeating: half)).max() - half }
      return offsets.reduce(0) { $0 + abs($1) } / Double(mesh.vertexCount)
    }
    #expect(error(result) < 0.5 * error(noisy))
    #expect(abs(result.volume / noisy.volume - 1) < 0.001)
  }

  @Test(arguments: Smooth.Method.allCases)
  func `no vertex moves farther than allowed`(method: Smooth.Method) throws {
    let noisy = plane.withNoise(0.2) { _ in SIMD3(0, 1, 0) }
    let result = try smoothed(noisy, method, maximumShift: 0.05)
    let shifts = zip(noisy.positions, result.positions).map { ($0.double - $1.double).length }
    #expect(shifts.allSatisfy { $0 < 0.05001 } && shifts.contains { $0 > 0.0499 })
    #expect(try smoothed(noisy, method, maximumShift: 0) == noisy)
    #expect(try smoothed(noisy, method, noise: 0) == noisy)
  }

  @Test func `sure vertices and borders move less`() throws {
    var noisy = plane.withNoise(0.1) { _ in SIMD3(0, 1, 0) }
    func shift(_ mesh: Mesh, _ isCounted: (Vector3) -> Bool) -> Double {
      let shifts = zip(noisy.positions, mesh.positions).filter { isCounted($0.0) }
        .map { ($0.double - $1.double).length }
      return shifts.reduce(0, +) / Double(shifts.count)
    }
    let inside: (Vector3) -> Bool = { 3...12 ~= $0.x && 3...27 ~= $0.z }
    let free = try smoothed(noisy, noise: 0.1)
    #expect(shift(free) { $0.x == 0 } < 0.8 * shift(free, inside))
    noisy.confidences = noisy.positions.map { $0.x < 14 ? 2 : 0.5 }
    let held = try smoothed(noisy, noise: 0.1)
    #expect(shift(held, inside) < 0.8 * shift(free, inside))
    noisy.confidences = nil
    // A border in the middle of the left half.
    noisy.classes = FaceClasses(labels: (0..<noisy.faceCount).map { $0 / 2 % 30 < 8 ? 1 : 2 })
    let bordered = try smoothed(noisy, noise: 0.1)
    #expect(shift(bordered) { $0.x == 8 } < 0.8 * shift(free) { $0.x == 8 })
  }

  @Test func `normals follow, and hard edges stay hard`() throws {
    var noisy = plane.withNoise(0.1) { _ in SIMD3(0, 1, 0) }
    noisy.normals = [Vector3](repeating: Vector3(1, 0, 0), count: noisy.vertexCount)
    noisy.cornerNormals = noisy.indices.indices.map { Vector3($0 % 3 == 0 ? 1 : 0, 1, 0) }
    noisy.tangents = noisy.indices.map { _ in Tangent(SIMD3(1, 0, 0), w: -1) }
    let result = try smoothed(noisy)
    #expect(result.normals?.allSatisfy { $0.y > 0.5 } == true)
    for corner in result.indices.indices {
      guard let normal = result.cornerNormals?[corner], let tangent = result.tangents?[corner]
      else { break }
      #expect(abs(normal.simd.dot(tangent.direction)) < 1e-5)
    }
    #expect(result.cornerNormals?[0] != result.cornerNormals?[1])
  }

  @Test(arguments: Smooth.Method.allCases)
  func `broken and strange meshes pass`(method: Smooth.Method) throws {
    var broken = plane.withNoise(0.1) { _ in SIMD3(0, 1, 0) }
    broken.positions[700] = Vector3(.nan, 0, 1)
    broken.positions[800] = Vector3(0, .infinity, 1)
    broken.indices += [5, 5, 6, 7, 7, 7]
    let result = try smoothed(broken, method)
    for (vertex, position) in result.positions.enumerated() {
      #expect(position.isFinite == ![700, 800].contains(vertex))
    }
    #expect(try smoothed(Mesh(), method) == Mesh())
    let point = Mesh(positions: [.zero, .zero, .zero], indices: [0, 1, 2])
    #expect(try smoothed(point, method, noise: 1) == point)
    let huge = Mesh(
      positions: [Vector3(-3e38, 0, 0), Vector3(3e38, 0, 0), Vector3(0, 3e38, 1)],
      indices: [0, 1, 2])
    #expect(try smoothed(huge, method, noise: 1e300).positions.allSatisfy(\.isFinite))
    // One vertex with very many faces.
    let cone = MeshFixtures.openCone(segments: 5000)
    #expect(try smoothed(cone, method, noise: 0.01).positions.allSatisfy(\.isFinite))
  }
}
