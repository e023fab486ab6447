import MeshpipeScene

/// Moves vertices towards and away from the mean of their neighbours in turn, which removes short waves
/// of the surface and keeps long ones, and with them the volume (Taubin 1995).
///
/// Vertices that stay hold those around them.
struct TaubinSmoothing: Sendable {
  let surface: SmoothingSurface
  /// The maximum distance from the original position, in working units.
  let maximumShift: Float
  /// Whether each vertex stays.
  private let isFixed: [Bool]
  /// The neighbours of vertices on simple open borders along the border, by vertex.
  private let borderNeighbors: [UInt32: SIMD2<UInt32>]

  /// The share of the way to the neighbours' mean.
  private static let lambda: Float = 0.6
  /// The share of the distance from the neighbours' mean below which waves are kept.
  ///
  /// A larger band lets long waves grow: with 0.27 a sphere of 64 vertices around swelled by 1.6
  /// percent.
  private static let passBand: Float = 0.01

  init(_ surface: SmoothingSurface, isFixed: [Bool], maximumShift: Float) {
    self.surface = surface
    self.isFixed = isFixed
    self.maximumShift = maximumShift
    borderNeighbors = surface.borderNeighbors()
  }

  func smooth(
    _ positions: inout [Vector3], iterations: Int, progress: (Double) throws -> Void
  ) rethrows {
    let mu = 1 / (Self.passBand - 1 / Self.lambda)
    for iteration in 0..<iterations {
      try progress(Double(iteration) / Double(iterations))
      move(&positions, by: Self.lambda)
      move(&positions, by: mu)
    }
    let moved = positions
    positions = Parallel.array(count: moved.count) { vertex in
      isFixed[vertex] ? moved[vertex] : surface.held(vertex, moved[vertex].simd, maximumShift)
    }
  }

  private func move(_ positions: inout [Vector3], by share: Float) {
    let old = positions
    positions = Parallel.array(count: old.count, chunkSize: 1 << 12) { vertex in
      let own = old[vertex].simd
      guard !isFixed[vertex], surface.freedom[vertex] > 0 else { return old[vertex] }
      return Vector3(own + share * (neighborMean(of: vertex, old) - own))
    }
  }

  @inline(__always)
  private func neighborMean(of vertex: Int, _ positions: [Vector3]) -> SIMD3<Float> {
    let own = positions[vertex].simd
    if surface.isOpen[vertex] {
      guard let pair = borderNeighbors[UInt32(vertex)] else { return own }
      return (positions[Int(pair.x)].simd + positions[Int(pair.y)].simd) / 2
    }
    let (places, step) = surface.corners(around: vertex)
    var sum = SIMD3<Float>.zero
    var count: Float = 0
    var index = places.lowerBound
    while index < places.upperBound {
      let corner = Int(surface.around.corners[index])
      index += step
      sum += positions[Int(surface.indices[nextCorner(corner)])].simd
      sum += positions[Int(surface.indices[previousCorner(corner)])].simd
      count += 2
    }
    return count > 0 ? sum / count : own
  }
}
