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
      let place = kept.rank(of: state.faces.input(face))
      result.faces[place] = state.faces.input(face)
      for corner in 0..<3 {
        let vertex = state.faces[CollapseCorner(corner, of: face)]
        result.vertices[3 * place + corner] = state.vertexOrder[vertex]
        if state.hasWedges { wedges[3 * place + corner] = state.wedges[3 * face + corner] }
      }
    }
    if state.hasWedges { result.wedges = wedges }
    addMoved(to: &result, surface)
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
