import MeshpipeScene

/// The faces around one vertex: working memory, refilled for each.
struct Ring: ~Copyable {
  /// Vertices with more faces than this are never moved.
  static let capacity = 64

  var count = 0
  /// The corner of the vertex in each face.
  var corners = ScratchBuffer<CollapseCorner>(repeating: .none, count: capacity)
  /// The vertex after it in each face.
  var next = ScratchBuffer<UInt32>(repeating: 0, count: capacity)
  /// The vertex before it in each face.
  var previous = ScratchBuffer<UInt32>(repeating: 0, count: capacity)

  @inline(__always)
  func isNext(_ vertex: UInt32) -> Bool {
    for index in 0..<count where next[index] == vertex { return true }
    return false
  }

  /// Whether a face of the ring has this neighbour.
  @inline(__always)
  func has(_ vertex: UInt32, at index: Int) -> Bool {
    next[index] == vertex || previous[index] == vertex
  }

  /// Whether a face of the ring has both neighbours.
  func hasFace(_ one: UInt32, _ other: UInt32) -> Bool {
    for index in 0..<count where has(one, at: index) && has(other, at: index) { return true }
    return false
  }

  /// Whether the vertex is a neighbour.
  @inline(__always)
  func contains(_ vertex: UInt32) -> Bool {
    for index in 0..<count where next[index] == vertex || previous[index] == vertex { return true }
    return false
  }

  /// Whether the faces form a closed fan around the vertex, with two at each of its edges.
  func isClosedFan() -> Bool {
    var index = 0
    for step in 1...max(1, count) {
      var following: Int?
      for other in 0..<count where previous[other] == next[index] {
        if following != nil { return false }
        following = other
      }
      guard let following else { return false }
      if following == 0 { return step == count }
      index = following
    }
    return false
  }

  /// Whether the faces form one fan, open or closed.
  func isSingleFan() -> Bool {
    // Start at the open end, if there is one.
    var start = 0
    for index in 0..<count where faceBeside(index, across: previous[index]) == nil {
      start = index
      break
    }
    var place = start
    var exit = next[start]
    var visited = 1
    while visited <= count, let beside = faceBeside(place, across: exit), beside != start {
      exit = next[beside] == exit ? previous[beside] : next[beside]
      place = beside
      visited += 1
    }
    return visited == count
  }

  private func faceBeside(_ index: Int, across neighbor: UInt32) -> Int? {
    for other in 0..<count where other != index && has(neighbor, at: other) { return other }
    return nil
  }
}

/// The possible positions of a vertex with their costs, the cheapest first.
struct Candidates: ~Copyable {
  struct Candidate: BitwiseCopyable {
    var vertex: UInt32
    var cost: Float
    /// The position of both, as an offset from the first vertex.
    var offset: SIMD3<Float>
  }

  private(set) var count = 0
  private var all = ScratchBuffer<Candidate>(
    repeating: Candidate(vertex: 0, cost: 0, offset: .zero), count: 2 * Ring.capacity)

  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func add(_ candidate: Candidate) {
    all[count] = candidate
    count += 1
  }

  /// Removes the cheapest candidate.
  mutating func takeCheapest() -> Candidate? {
    guard count > 0 else { return nil }
    var best = 0
    for index in 1..<max(1, count) where all[index].cost < all[best].cost { best = index }
    let result = all[best]
    count -= 1
    all[best] = all[count]
    return result
  }
}
