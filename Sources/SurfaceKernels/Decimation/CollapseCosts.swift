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
