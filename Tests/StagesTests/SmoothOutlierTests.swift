import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// Single vertices far off the surface.
@Suite struct SmoothOutlierTests {
  private func smoothed(
    _ mesh: Mesh, _ method: Smooth.Method = .bilateral, maximumShift: Double? = nil
  ) throws -> Mesh {
    var parameters = Smooth.Parameters()
    parameters.method = method
    parameters.maximumShift = maximumShift.map { Length(meters: $0) }
    return try Smooth(parameters).run(Scene(meshes: [mesh]), in: StageContext()).meshes[0]
  }

  /// A unit sphere of which every twentieth vertex is up to 0.15 off, more than an edge.
  private func spikySphere(noise: Double) -> Mesh {
    var sphere = Mesh.cube(cells: 16)
    sphere.positions = sphere.positions.map {
      Vector3(($0.simd - SIMD3(repeating: 8)).normalized)
    }
    var generator = SeededGenerator(seed: 7)
    sphere = sphere.withNoise(noise) { $0.normalized }
    for vertex in stride(from: 3, to: sphere.vertexCount, by: 20) {
      let amount = Float.random(in: 0.03...0.15, using: &generator)
      sphere.positions[vertex] = Vector3(
        sphere.positions[vertex].simd * (vertex % 40 == 3 ? 1 + amount : 1 - amount))
    }
    return sphere
  }

  private func error(_ mesh: Mesh) -> Double {
    mesh.positions.reduce(0) { $0 + abs($1.double.length - 1) } / Double(mesh.vertexCount)
  }

  @Test(arguments: Smooth.Method.allCases, [0, 0.003])
  func `outliers do not spread`(method: Smooth.Method, noise: Double) throws {
    let spiky = spikySphere(noise: noise)
    let result = try smoothed(spiky, method)
    #expect(error(result) < (noise > 0 ? 0.65 : 0.35) * error(spiky))
  }

  @Test func `outliers move no farther than allowed`() throws {
    let spiky = spikySphere(noise: 0.003)
    let result = try smoothed(spiky, maximumShift: 0.02)
    let shifts = zip(spiky.positions, result.positions).map { ($0.double - $1.double).length }
    #expect(shifts.allSatisfy { $0 < 0.02001 } && shifts.contains { $0 > 0.0199 })
    #expect(try smoothed(spiky, maximumShift: 0) == spiky)
  }

  /// All around it lies on one side of a quadric.
  @Test(arguments: [0, 0.01]) func `the tip of a cone stays`(noise: Double) throws {
    var cone = MeshFixtures.grid(columns: 30, rows: 30)
    cone.positions = cone.positions.map { position in
      let distance =
        ((position.x - 15) * (position.x - 15)
        + (position.z - 15) * (position.z - 15)).squareRoot()
      return Vector3(position.x, max(0, 8 - 2 * distance), position.z)
    }
    let noisy = cone.withNoise(noise) { _ in SIMD3(0, 1, 0) }
    let tip = cone.positions.indices.max { cone.positions[$0].y < cone.positions[$1].y } ?? 0
    let result = try smoothed(noisy)
    #expect(abs(result.positions[tip].y - cone.positions[tip].y) < 0.1)
  }
}
