import MeshpipeScene

/// The umbrella operator: the mean height of a vertex's neighbours along its normal, less its own.
///
/// Solving for a thin plate takes little else than this, some hundred times for each vertex. Neighbours are
/// taken four at a time, since most vertices have five to eight of them: a loop of two rounds is foreseen by a
/// processor, where one over single neighbours ends by surprise at each vertex.
struct Umbrella: Sendable {
  /// Up to four neighbours of a vertex, and itself with shares of 0 in place of missing ones.
  private struct Spokes: BitwiseCopyable, Sendable {
    var neighbors: SIMD4<UInt32>
    /// The cosines between normals over the number of neighbours: what a neighbour's height is along the normal of the
    /// vertex.
    var shares = SIMD4<Float>.zero
  }

  /// The number of each vertex's neighbours, and 1 without.
  let counts: [Double]
  /// The start of each vertex's spokes; one more entry than there are vertices.
  private let starts: [UInt32]
  private let spokes: [Spokes]

  init(_ surface: RefinedSurface) {
    let neighbors = surface.neighbors
    counts = Parallel.array(count: neighbors.count) {
      Double(max(neighbors.places(of: $0).count, 1))
    }
    var starts: [UInt32] = [0]
    starts.reserveCapacity(neighbors.count + 1)
    var sum: UInt32 = 0
    for vertex in 0..<neighbors.count {
      sum += UInt32(truncatingIfNeeded: (neighbors.places(of: vertex).count + 3) / 4)
      starts.append(sum)
    }
    self.starts = starts
    spokes = Parallel.joined(
      Parallel.mapChunks(of: neighbors.count, chunkSize: 1 << 13) { vertices in
        vertices.flatMap { Self.spokes(of: $0, surface) }
      })
  }

  private static func spokes(of vertex: Int, _ surface: RefinedSurface) -> [Spokes] {
    let places = surface.neighbors.places(of: vertex)
    let (neighbors, normals) = (surface.neighbors.neighbors, surface.normals)
    return stride(from: places.lowerBound, to: places.upperBound, by: 4).map { first in
      var spokes = Spokes(neighbors: SIMD4(repeating: UInt32(vertex)))
      for lane in 0..<min(4, places.upperBound - first) {
        let neighbor = neighbors[first + lane]
        spokes.neighbors[lane] = neighbor
        spokes.shares[lane] =
          normals[vertex].dot(normals[Int(neighbor)]) / Float(places.count)
      }
      return spokes
    }
  }

  @inline(__always)
  private func spokes(of vertex: Int) -> Range<Int> {
    Int(starts[vertex])..<Int(starts[vertex + 1])
  }

  /// The mean value of a vertex's neighbours, less its own.
  @inline(__always)
  func callAsFunction(_ values: [Double], at vertex: Int) -> Double {
    let (spokes, others) = (spokes.span, values.span)
    var sum = SIMD4<Double>(-others[vertex], 0, 0, 0)
    for place in self.spokes(of: vertex) {
      // Indices are those of a vertex's spokes, and neighbours are vertices, each of which has a value.
      let (four, shares) = unsafe (
        spokes[unchecked: place].neighbors, SIMD4<Double>(spokes[unchecked: place].shares)
      )
      sum +=
        unsafe shares
        * SIMD4(
          others[unchecked: Int(four.x)], others[unchecked: Int(four.y)],
          others[unchecked: Int(four.z)], others[unchecked: Int(four.w)])
    }
    return sum.sum()
  }

  /// The forces of bent vertices on themselves and their neighbours, along the normals.
  ///
  /// The transposed umbrella: a share counts for the neighbour, whose own has another number of neighbours.
  ///
  /// - Parameter moments: Of each vertex, over the number of its neighbours.
  @inline(__always)
  func force(of moments: [Double], at vertex: Int) -> Double {
    self(moments, at: vertex) * counts[vertex]
  }

  /// The force on a vertex that is raised by 1, as it and its neighbours bend.
  ///
  /// - Parameter springs: The moment of each vertex per height of its umbrella, over the number of its neighbours.
  func resistance(of springs: [Double], at vertex: Int) -> Double {
    var sum = springs[vertex] * counts[vertex]
    for index in spokes(of: vertex) {
      for lane in 0..<4 {
        let other = Int(spokes[index].neighbors[lane])
        let share = Double(spokes[index].shares[lane]) * counts[vertex]
        sum += springs[other] / counts[other] * share * share
      }
    }
    return sum
  }
}
