import MeshpipeBase
import MeshpipeScene

/// Collapses edges in a part of a surface, the cheapest first.
///
/// A worker moves a vertex only if all its neighbours belong to its own part. So no two workers
/// ever write to the same memory, nor does one read what another one writes, and the result does
/// not depend on which of them runs first.
struct CollapseWorker: ~Copyable {
  typealias Kind = CollapseState.Kind

  /// Steps that would give a vertex more faces than this are not taken: they make fans of slivers.
  static let maximumValence = 24
  /// The weight of the squared length of a step relative to the squared distance from the planes.
  static let travelWeight: Float = 1e-5

  let state: CollapseState
  let options: EdgeCollapse.Options
  let owner: UInt16
  var ring = Ring()
  var targetRing = Ring()
  var movedWedges = ScratchBuffer<UInt32>(repeating: 0, count: Ring.capacity)
  /// Where the corners of the faces that move will be in their textures; of the other end's faces
  /// all at the last one.
  var movedPlaces = ScratchBuffer<SIMD2<Float>>(repeating: .zero, count: Ring.capacity + 1)
  var candidates = Candidates()
  var queue: BucketQueue
  var removedFaces = 0
  var largestError: Float = 0
  var wasErrorBound = false

  /// - Parameter owner: The number of its part.
  init(_ state: CollapseState, _ options: EdgeCollapse.Options, owner: UInt16) {
    self.state = state
    self.options = options
    self.owner = owner
    queue = BucketQueue(links: state.links.elements)
  }

  /// Takes steps until the next one costs more than a limit, or enough faces are removed.
  ///
  /// - Parameters:
  ///   - vertices: The vertices of the part.
  ///   - last: The highest bucket of costs.
  ///   - quota: The number of faces to remove; the last step may remove one more.
  mutating func run(
    _ vertices: some Sequence<UInt32>, upTo last: Int, quota: Int,
    progress: (Int) throws(Cancelled) -> Void
  ) throws(Cancelled) {
    prefetch(vertices)
    for vertex in vertices {
      let bucket = BucketQueue.bucket(of: state.costs[vertex])
      if bucket <= last { queue.add(Int(vertex), bucket: bucket) }
    }
    var steps = 0
    while removedFaces < quota, let vertex = queue.takeFirst(upTo: last) {
      tryToRemove(vertex, last)
      steps += 1
      if steps & 0xFFF == 0 { try progress(removedFaces) }
    }
    queue.removeAll()
  }

  /// Asks for the part's memory, in the order in which it is stored.
  ///
  /// Steps access it at random and follow links from face to face, so each would wait for memory;
  /// after this it is in the core's cache. That saves a fifth of the time of a whole run.
  private func prefetch(_ vertices: some Sequence<UInt32>) {
    for number in vertices {
      let vertex = Int(number)
      let first = vertex == 0 ? 0 : Int(state.faceEnds[vertex - 1])
      state.faces.prefetch(first..<max(first, Int(state.faceEnds[vertex])))
      let range = vertex..<vertex + 1
      state.firstCorners.prefetch(range)
      state.kinds.prefetch(range)
      state.quadrics.prefetch(range)
      state.areaVectors.prefetch(range)
      state.positions.prefetch(range)
      if options.movesVertices { state.planes.prefetch(range) }
      if state.hasMapping, options.movesVertices { state.mappings.prefetch(range) }
    }
  }

  /// The number of buckets above the present one whose steps are taken without waiting for their turn.
  private var slack: Int { options.isThorough ? 0 : options.movesVertices ? 2 : 6 }

  /// Moves the vertex by its cheapest step if its turn has come, or queues it for then.
  private mutating func tryToRemove(_ u: Int, _ last: Int) {
    guard state.kinds[u] != .removed, state.gather(u, into: &ring), isInside(ring) else { return }
    findCandidates(of: u)
    var next = Float.infinity
    while let candidate = candidates.takeCheapest() {
      let bucket = BucketQueue.bucket(of: candidate.cost)
      guard bucket <= queue.current + slack else {
        next = candidate.cost
        break
      }
      let v = Int(candidate.vertex)
      let moves = state.kinds[u] == .free && state.kinds[v] == .free && options.movesVertices
      guard canMove(u, onto: v, by: candidate.offset, both: moves) else { continue }
      let error = error(ofMoving: u, onto: v, by: candidate.offset)
      guard error <= options.maximumError * state.frame.scale else {
        wasErrorBound = true
        continue
      }
      largestError = max(largestError, error)
      return move(u, onto: v, by: candidate.offset, both: moves)
    }
    state.costs[u] = next
    let bucket = BucketQueue.bucket(of: next)
    if bucket <= last { queue.add(u, bucket: bucket) }
  }

