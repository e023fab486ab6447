import MeshpipeScene

/// Vertices in parts of about equal size that are contiguous in space.
struct SpatialParts {
  /// The vertices, grouped by part.
  private(set) var vertices: [UInt32]
  /// Where the vertices of each part begin, and the end of the last.
  private(set) var starts: [Int]

  var count: Int { starts.count - 1 }

  subscript(part: Int) -> ArraySlice<UInt32> { vertices[starts[part]..<starts[part + 1]] }

  private static let cellsPerAxis = 64

  /// Divides vertices along a space-filling curve through the cells of a coarse grid.
  ///
  /// - Parameters:
  ///   - vertices: Those to divide; their order within a part is kept.
  ///   - size: The approximate number of vertices of a part.
  ///   - shift: Selects one of many positions of the grid: where one has the borders of parts,
  ///     others do not.
  ///   - box: The bounds of the vertices.
  ///   - owners: Set to the number of the part of each vertex.
  init(
    _ vertices: [UInt32], of size: Int, shift: Int, in box: Box,
    positions: DisjointBuffer<Vector3>, owners: DisjointBuffer<UInt16>
  ) {
    // The grid is twice as wide as the box, so that it can have many positions.
    let cells = Float(Self.cellsPerAxis)
    let scale = box.extent > 0 ? cells / 2 / box.extent * 0.999 : 0
    // Multiples of irrational numbers never coincide.
    let part = Double(shift) * SIMD3(0.754877666, 0.569840291, 0.430159709)
    let origin = SIMD3<Float>(part - part.rounded(.down)) * (cells / 2)
    let codes = Parallel.array(count: vertices.count) { index in
      let place = (positions[vertices[index]].simd - box.minimum) * scale + origin
      return mortonCode(of: place, below: cells)
    }
    var sizes = [Int](
      repeating: 0, count: Self.cellsPerAxis * Self.cellsPerAxis * Self.cellsPerAxis)
    for code in codes { sizes[Int(code)] += 1 }
    let count = min(max(1, vertices.count / size), Int(UInt16.max))
    var ends = [Int](repeating: 0, count: count)
    var before = 0
    for cell in sizes.indices where sizes[cell] > 0 {
      let number = min(count - 1, before * count / vertices.count)
      before += sizes[cell]
      ends[number] += sizes[cell]
      sizes[cell] = number
    }
    starts = [0]
    for end in ends { starts.append(starts[starts.count - 1] + end) }
    var next = starts
    self.vertices = [UInt32](repeating: 0, count: vertices.count)
    for (vertex, code) in zip(vertices, codes) {
      let number = sizes[Int(code)]
      owners[vertex] = UInt16(truncatingIfNeeded: number)
      self.vertices[next[number]] = vertex
      next[number] += 1
    }
  }
}
