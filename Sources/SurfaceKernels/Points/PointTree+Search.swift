import MeshpipeScene

/// The nearest points found so far, nearest first, equally distant ones by index.
struct NearestPoints: ~Copyable {
  /// A point and its distance.
  struct Neighbor: BitwiseCopyable, Sendable {
    var squaredDistance: Double
    var index: UInt32

    @inline(__always)
    static func < (one: Neighbor, other: Neighbor) -> Bool {
      one.squaredDistance < other.squaredDistance
        || one.squaredDistance == other.squaredDistance && one.index < other.index
    }
  }

  private let places: ScratchBuffer<Neighbor>
  private(set) var count = 0
  private let squaredReach: Double

  /// - Parameters:
  ///   - capacity: How many are looked for, at least 1.
  ///   - reach: The distance beyond which none is needed.
  init(capacity: Int, reach: Double = .infinity) {
    squaredReach = reach * reach
    places = ScratchBuffer(
      repeating: Neighbor(squaredDistance: .infinity, index: .max), count: capacity)
  }

  /// The distance beyond which no point is needed.
  var limit: Double {
    count < places.count ? squaredReach : places[places.count - 1].squaredDistance
  }

  subscript(place: Int) -> Neighbor { places[place] }

  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func add(_ neighbor: Neighbor) {
    var index = count
    if count < places.count {
      count += 1
    } else {
      index -= 1
      guard neighbor < places[index] else { return }
    }
    while index > 0, neighbor < places[index - 1] {
      places[index] = places[index - 1]
      index -= 1
    }
    places[index] = neighbor
  }
}

extension PointTree {
  /// Finds the nearest points of a position; a point of the tree there is one of them.
  func find(_ found: inout NearestPoints, around center: SIMD3<Double>) {
    found.removeAll()
    search(level: 0, index: 0, gaps: .zero, around: center, &found)
  }

  /// - Parameter gaps: The distance of the node's region from the centre along each axis.
  private func search(
    level: Int, index: Int, gaps: SIMD3<Double>, around center: SIMD3<Double>,
    _ found: inout NearestPoints
  ) {
    guard level < depth else {
      for item in range(level: level, index: index) {
        let distance = Self.squared(items[item].position.double - center)
        // Equally distant points count too: the lower index wins.
        if distance <= found.limit {
          found.add(.init(squaredDistance: distance, index: items[item].index))
        }
      }
      return
    }
    let (near, axis, gap) = side(of: center, level: level, index: index)
    search(level: level + 1, index: near, gaps: gaps, around: center, &found)
    var far = gaps
    far[axis] = gap
    if Self.squared(far) <= found.limit {
      search(level: level + 1, index: near ^ 1, gaps: far, around: center, &found)
    }
  }

  /// The number of points nearer to a position than a distance, counted up to a limit.
  func count(
    within squaredRadius: Double, of center: SIMD3<Double>, upTo limit: Int
  ) -> Int {
    var found = 0
    count(
      level: 0, index: 0, gaps: .zero, of: center, squaredRadius: squaredRadius, upTo: limit,
      found: &found)
    return found
  }

  private func count(
    level: Int, index: Int, gaps: SIMD3<Double>, of center: SIMD3<Double>,
    squaredRadius: Double, upTo limit: Int, found: inout Int
  ) {
    guard level < depth else {
      for item in range(level: level, index: index)
      where Self.squared(items[item].position.double - center) < squaredRadius { found += 1 }
      return
    }
    let (near, axis, gap) = side(of: center, level: level, index: index)
    count(
      level: level + 1, index: near, gaps: gaps, of: center, squaredRadius: squaredRadius,
      upTo: limit, found: &found)
    var far = gaps
    far[axis] = gap
    if found < limit, Self.squared(far) < squaredRadius {
      count(
        level: level + 1, index: near ^ 1, gaps: far, of: center, squaredRadius: squaredRadius,
        upTo: limit, found: &found)
    }
  }

  /// Calls something with the index and the position of each point nearer to a position than a distance, in the order of
  /// the leaves.
  func forEachPoint(
    within radius: Double, of center: SIMD3<Double>,
    _ body: (_ index: UInt32, _ position: SIMD3<Double>) -> Void
  ) {
    visit(level: 0, index: 0, gaps: .zero, around: center, squaredRadius: radius * radius, body)
  }

  private func visit(
    level: Int, index: Int, gaps: SIMD3<Double>, around center: SIMD3<Double>,
    squaredRadius: Double, _ body: (UInt32, SIMD3<Double>) -> Void
  ) {
    guard level < depth else {
      for item in range(level: level, index: index) {
        let position = items[item].position.double
        if Self.squared(position - center) < squaredRadius { body(items[item].index, position) }
      }
      return
    }
    let (near, axis, gap) = side(of: center, level: level, index: index)
    var far = gaps
    far[axis] = gap
    let isFarReached = Self.squared(far) < squaredRadius
    if isFarReached, near == 2 * index + 1 {
      visit(
        level: level + 1, index: near ^ 1, gaps: far, around: center, squaredRadius: squaredRadius,
        body)
    }
    visit(
      level: level + 1, index: near, gaps: gaps, around: center, squaredRadius: squaredRadius, body)
    if isFarReached, near == 2 * index {
      visit(
        level: level + 1, index: near ^ 1, gaps: far, around: center, squaredRadius: squaredRadius,
        body)
    }
  }

  /// The child of a node on whose side a position is, and the distance to the other child's side.
  @inline(__always)
  func side(
    of center: SIMD3<Double>, level: Int, index: Int
  ) -> (near: Int, axis: Int, gap: Double) {
    let node = nodes[(1 << level) - 1 + index]
    let axis = Int(node.axis)
    let offset = center[axis] - Double(node.border)
    return (offset < 0 ? 2 * index : 2 * index + 1, axis, offset.magnitude)
  }

  /// In a fixed order, so that rounding never makes a region farther than a point in it.
  @inline(__always)
  static func squared(_ offset: SIMD3<Double>) -> Double {
    offset.x * offset.x + offset.y * offset.y + offset.z * offset.z
  }
}
