import MeshpipeBase
import MeshpipeScene

/// Decimates a whole surface in rounds, until the target is reached.
struct CollapseRounds {
  /// The share of the vertices that a round begins with.
  private static let share = 0.4

  private let state: CollapseState
  private let options: EdgeCollapse.Options
  private var faceCount: Int
  private var size: CollapseState.Size
  private var largestError: Float
  private var wasErrorBound: Bool

  init(after first: FirstRound) {
    state = first.state
    options = first.options
    size = first.size
    faceCount = first.size.faces
    largestError = first.largestError
    wasErrorBound = first.wasErrorBound
  }

  private var excess: Int { max(0, faceCount - options.targetFaceCount) }

  mutating func run(progress: (Double) throws(Cancelled) -> Void) throws(Cancelled) {
    let total = Double(max(1, excess))
    let first = excess
    var round = 1
    while excess > 0 {
      compact()
      let vertices = movableVertices
      if vertices.count < 4 * options.partSize || excess * 64 < faceCount { break }
      let last = limit(for: vertices)
      let parts = SpatialParts(
        vertices, of: options.partSize, shift: round, in: state.frame.box,
        positions: state.positions.elements, owners: state.owners.elements)
      let before = faceCount
      takeRound(parts, upTo: last)
      round += 1
      try progress(Double(first - excess) / total)
      if (before - faceCount) * 64 < before { break }
    }
    guard excess > 0 else { return }
    compact()
    for vertex in 0..<size.vertices { state.owners[vertex] = 0 }
    var worker = CollapseWorker(state, options, owner: 0)
    let done = first - excess
    try worker.run(movableVertices, upTo: BucketQueue.bucketCount - 2, quota: excess) {
      (removed: Int) throws(Cancelled) in
      try progress(Double(done + removed) / total)
    }
    faceCount -= worker.removedFaces
    largestError = max(largestError, worker.largestError)
    wasErrorBound = wasErrorBound || worker.wasErrorBound
  }

  private mutating func compact() {
    if faceCount < size.faces { size = state.compact(size) }
  }

  private var movableVertices: [UInt32] {
    var vertices: [UInt32] = []
    vertices.reserveCapacity(size.vertices)
    for vertex in 0..<UInt32(truncatingIfNeeded: size.vertices)
    where state.isMovable(Int(vertex)) {
      vertices.append(vertex)
    }
    return vertices
  }

  /// The highest bucket of costs of the next round.
  private func limit(for vertices: [UInt32]) -> Int {
    var costs = CollapseCosts()
    for vertex in vertices { costs.add(state.costs[vertex]) }
    // Removing a vertex removes two faces; some steps make others cheaper.
    return costs.limit(for: min(Int(Self.share * Double(vertices.count)), excess * 2 / 5))
  }

  private mutating func takeRound(_ parts: SpatialParts, upTo last: Int) {
    struct Outcome: Sendable {
      var removedFaces: Int
      var largestError: Float
      var wasErrorBound: Bool
    }
    let (state, options, excess) = (state, options, excess)
    let counts = Parallel.map(count: parts.count) { part in
      parts[part].count { BucketQueue.bucket(of: state.costs[$0]) <= last }
    }
    let total = max(1, counts.reduce(0, +))
    let outcomes = Parallel.map(count: parts.count) { part in
      var worker = CollapseWorker(state, options, owner: UInt16(truncatingIfNeeded: part))
      // One less, since the last step may remove two.
      let quota = Int(Double(excess) * Double(counts[part]) / Double(total)) - 1
      try? worker.run(parts[part], upTo: last, quota: quota) { (_: Int) throws(Cancelled) in }
      return Outcome(
        removedFaces: worker.removedFaces, largestError: worker.largestError,
        wasErrorBound: worker.wasErrorBound)
    }
    for outcome in outcomes {
      faceCount -= outcome.removedFaces
      largestError = max(largestError, outcome.largestError)
      wasErrorBound = wasErrorBound || outcome.wasErrorBound
    }
  }

  /// The remaining surface, in the order of the input.
  func result(of surface: EdgeCollapse.Surface) -> EdgeCollapse.Result {
    var result = EdgeCollapse.Result(
      error: largestError / state.frame.scale,
      stop: excess == 0 ? .target : wasErrorBound ? .error : .topology)
    let kept = RankedSet(below: surface.faceCounts.reduce(0, +)) { set in
      for face in 0..<size.faces where !state.faces.isRemoved(face) { set(state.faces.input(face)) }
    }
    result.faces = [UInt32](repeating: 0, count: faceCount)
    result.vertices = [UInt32](repeating: 0, count: 3 * faceCount)
    var wedges = [UInt32](repeating: 0, count: state.hasWedges ? 3 * faceCount : 0)
    for face in 0..<size.faces where !state.faces.isRemoved(face) {
      let index = kept.rank(of: state.faces.input(face))
      result.faces[index] = state.faces.input(face)
      for corner in 0..<3 {
        let vertex = state.faces[CollapseCorner(corner, of: face)]
        result.vertices[3 * index + corner] = state.vertexOrder[vertex]
        if state.hasWedges { wedges[3 * index + corner] = state.wedges[3 * face + corner] }
      }
    }
    if state.hasWedges { result.wedges = wedges }
    if let mapping = surface.mapping { result.places = places(kept, mapping) }
    addMoved(to: &result, surface)
    return result
  }

  /// The texture coordinates of the corners of the remaining faces, as they were last.
  private func places(_ kept: borrowing RankedSet, _ mapping: SurfaceMapping) -> [Vector2] {
    var result = [Vector2](repeating: .zero, count: 3 * faceCount)
    for face in 0..<size.faces where !state.faces.isRemoved(face) {
      let input = state.faces.input(face)
      let index = 3 * kept.rank(of: input)
      let scale = mapping.scale(of: Int(input)) * state.frame.scale
      for corner in 0..<3 {
        let coordinates = state.places[3 * face + corner] / scale
        result[index + corner] = Vector2(coordinates.x, coordinates.y)
      }
    }
    return result
  }

  private func addMoved(to result: inout EdgeCollapse.Result, _ surface: EdgeCollapse.Surface) {
    guard options.movesVertices else { return }
    for vertex in 0..<size.vertices where state.kinds[vertex] == .free {
      let old = state.vertexOrder[vertex]
      let original = state.frame.inside(surface.positions[Int(old)])
      let position = state.positions[vertex]
      guard position != original else { continue }
      result.moved.append(
        .init(
          vertex: old, position: state.frame.outside(position),
          anchor: state.anchors[vertex]))
    }
  }
}

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
      let position = (positions[vertices[index]].simd - box.minimum) * scale + origin
      return mortonCode(of: position, below: cells)
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
