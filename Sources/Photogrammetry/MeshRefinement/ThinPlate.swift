import MeshpipeBase
import MeshpipeScene
import SurfaceKernels

/// A surface that bends like a thin plate where nothing is known, and follows what is known elsewhere.
///
/// The heights of all vertices along their normals minimise the sum, over the area, of squared distances from
/// where the surface was (depth maps), of those from where images want it, and of the difference of its curvature
/// from a smooth one. Curvature is the umbrella operator over the squared lengths of edges, so the system is
/// bi-Laplacian. The smooth curvature is the mean over the surroundings: so a sphere or a cylinder does not shrink.
struct ThinPlate: Sendable {
  private let umbrella: Umbrella
  /// The inverse of the length² by which the umbrella is divided.
  private let inverseSquares: [Float]
  /// The areas, of mean 1.
  private let areas: [Float]
  /// The stiffness of the plate: a length to the fourth power times the area; 0 at creases and borders.
  private let stiffness: [Float]
  /// Curvature less the smooth one.
  private let excess: [Float]

  private static let iterations = 300
  /// The residual's energy at which the solver ends, as a share of that of heights of 0: it leaves .05 to .1 mm, and
  /// all of it would make a room no more accurate.
  private static let tolerance = 1e-4
  /// The tolerance for heights that only tell which estimates are wrong.
  private static let roughTolerance = 2e-3
  /// The angle between neighbouring normals, in radians, at which a plate has a quarter of its stiffness: 10°, some
  /// times that of noise.
  private static let creaseAngle: Float = 0.17
  /// The rounds of averaging for the smooth curvature, at least and at most.
  private static let rounds = (2, 60)

  /// - Parameter length: Noise of a shorter wavelength is smoothed where nothing but the surface itself is known.
  init(_ surface: RefinedSurface, length: Float) {
    umbrella = Umbrella(surface)
    let (neighbors, positions) = (surface.neighbors, surface.positions)
    let count = positions.count
    inverseSquares = Parallel.array(count: count) { vertex in
      let places = neighbors.places(of: vertex)
      var sum: Float = 0
      for index in places {
        sum += (positions[Int(neighbors.neighbors[index])] - positions[vertex]).lengthSquared
      }
      let square = sum / Float(2 * max(places.count, 1))
      return square > 0 && square.isFinite ? 1 / square : 0
    }
    let mean = surface.areas.reduce(0, +) / Float(max(count, 1))
    areas = surface.areas.map { mean > 0 ? max($0 / mean, 0.01) : 1 }
    let (inverse, areas) = (inverseSquares, areas)
    let smoothness = Self.smoothness(of: surface)
    let curvature = Self.curvature(of: surface, inverse)
    let edges = length / Self.edge(inverse)
    let rounds = Int(
      min(max(edges * edges / 2, Float(Self.rounds.0)), Float(Self.rounds.1)))
    let smooth = Self.smoothed(curvature, smoothness, neighbors, rounds: rounds)
    excess = zip(curvature, smooth).map { $0 - $1 }
    let fourth = length * length * length * length
    stiffness = smoothness.indices.map { smoothness[$0] * areas[$0] * fourth }
  }

  /// 1 on a flat or slowly bending surface, less at creases, 0 at borders.
  private static func smoothness(of surface: RefinedSurface) -> [Float] {
    let (neighbors, normals) = (surface.neighbors, surface.normals)
    return Parallel.array(count: normals.count) { vertex in
      guard neighbors.isInner[vertex], normals[vertex] != .zero else { return 0 }
      var least: Float = 1
      for index in neighbors.places(of: vertex) {
        least = min(least, normals[vertex].dot(normals[Int(neighbors.neighbors[index])]))
      }
      // 2 − 2 cos is about the squared angle.
      let bend = max(2 - 2 * least, 0) / (creaseAngle * creaseAngle)
      return 1 / ((1 + bend) * (1 + bend))
    }
  }