  /// Whether all vertices of a ring belong to this worker's part.
  func isInside(_ ring: borrowing Ring) -> Bool {
    for index in 0..<ring.count
    where state.owners[ring.next[index]] != owner || state.owners[ring.previous[index]] != owner {
      return false
    }
    return true
  }

  /// The root of the mean squared distance of the new position from the planes of both vertices.
  private func error(ofMoving u: Int, onto v: Int, by offset: SIMD3<Float>) -> Float {
    let weight = state.quadrics[u].weight + state.quadrics[v].weight
    guard weight > 0 else { return 0 }
    let position = state.positions[u].simd + offset
    let sum =
      state.quadrics[u].error(at: offset)
      + state.quadrics[v].error(at: position - state.positions[v].simd)
    return (sum / weight).squareRoot()
  }

  /// Takes a step; the ring must be that of `u`, and ``canMove(_:onto:by:both:)`` must have just
  /// allowed it.
  private mutating func move(_ u: Int, onto v: Int, by offset: SIMD3<Float>, both: Bool) {
    let (from, to) = (state.positions[u].simd, state.positions[v].simd)
    let target = UInt32(truncatingIfNeeded: v)
    // Changed through the buffers: in `state`, ThreadSanitizer takes them for changed themselves.
    let (quadrics, areaVectors) = (state.quadrics.elements, state.areaVectors.elements)
    quadrics[v].add(quadrics[u], offset: to - from)
    areaVectors[v].simd += areaVectors[u].simd
    if both {
      let index = from + offset
      quadrics[v].move(by: index - to)
      if (index - from).lengthSquared < (index - to).lengthSquared {
        state.anchors[v] = state.anchors[u]
      }
      state.positions[v] = Vector3(index)
    }
    state.kinds[u] = .removed

    for index in 0..<ring.count {
      let corner = ring.corners[index]
      if ring.has(target, at: index) {
        state.faces.remove(faceOf: corner)
        removedFaces += 1
      } else {
        state.faces[corner] = target
        state.faces.follow(corner, by: state.firstCorners[v])
        state.firstCorners[v] = corner
        if state.hasWedges { state.wedges[corner.index] = movedWedges[index] }
        if state.hasMapping { state.places[corner.index] = movedPlaces[index] }
      }
    }
    if both, state.hasMapping {
      for index in 0..<targetRing.count {
        state.places[targetRing.corners[index].index] = movedPlaces[Ring.capacity]
      }
    }
    for index in 0..<ring.count { lookAgain(ring.next[index], ring.previous[index]) }
    if both {
      for index in 0..<targetRing.count {
        lookAgain(targetRing.next[index], targetRing.previous[index])
      }
      if !queue.isWaiting(v) { queue.add(v, bucket: queue.current) }
    }
  }

  private mutating func lookAgain(_ one: UInt32, _ other: UInt32) {
    lookAgain(Int(one))
    lookAgain(Int(other))
  }

  /// Queues a vertex without a possible step again, since its neighbourhood has changed.
  private mutating func lookAgain(_ vertex: Int) {
    if options.movesVertices { state.planes[vertex].matrix.xx = -1 }
    guard !queue.isWaiting(vertex), state.isMovable(vertex),
      state.costs[vertex] == .infinity
    else { return }
    // Slightly later, so that a vertex without a step is not examined after each step next to it.
    queue.add(vertex, bucket: queue.current + 2)
  }

  // MARK: - Lines

  /// The kind of the edge between the ring's vertex and a neighbour.
  enum Line {
    /// Nothing special: the same surface continues behind it.
    case none
    case border, region, seam
    /// An edge with more than two faces.
    case complex
  }

  /// The kind of the edge between the ring's vertex and a neighbour.
  func line(toward neighbor: UInt32) -> Line {
    var found = 0
    var firstPlace = 0
    var line = Line.none
    for index in 0..<ring.count where ring.has(neighbor, at: index) {
      found += 1
      if found == 1 {
        firstPlace = index
      } else if found == 2 {
        let (one, other) = (ring.corners[firstPlace], ring.corners[index])
        if state.faces.region(of: one) != state.faces.region(of: other) {
          line = .region
        } else if state.hasWedges,
          wedge(of: one) != wedge(of: other)
            || wedge(of: neighbor, at: firstPlace) != wedge(of: neighbor, at: index)
        {
          line = .seam
        }
      }
    }
    return found == 1 ? .border : found == 2 ? line : .complex
  }

  @inline(__always)
  func wedge(of corner: CollapseCorner) -> UInt32 { state.wedges[corner.index] }

  /// The wedge of a neighbour in one of the ring's faces that has it.
  func wedge(of neighbor: UInt32, at index: Int) -> UInt32 {
    let corner = ring.corners[index]
    return wedge(of: ring.next[index] == neighbor ? corner.next : corner.previous)
  }
}
