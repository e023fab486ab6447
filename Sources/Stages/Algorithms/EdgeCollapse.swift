import MeshPipeline

/// Thins a triangle mesh by moving vertices onto neighbours, the cheapest move first.
///
/// Each step takes a vertex `u` and a neighbour `v`, lets `v` take the place of `u` in all of `u`'s
/// faces, and removes the one or two faces that had both. What remains is a part of the input's
/// vertices and faces, so that attributes stay exact. A step is only taken when
/// - the surface stays what it is: the neighbours that `u` and `v` share are those of their common
///   faces (the link condition), so that no edge gets a third face and no hole closes or opens,
/// - no face turns over, seen from its old self and from the original surface around its vertices,
///   and none becomes a sliver,
/// - *lines* hold: a vertex on a border of the mesh, of a region or of a seam moves along that line
///   only; where lines end or meet it stays. A vertex that is not manifold stays.
///
/// The cost of a step is the quadric error of Garland and Heckbert (1997), weighted by area, with
/// planes upright on the lines that are to keep their place. Costs are renewed when their turn comes
/// and not when a neighbour changes (they rarely fall), after "Fast Mesh Decimation by Multiple-Choice
/// Techniques" (Wu and Kobbelt 2002) and its kin. One thread, deterministic.
struct EdgeCollapse: ~Copyable {
  /// What is to be thinned.
  struct Surface {
    /// One per vertex; vertices at one place should be one vertex.
    var positions: [Vector3]
    /// The vertex of each corner, three corners per face.
    var vertices: [UInt32]
    /// A number for the attributes of each corner, or nil when corners of a vertex never differ.
    ///
    /// Two corners of a vertex have the same number when they have the same attributes.
    var wedges: [UInt32]?
    /// The region that each face belongs to, or nil when there is one region.
    var regions: [UInt32]?
  }

  /// How far to go, and what to hold.
  struct Options {
    var targetFaceCount: Int
    /// The largest error of a step (root of the mean squared distance), in units of the positions.
    var maximumError = Float.infinity
    /// Whether the mesh's open borders keep their place.
    var holdsBorders = true
    /// Whether lines between regions keep their place.
    var holdsRegions = true
    /// Whether lines where wedges change keep their place.
    var holdsSeams = true
  }

  /// Why it ended.
  enum Stop { case target, error, topology }

  /// What is left.
  struct Result {
    /// The faces of the input that are left, ascending.
    var faces: [UInt32]
    /// The vertex of each corner of those faces.
    var vertices: [UInt32]
    /// The wedge of each corner of those faces, when the input had them.
    var wedges: [UInt32]?
    /// The largest error of a step that was taken, in units of the positions.
    var error: Float
    var stop: Stop
  }

  /// What a vertex may do.
  enum Kind: UInt8, BitwiseCopyable { case free, onLine, fixed, removed }

  /// A part of an array.
  struct Row: BitwiseCopyable {
    var start: UInt32
    var count: UInt32
  }

  /// No face, corner or vertex.
  static let none = UInt32.max
  /// A step that would give a vertex more faces than this is not taken: it makes fans of slivers.
  static let maximumValence = 24

  /// How much the squared length of a step counts beside the squared distance from the planes.
  static let travelWeight: Float = 1e-5

  let options: Options
  /// From units of the positions to those of the computation, where the extent is 1.
  let scale: Float
  /// The vertex of the input that each vertex was; the working order is spatial.
  let vertexOrder: [UInt32]
  /// The face of the input that each face was.
  let faceOrder: [UInt32]
  var positions: FixedArray<SIMD3<Float>>
  var kinds: FixedArray<Kind>
  var quadrics: FixedArray<Quadric>
  /// The original surface around each vertex and all that moved onto it: the sum of its area vectors.
  var areaVectors: FixedArray<SIMD3<Float>>
  /// Four numbers per face: its three vertices and its region.
  ///
  /// The first vertex of a removed face is `none`. A corner is named by the place of its vertex here,
  /// `4 * face + 0…2`.
  var faces: FixedArray<UInt32>
  /// By corner as in the input, three per face.
  var wedges: FixedArray<UInt32>
  let hasWedges: Bool
  /// Where the corners of each vertex lie in ``rowCorners``; removed faces may still be among them.
  var rows: FixedArray<Row>
  /// The corners of all vertices, in rows.
  ///
  /// A vertex that grows gets a new row at the end, and its old one lies idle.
  var rowCorners: FixedArray<UInt32>
  var rowEnd = 0
  var ring = Ring()
  var marks: FixedArray<UInt32>
  var lastMark: UInt32 = 0
  var queue: BucketQueue
  var faceCount: Int
  var largestError: Float = 0
  var wasErrorBound = false

  /// Thins a surface.
  ///
  /// - Parameter progress: Called now and then with the part that is done.
  static func run(
    _ surface: Surface, _ options: Options, progress: (Double) throws(Cancelled) -> Void
  ) throws(Cancelled) -> Result {
    var collapse = EdgeCollapse(surface, options)
    try progress(0.1)
    collapse.prepareVertices()
    try progress(0.25)
    collapse.fillQueue()
    let total = max(1, collapse.faceCount - options.targetFaceCount)
    let start = collapse.faceCount
    var steps = 0
    while collapse.faceCount > options.targetFaceCount, let vertex = collapse.queue.takeFirst() {
      collapse.tryToRemove(vertex)
      steps += 1
      if steps & 0xFFF == 0 {
        try progress(0.25 + 0.7 * Double(start - collapse.faceCount) / Double(total))
      }
    }
    return collapse.result()
  }