  /// The mean curvature along the normal, per length; 0 where it is not defined.
  private static func curvature(of surface: RefinedSurface, _ inverse: [Float]) -> [Float] {
    let (neighbors, positions) = (surface.neighbors, surface.positions)
    return Parallel.array(count: positions.count) { vertex in
      let places = neighbors.places(of: vertex)
      guard !places.isEmpty else { return 0 }
      var sum = SIMD3<Float>.zero
      for index in places { sum += positions[Int(neighbors.neighbors[index])] - positions[vertex] }
      let value = sum.dot(surface.normals[vertex]) / Float(places.count) * inverse[vertex]
      return value.isFinite ? value : 0
    }
  }

  /// The root of the mean of squared edges, about.
  private static func edge(_ inverseSquares: [Float]) -> Float {
    let median = inverseSquares.filter { $0 > 0 }.median() ?? 1
    return (2 / median).squareRoot()
  }

  /// The means over the surroundings of each vertex.
  private static func smoothed(
    _ values: [Float], _ weights: [Float], _ neighbors: VertexNeighbors, rounds: Int
  ) -> [Float] {
    var result = values
    for _ in 0..<rounds {
      let before = result
      result = Parallel.array(count: before.count) { vertex in
        var (sum, weight) = (
          before[vertex] * max(weights[vertex], 1e-6), max(weights[vertex], 1e-6)
        )
        for index in neighbors.places(of: vertex) {
          let other = Int(neighbors.neighbors[index])
          sum += weights[other] * before[other]
          weight += weights[other]
        }
        return sum / weight
      }
    }
    return result
  }

  /// The heights of all vertices.
  ///
  /// - Parameters:
  ///   - anchors: The heights of the surface as it was.
  ///   - estimates: What the images want.
  ///   - weights: Of the estimates, relative to the anchors.
  ///   - start: Heights that are nearly right; nil makes rough ones, which tell which estimates are wrong.
  func heights(
    anchors: [Float], estimates: [HeightEstimate], weights: [Float], from start: [Double]? = nil
  ) -> [Double] {
    let (count, counts) = (anchors.count, umbrella.counts)
    let initial = Parallel.array(count: count) { vertex in
      -Double(stiffness[vertex]) * Double(excess[vertex]) * Double(inverseSquares[vertex])
        / counts[vertex]
    }
    let known = Parallel.array(count: count) { vertex in
      umbrella.force(of: initial, at: vertex) + Double(areas[vertex])
        * (Double(anchors[vertex]) + Double(weights[vertex]) * Double(estimates[vertex].height))
    }
    let masses = Parallel.array(count: count) { Double(areas[$0]) * (1 + Double(weights[$0])) }
    // The moment of a height of the umbrella.
    let springs = Parallel.array(count: count) { vertex in
      Double(stiffness[vertex]) * Double(inverseSquares[vertex]) * Double(inverseSquares[vertex])
        / counts[vertex]
    }
    let diagonal = Parallel.array(count: count) { vertex in
      masses[vertex] + umbrella.resistance(of: springs, at: vertex)
    }
    // Not of what the start leaves: the better it is, the fewer iterations it shall take.
    let energy = zip(known, diagonal).reduce(0) { $0 + $1.0 * $1.0 / $1.1 }
    let tolerance = start == nil ? Self.roughTolerance : Self.tolerance
    return ConjugateGradients(
      relativeTolerance: 0, absoluteTolerance: tolerance * energy,
      maximumIterations: Self.iterations
    ).solve(known, from: start, DiagonalPreconditioner(diagonal: diagonal)) { heights in
      let moments = Parallel.array(count: count) { range, moments in
        for vertex in range { moments.append(springs[vertex] * umbrella(heights, at: vertex)) }
      }
      return Parallel.array(count: count) { range, products in
        for vertex in range {
          products.append(
            masses[vertex] * heights[vertex] + umbrella.force(of: moments, at: vertex))
        }
      }
    }
  }
}
