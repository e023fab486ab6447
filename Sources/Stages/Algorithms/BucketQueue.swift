/// A priority queue of numbered members with costs that are sorted into buckets.
///
/// A bucket holds costs that differ by at most a quarter; within a bucket the last one in is
/// the first one out. Adding and taking cost O(1), and each member can wait once.
struct BucketQueue: ~Copyable {
  private static let none = UInt32.max
  /// The bits of a cost below these do not count: 8 bits of exponent and 2 of mantissa remain.
  private static let ignoredBits: UInt32 = 21

  private var heads: FixedArray<UInt32>
  private var next: FixedArray<UInt32>
  private var waiting: FixedArray<Bool>
  /// No bucket below this one has members.
  private(set) var current = 0

  init(memberCount: Int) {
    let bucketCount = Int(Float.infinity.bitPattern >> Self.ignoredBits) + 1
    heads = FixedArray(repeating: Self.none, count: bucketCount)
    next = FixedArray(repeating: Self.none, count: memberCount)
    waiting = FixedArray(repeating: false, count: memberCount)
  }

  /// The bucket of a cost, which must not be negative.
  static func bucket(of cost: Float) -> Int { Int(cost.bitPattern >> ignoredBits) }

  func isWaiting(_ member: Int) -> Bool { waiting[member] }

  /// Adds a member that is not waiting to a bucket; what is cheaper than the present comes now.
  mutating func add(_ member: Int, bucket: Int) {
    let bucket = min(max(bucket, current), heads.count - 1)
    next[member] = heads[bucket]
    heads[bucket] = UInt32(truncatingIfNeeded: member)
    waiting[member] = true
  }

  /// Takes a member of the lowest bucket, or nil when none is left.
  mutating func takeFirst() -> Int? {
    while current < heads.count, heads[current] == Self.none { current += 1 }
    guard current < heads.count else { return nil }
    let member = Int(heads[current])
    heads[current] = next[member]
    waiting[member] = false
    return member
  }
}
