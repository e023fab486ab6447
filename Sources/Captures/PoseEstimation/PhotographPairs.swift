/// Which photographs are compared with each other.
struct PhotographPairs {
  /// Up to this number each is compared with all others.
  static let mostExhaustive = 40
  /// The number of the next ones, in the order in which they were taken, that a photograph is compared with.
  private static let neighbors = 8

  /// The number of those that are compared with each other, of many.
  private static let keys = 25

  /// Pairs of places in the order in which the photographs were taken, the smaller one first.
  ///
  /// Of more than ``mostExhaustive``, each is compared with the next ones, with some at growing distances (1, 2, 4, …),
  /// and each n-th with all others of these: so a path that comes back to its beginning is closed.
  let pairs: [(Int, Int)]

  init(count: Int) {
    let keys = count > Self.mostExhaustive ? Self.keys : Self.mostExhaustive
    let stride = max(1, (count + keys - 1) / keys)
    var pairs: [(Int, Int)] = []
    for first in 0..<max(0, count) {
      for second in first + 1..<max(first + 1, count) {
        let distance = second - first
        let isNear = distance <= Self.neighbors || distance.nonzeroBitCount == 1
        let areBothKeys = first % stride == 0 && second % stride == 0
        if isNear || areBothKeys { pairs.append((first, second)) }
      }
    }
    self.pairs = pairs
  }
}
