import Foundation
import MeshTestSupport
import MeshpipeScene
import Testing

@testable import SurfaceKernels

struct FlippingTests {
  private func state(_ seed: UInt64) throws -> RemeshState {
    var random = SplitMix64(seed: seed)
    var rough = MeshFixtures.sphere(segments: 48, rings: 24)
    rough.positions = rough.positions.map { position in
      Vector3(SIMD3<Float>(position.double * (1 + 0.04 * (2 * random.unit() - 1))))
    }
    let reference = try #require(RemeshReference(rough, featureAngle: .pi / 2))
    let length = RemeshSizing.edgeLength(.faces(rough.faceCount / 2), on: reference)
    var state = RemeshState(reference, RemeshSizing(usual: length, error: nil, reference))
    for _ in 0..<3 {
      _ = state.splitLongEdges() + state.collapseShortEdges()
      state.flipEdges(for: .valences, passes: 2)
      state.relax()
    }
    return state
  }

  private func qualities(_ state: RemeshState) -> [Float] {
    (0..<state.faces.faceCount).filter { !state.isRemoved($0) }.map { face in
      let points = (0..<3).map { state.position(state.faces.vertices[3 * face + $0]) }
      return state.quality(points[0], points[1], points[2])
    }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `flips for distance bring the surface nearer, and make no face thin`(seed: UInt64) throws {
    var state = try state(seed)
    let (before, qualities) = (RemeshedMesh(state).distances(), qualities(state))
    state.flipEdges(for: .distance, passes: 1)
    let after = RemeshedMesh(state).distances()
    #expect(after.mean < 0.97 * before.mean)
    let thin = qualities.filter { $0 < 0.7 }
    let thinAfter = self.qualities(state).filter { $0 < 0.7 }
    #expect(thinAfter.count <= thin.count)
    #expect(try #require(self.qualities(state).min()) >= qualities.min() ?? 0)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `flips for angles leave no edge whose opposite angles are over 180 degrees in a plane`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    var grid = MeshFixtures.grid(columns: 12, rows: 12)
    grid.positions = grid.positions.map { position in
      let isInside = (1...11).contains(position.x) && (1...11).contains(position.z)
      guard isInside else { return position }
      func shift() -> Float { Float(0.4 * random.unit() - 0.2) }
      return Vector3(position.x + shift(), 0, position.z + shift())
    }
    let reference = try #require(RemeshReference(grid, featureAngle: .pi / 4))
    var state = RemeshState(reference, RemeshSizing(usual: 0.1, error: nil, reference))
    state.flipEdges(for: .angles, passes: 20)
    for halfedge in state.faces.vertices.indices {
      let other = state.faces.opposites[halfedge]
      let ends = [state.faces.vertices[halfedge], state.faces.end(of: UInt32(halfedge))]
      // At the border, vertices keep three edges.
      guard other != HalfedgeFaces.none,
        !ends.contains(where: { state.roles[Int($0)].contains(.border) })
      else { continue }
      let sum = [UInt32(halfedge), other].reduce(0.0) { $0 + angle(opposite: $1, in: state) }
      #expect(sum < .pi + 1e-3)
    }
  }

  /// The angle at the third vertex of a halfedge's face, in radians.
  private func angle(opposite halfedge: UInt32, in state: RemeshState) -> Double {
    let tip = state.position(state.faces.vertices[Int(preceding(halfedge))])
    let a = SIMD3<Double>(state.position(state.faces.vertices[Int(halfedge)]) - tip)
    let b = SIMD3<Double>(state.position(state.faces.end(of: halfedge)) - tip)
    return acos(a.normalized.dot(b.normalized))
  }
}