  /// Moves the vertex onto its cheapest neighbour when it is its turn, or lets it wait for that.
  private mutating func tryToRemove(_ u: Int) {
    guard gatherRing(of: u) else { return }
    findCandidates(of: u)
    while let (v, cost) = ring.takeCheapest() {
      let bucket = BucketQueue.bucket(of: cost)
      guard bucket <= queue.current else { return queue.add(u, bucket: bucket) }
      guard canMove(u, onto: v) else { continue }
      let error = error(ofMoving: u, onto: v)
      guard error <= options.maximumError * scale else {
        wasErrorBound = true
        continue
      }
      largestError = max(largestError, error)
      return move(u, onto: v)
    }
  }

  /// Fills the ring's candidates: where the vertex may go by its kind, and at which cost.
  mutating func findCandidates(of u: Int) {
    ring.candidateCount = 0
    let quadric = quadrics[u]
    let origin = positions[u]
    let onLine = kinds[u] == .onLine
    for place in 0..<ring.count {
      consider(ring.next[place])
      // At an open border one neighbour is nobody's next.
      if onLine, !ring.isNext(ring.previous[place]) { consider(ring.previous[place]) }
    }

    func consider(_ v: UInt32) {
      if onLine, line(toward: v) == .none { return }
      let offset = positions[v] - origin
      // What the sum of all errors grows by, and a little for the way, where the planes do not care.
      let growth = max(0, quadric.error(at: offset) - quadric.c)
      let cost = growth + Self.travelWeight * quadric.weight * offset.lengthSquared
      if cost.isFinite { ring.addCandidate(v, cost: cost) }
    }
  }

  /// Puts all vertices that may move into the queue.
  private mutating func fillQueue() {
    for vertex in stride(from: kinds.count - 1, through: 0, by: -1)
    where kinds[vertex] == .free || kinds[vertex] == .onLine {
      guard gatherRing(of: vertex) else { continue }
      findCandidates(of: vertex)
      guard let (_, cost) = ring.takeCheapest() else { continue }
      queue.add(vertex, bucket: BucketQueue.bucket(of: cost))
    }
  }

  /// The root of the mean squared distance of `v` from the planes of both vertices.
  private func error(ofMoving u: Int, onto v: Int) -> Float {
    let weight = quadrics[u].weight + quadrics[v].weight
    guard weight > 0 else { return 0 }
    let sum = quadrics[u].error(at: positions[v] - positions[u]) + quadrics[v].c
    return (sum / weight).squareRoot()
  }

  /// Moves a vertex; the ring is that of `u`, and ``canMove(_:onto:)`` has just allowed it.
  private mutating func move(_ u: Int, onto v: Int) {
    quadrics[v].add(quadrics[u], offset: positions[v] - positions[u])
    areaVectors[v] += areaVectors[u]
    kinds[u] = .removed

    for place in 0..<ring.count {
      let corner = ring.corners[place]
      if ring.next[place] == v || ring.previous[place] == v {
        faces[corner & ~3] = Self.none
        faceCount -= 1
      } else {
        faces[corner] = UInt32(truncatingIfNeeded: v)
        if hasWedges { wedges[wedgePlace(corner)] = ring.movedWedges[place] }
      }
    }
    joinRows(of: u, and: v)
    for place in 0..<ring.count {
      wait(Int(ring.next[place]))
      wait(Int(ring.previous[place]))
    }
  }

  /// The place of a corner's wedge.
  @inline(__always)
  func wedgePlace(_ corner: UInt32) -> Int { Int(corner >> 2 * 3 + corner & 3) }

  /// Gives a vertex that had no way to go another chance, since its neighbourhood has changed.
  private mutating func wait(_ vertex: Int) {
    guard !queue.isWaiting(vertex), kinds[vertex] == .free || kinds[vertex] == .onLine else {
      return
    }
    // A little later, so that one that is still stuck is not asked after each step beside it.
    queue.add(vertex, bucket: queue.current + 2)
  }

  private consuming func result() -> Result {
    // Back to the order of the input.
    var newFace = FixedArray<UInt32>(repeating: Self.none, count: faceOrder.count)
    for face in faceOrder.indices where faces[4 * face] != Self.none {
      newFace[faceOrder[face]] = UInt32(truncatingIfNeeded: face)
    }
    var left: [UInt32] = []
    left.reserveCapacity(faceCount)
    var corners: [UInt32] = []
    corners.reserveCapacity(3 * faceCount)
    var cornerWedges: [UInt32] = []
    if hasWedges { cornerWedges.reserveCapacity(3 * faceCount) }
    for old in 0..<newFace.count where newFace[old] != Self.none {
      left.append(UInt32(truncatingIfNeeded: old))
      let first = 4 * newFace[old]
      for corner in first..<first + 3 {
        corners.append(vertexOrder[Int(faces[corner])])
        if hasWedges { cornerWedges.append(wedges[wedgePlace(corner)]) }
      }
    }
    let stop: Stop =
      faceCount <= options.targetFaceCount ? .target : wasErrorBound ? .error : .topology
    return Result(
      faces: left, vertices: corners, wedges: hasWedges ? cornerWedges : nil,
      error: largestError / scale, stop: stop)
  }
}
