/// Groups of points, with for each whether it is turned against the group's root (a union-find with
/// parity).
struct TurnedGroups {
  private var parent: [UInt32]
  private var isTurned: [Bool]

  init(count: Int) {
    parent = (0..<count).map { UInt32($0) }
    isTurned = [Bool](repeating: false, count: count)
  }

  /// The root of a point's group.
  mutating func member(_ point: Int) -> (root: Int, isTurned: Bool) {
    var (root, turn) = (point, false)
    while Int(parent[root]) != root {
      turn = turn != isTurned[root]
      root = Int(parent[root])
    }
    var (place, rest) = (point, turn)
    while place != root {
      let next = (Int(parent[place]), rest != isTurned[place])
      (parent[place], isTurned[place]) = (UInt32(root), rest)
      (place, rest) = next
    }
    return (root, turn)
  }

  /// Joins the groups of two points, unless they are in one.
  ///
  /// - Parameter isTurned: Whether the two are turned against each other.
  mutating func join(_ one: Int, _ other: Int, isTurned isAgainst: Bool) {
    let (a, b) = (member(one), member(other))
    guard a.root != b.root else { return }
    let (low, high) = (min(a.root, b.root), max(a.root, b.root))
    parent[high] = UInt32(low)
    isTurned[high] = (a.isTurned != b.isTurned) != isAgainst
  }
}
