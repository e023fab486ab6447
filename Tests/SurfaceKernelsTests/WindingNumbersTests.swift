import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import SurfaceKernels

@Suite struct WindingNumbersTests {
  private let mesh = MeshFixtures.sphere(segments: 48, rings: 24, holes: 3)

  /// The sum of all solid angles (van Oosterom and Strackee 1983).
  private func exact(_ point: SIMD3<Float>) -> Double {
    let sum = (0..<mesh.faceCount).reduce(0.0) { sum, face in
      let corners = mesh.indices[3 * face..<3 * face + 3].map {
        (mesh.positions[Int($0)].double - SIMD3<Double>(point)).normalized
      }
      let (a, b, c) = (corners[0], corners[1], corners[2])
      return sum + atan2(a.dot(b.cross(c)), 1 + a.dot(b) + b.dot(c) + c.dot(a))
    }
    return sum / (2 * .pi)
  }

  /// Points on a grid of 5×5×5 around a place.
  private func points(around center: SIMD3<Float>, radius: Float) -> [SIMD3<Float>] {
    (0..<125).map { number in
      let place = SIMD3(Float(number % 5), Float(number / 5 % 5), Float(number / 25))
      return center + (place / 2 - 1) * (radius / 1.75)
    }
  }

  @Test(arguments: [SIMD3<Float>(0, 0, 0), SIMD3(0.9, 0.3, 0.2), SIMD3(0.02, 1, 0.03), [3, 2, 1]])
  func `winding numbers are the sum of all solid angles`(center: SIMD3<Float>) {
    let windings = WindingNumbers(positions: mesh.positions, indices: mesh.indices)
    let points = points(around: center, radius: 0.2)
    let whole = WindingRegion(windings, center: center, radius: 0.5)
    let part = WindingRegion(in: whole, center: center + 0.01, radius: 0.25)
    let exact = points.map(exact)
    for found in [windings.values(at: points), whole.values(at: points), part.values(at: points)] {
      let errors = zip(found, exact).map { abs(Double($0) - $1) }
      #expect(errors.max() ?? 1 < 0.05, "\(center)")
      #expect(errors.reduce(0, +) / Double(errors.count) < 0.015, "\(center)")
    }
  }
}
