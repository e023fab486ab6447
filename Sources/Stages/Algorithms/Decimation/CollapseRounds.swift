import MeshPipeline

/// Takes the steps of a whole surface in rounds, until it is thin enough.
struct CollapseRounds {
  /// The share of the vertices that a round begins with.
  private static let share = 0.4

  private let state: CollapseState
  private let options: EdgeCollapse.Options
  private let firstFaceCount: Int
  private var faceCount: Int
  private var size: CollapseState.Size
  private var largestError: Float = 0
  private var wasErrorBound = false

  init(_ state: CollapseState, _ options: EdgeCollapse.Options) {
    self.state = state
    self.options = options
    firstFaceCount = state.faces.count / 8
    faceCount = firstFaceCount
    size = CollapseState.Size(vertices: state.positions.count, faces: faceCount)
  }

  private var excess: Int { max(0, faceCount - options.targetFaceCount) }

  mutating func run(progress: (Double) throws(Cancelled) -> Void) throws(Cancelled) {
    let total = Double(max(1, excess))
    let first = excess
    var round = 0
    while excess > 0 {
      compact()
      let vertices = movableVertices
      if vertices.count < 4 * options.partSize || excess * 64 < faceCount { break }
      let last = limit(for: vertices)
      let parts = SpatialParts(
        vertices, of: options.partSize, shift: round, in: state.box, positions: state.positions,
        owners: state.owners)
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
    where state.kinds[vertex] == .free || state.kinds[vertex] == .onLine {
      vertices.append(vertex)
    }
    return vertices
  }

  /// The last bucket of costs of the next round.
  private func limit(for vertices: [UInt32]) -> Int {
    var sizes = [Int](repeating: 0, count: BucketQueue.bucketCount)
    for vertex in vertices { sizes[BucketQueue.bucket(of: state.costs[vertex])] += 1 }
    // A vertex less is two faces less; some steps make others cheaper.
    let wanted = min(Int(Self.share * Double(vertices.count)), excess * 2 / 5)
    var count = 0
    for bucket in sizes.indices.dropLast() {
      count += sizes[bucket]
      if count > wanted { return bucket }
    }
    return sizes.count - 2
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
      let quota = Int(Double(excess) * Double(counts[part]) / Double(total))
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

  /// What is left of the surface, in the order of the input.
  func result(of surface: EdgeCollapse.Surface) -> EdgeCollapse.Result {
    var result = EdgeCollapse.Result(
      error: largestError / state.scale,
      stop: excess == 0 ? .target : wasErrorBound ? .error : .topology)
    var newFace = FixedArray<UInt32>(
      repeating: CollapseState.none, count: surface.faceCounts.reduce(0, +))
    for face in 0..<size.faces where state.faces[8 * face] != CollapseState.none {
      newFace[state.faces[8 * face + 7]] = UInt32(truncatingIfNeeded: face)
    }
    result.faces.reserveCapacity(faceCount)
    result.vertices.reserveCapacity(3 * faceCount)
    var wedges: [UInt32] = []
    if state.hasWedges { wedges.reserveCapacity(3 * faceCount) }
    for old in 0..<newFace.count where newFace[old] != CollapseState.none {
      result.faces.append(UInt32(truncatingIfNeeded: old))
      let first = 8 * newFace[old]
      for corner in first..<first + 3 {
        result.vertices.append(state.vertexOrder[state.faces[corner]])
        if state.hasWedges { wedges.append(state.wedges[CollapseState.wedgePlace(corner)]) }
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
      let original = (surface.positions[Int(old)].simd - state.center) * state.scale
      let position = state.positions[vertex].simd
      guard position != original else { continue }
      result.moved.append(
        .init(
          vertex: old, position: Vector3(position / state.scale + state.center),
          anchor: state.anchors[vertex]))
    }
  }
}
