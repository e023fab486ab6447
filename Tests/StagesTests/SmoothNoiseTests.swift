import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// The noise that `smooth` finds by itself.
@Suite struct SmoothNoiseTests {
  /// The noise that is found in a mesh, in its units, and the mesh without it.
  private func found(_ mesh: Mesh) throws -> (noise: Double, mesh: Mesh) {
    let context = StageContext()
    let result = try Smooth(Smooth.Parameters()).run(Scene(meshes: [mesh]), in: context)
    let note = context.notes.first { $0.key == "noiseMillimeters" }?.value
    guard case .number(let millimeters)? = note?.content else { return (.nan, result.meshes[0]) }
    return (millimeters / 1000, result.meshes[0])
  }

  @Test func `noise of a known deviation is found in a plane`() throws {
    let plane = MeshFixtures.grid(columns: 30, rows: 30)
    for deviation in [0.02, 0.1] {
      let noisy = plane.withNoise(deviation) { _ in SIMD3(0, 1, 0) }
      #expect(abs(try found(noisy).noise / deviation - 1) < 0.1)
    }
  }

  /// Five rings of vertices are a large part of the tube.
  @Test(arguments: [(32, 32), (48, 24), (96, 48)])
  func `the roundness of a coarse torus does not count`(segments: Int, sides: Int) throws {
    let torus = MeshFixtures.torus(
      segments: segments, sides: sides, radius: 100, tubeRadius: 30)
    let exact = try found(torus)
    #expect(exact.noise < 0.01 * torus.meanEdgeLength)
    #expect(abs(exact.mesh.volume / torus.volume - 1) < 1e-4)
    for share in [0.1, 0.3] {
      let deviation = share * torus.meanEdgeLength
      #expect(abs(try found(torus.withNoise(deviation)).noise / deviation - 1) < 0.25)
    }
  }

  /// With four cells, every patch reaches over an edge.
  @Test(arguments: [1, 2, 4, 8, 16])
  func `the edges of a coarse cube do not count`(cells: Int) throws {
    let cube = Mesh.cube(cells: cells)
    let exact = try found(cube)
    #expect(exact.noise < 1e-6)
    #expect(exact.mesh == cube)
    guard cells > 2 else { return }
    for deviation in [0.02, 0.1] {
      let noise = try found(cube.withNoise(deviation) { cubeNormal($0, cells: cells) }).noise
      #expect(abs(noise / deviation - 1) < 0.35)
    }
  }
}
