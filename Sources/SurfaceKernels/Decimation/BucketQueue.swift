import MeshpipeScene

/// A priority queue of numbered members whose costs are sorted into buckets.
///
/// A bucket holds costs that differ by at most a quarter; within a bucket the last in is the first
/// out. Adding and removing cost O(1), and each member can wait once. The links between members are
/// in memory that several queues share, each for members of its own.
struct BucketQueue: ~Copyable {
  private static let none = UInt32.max
  /// The bits of a cost below these do not count: 8 bits of exponent and 2 of mantissa remain.
  private static let ignoredBits: UInt32 = 21
  static let bucketCount = Int(Float.infinity.bitPattern >> ignoredBits) + 1

  /// The link of a member that is not in the queue.
  static let notWaiting = UInt32.max - 1

  private var heads = ScratchBuffer<UInt32>(repeating: none, count: bucketCount)
  private let next: DisjointBuffer<UInt32>
  /// No bucket below this one has members.
  private(set) var current = 0

  /// - Parameter links: ``notWaiting`` for each member.
  init(links: DisjointBuffer<UInt32>) { next = links }

  /// The bucket of a cost, which must not be negative.
  @inline(__always)
  static func bucket(of cost: Float) -> Int { Int(cost.bitPattern >> ignoredBits) }

  @inline(__always)
  func isWaiting(_ member: Int) -> Bool { next[member] != Self.notWaiting }

  /// Adds a member that is not waiting to a bucket; costs below the present bucket go into it.
  @inline(__always)
  mutating func add(_ member: Int, bucket: Int) {
    let bucket = min(max(bucket, current), heads.count - 1)
    next[member] = heads[bucket]
    heads[bucket] = UInt32(truncatingIfNeeded: member)
  }

  /// Removes a member of the lowest bucket up to a last one; nil if there is none.
  @inline(__always)
  mutating func takeFirst(upTo last: Int) -> Int? {
    while current <= last, heads[current] == Self.none { current += 1 }
    guard current <= last else { return nil }
    let member = Int(heads[current])
    heads[current] = next[member]
    next[member] = Self.notWaiting
    return member
  }

  /// Removes all members.
  mutating func removeAll() {
    while takeFirst(upTo: heads.count - 1) != nil {}
    current = 0
  }
}

/// A histogram of the costs of vertices.
struct CollapseCosts {
  private var sizes = [Int](repeating: 0, count: BucketQueue.bucketCount)

  mutating func add(_ cost: Float) {
    sizes[BucketQueue.bucket(of: cost)] += 1
  }

  /// The first bucket up to which there are more than a number of vertices, among those of finite
  /// costs.
  func limit(for wanted: Int) -> Int {
    var count = 0
    for bucket in sizes.indices.dropLast() {
      count += sizes[bucket]
      if count > wanted { return bucket }
    }
    return sizes.count - 2
  }
}
