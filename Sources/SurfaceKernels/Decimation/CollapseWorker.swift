import MeshPipeline

/// Takes steps on a part of a surface, the cheapest first.
///
/// A worker moves a vertex only when all its neighbours are of its own part. So no two workers ever
/// write to one place, nor does one read what another one writes, and what comes out does not depend
/// on which of them runs first.
struct CollapseWorker: ~Copyable {
  typealias Kind = CollapseState.Kind

  /// A step that would give a vertex more faces than this is not taken: it makes fans of slivers.
  static let maximumValence = 24
  /// How much the squared length of a step counts beside the squared distance from the planes.
  static let travelWeight: Float = 1e-5

  let state: CollapseState
  let options: EdgeCollapse.Options
  let owner: UInt16
  var ring = Ring()
  var targetRing = Ring()
  var movedWedges = FixedArray<UInt32>(repeating: 0, count: Ring.capacity)
  var candidates = Candidates()
  var queue: BucketQueue
  var removedFaces = 0
  var largestError: Float = 0
  var wasErrorBound = false
  /// Of no use but that without it the compiler would leave ``fetch(_:)`` out.
  private var fetched: UInt32 = 0

  /// - Parameter owner: The part that it works on.
  init(_ state: CollapseState, _ options: EdgeCollapse.Options, owner: UInt16) {
    self.state = state
    self.options = options
    self.owner = owner
    queue = BucketQueue(links: state.links)
  }

  /// Takes steps until the next one is dearer than a limit, or enough faces are removed.
  ///
  /// - Parameters:
  ///   - vertices: Those of the part.
  ///   - last: The last bucket of costs to go to.
  ///   - quota: The number of faces to remove at most, but for one.
  mutating func run(
    _ vertices: some Sequence<UInt32>, upTo last: Int, quota: Int,
    progress: (Int) throws(Cancelled) -> Void
  ) throws(Cancelled) {
    fetched = fetch(vertices)
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

  /// Reads the part's memory once, in the order in which it lies there.
  ///
  /// Steps read it at random and follow links from face to face, so that each would wait for memory; now it is
  /// in the core's own cache by then. That takes a fifth off the time of a whole run.
  private func fetch(_ vertices: some Sequence<UInt32>) -> UInt32 {
    var sum: UInt32 = 0
    for vertex in vertices {
      let first = vertex == 0 ? 0 : state.faceEnds[vertex - 1]
      for face in first..<max(first, state.faceEnds[vertex]) { sum &+= state.faces[8 * face] }
      sum &+= state.firstCorners[vertex] &+ UInt32(state.kinds[vertex].rawValue)
      sum &+= (state.quadrics[vertex].c + state.areaVectors[vertex].x).bitPattern
      sum &+= state.positions[vertex].x.bitPattern
      if options.movesVertices { sum &+= state.planes[vertex].matrix.xx.bitPattern }
    }
    return sum
  }

  /// How many buckets dearer than the present a step may be, rather than to wait for its turn.
  private var slack: Int { options.isThorough ? 0 : options.movesVertices ? 2 : 6 }

  /// Moves the vertex where it is cheapest when it is its turn, or lets it wait for that.
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

  /// Whether the vertices of a ring are all of this worker's part.
  func isInside(_ ring: borrowing Ring) -> Bool {
    for place in 0..<ring.count
    where state.owners[ring.next[place]] != owner || state.owners[ring.previous[place]] != owner {
      return false
    }
    return true
  }

  /// The root of the mean squared distance of the new place from the planes of both vertices.
  private func error(ofMoving u: Int, onto v: Int, by offset: SIMD3<Float>) -> Float {
    let weight = state.quadrics[u].weight + state.quadrics[v].weight
    guard weight > 0 else { return 0 }
    let place = state.positions[u].simd + offset
    let sum =
      state.quadrics[u].error(at: offset)
      + state.quadrics[v].error(at: place - state.positions[v].simd)
    return (sum / weight).squareRoot()
  }

  /// Takes a step; the ring is that of `u`, and ``canMove(_:onto:by:both:)`` has just allowed it.
  private mutating func move(_ u: Int, onto v: Int, by offset: SIMD3<Float>, both: Bool) {
    let (from, to) = (state.positions[u].simd, state.positions[v].simd)
    let target = UInt32(truncatingIfNeeded: v)
    state.quadrics[v].add(state.quadrics[u], offset: to - from)
    state.areaVectors[v].simd += state.areaVectors[u].simd
    if both {
      let place = from + offset
      state.quadrics[v].move(by: place - to)
      if (place - from).lengthSquared < (place - to).lengthSquared {
        state.anchors[v] = state.anchors[u]
      }
      state.positions[v] = Vector3(place)
    }
    state.kinds[u] = .removed

    for place in 0..<ring.count {
      let corner = ring.corners[place]
      if ring.has(target, at: place) {
        state.faces[corner & ~7] = CollapseState.none
        removedFaces += 1
      } else {
        state.faces[corner] = target
        state.faces[corner + 4] = state.firstCorners[v]
        state.firstCorners[v] = corner
        if state.hasWedges {
          state.wedges[CollapseState.wedgePlace(corner)] = movedWedges[place]
        }
      }
    }
    for place in 0..<ring.count { lookAgain(ring.next[place], ring.previous[place]) }
    if both {
      for place in 0..<targetRing.count {
        lookAgain(targetRing.next[place], targetRing.previous[place])
      }
      if !queue.isWaiting(v) { queue.add(v, bucket: queue.current) }
    }
  }

  private mutating func lookAgain(_ one: UInt32, _ other: UInt32) {
    lookAgain(Int(one))
    lookAgain(Int(other))
  }

  /// Gives a vertex that had no way to go another chance, since its neighbourhood has changed.
  private mutating func lookAgain(_ vertex: Int) {
    if options.movesVertices { state.planes[vertex].matrix.xx = -1 }
    guard !queue.isWaiting(vertex), state.isMovable(vertex),
      state.costs[vertex] == .infinity
    else { return }
    // A little later, so that one that is still stuck is not asked after each step beside it.
    queue.add(vertex, bucket: queue.current + 2)
  }

  // MARK: - Lines

  /// What the edge between the ring's vertex and a neighbour is part of.
  enum Line {
    /// Nothing: the same surface goes on behind it.
    case none
    case border, region, seam
    /// An edge with more than two faces.
    case complex
  }

  /// What the edge between the ring's vertex and a neighbour is part of.
  func line(toward neighbor: UInt32) -> Line {
    var found = 0
    var firstPlace = 0
    var line = Line.none
    for place in 0..<ring.count where ring.has(neighbor, at: place) {
      found += 1
      if found == 1 {
        firstPlace = place
      } else if found == 2 {
        let (one, other) = (ring.corners[firstPlace], ring.corners[place])
        if state.faces[one | 3] != state.faces[other | 3] {
          line = .region
        } else if state.hasWedges,
          wedge(ofCorner: one) != wedge(ofCorner: other)
            || wedge(of: neighbor, at: firstPlace) != wedge(of: neighbor, at: place)
        {
          line = .seam
        }
      }
    }
    return found == 1 ? .border : found == 2 ? line : .complex
  }

  @inline(__always)
  func wedge(ofCorner corner: UInt32) -> UInt32 { state.wedges[CollapseState.wedgePlace(corner)] }

  /// The wedge of a neighbour in one of the ring's faces that has it.
  func wedge(of neighbor: UInt32, at place: Int) -> UInt32 {
    let corner = ring.corners[place]
    return wedge(
      ofCorner: ring.next[place] == neighbor
        ? CollapseState.next(corner) : CollapseState.previous(corner))
  }
}
