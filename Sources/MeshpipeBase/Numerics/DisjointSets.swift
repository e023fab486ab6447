/// Disjoint sets of numbers from 0 (union-find with path halving; the lowest member is the root).
@usableFromInline
package struct DisjointSets {
  /// For each member another of its set, which is lower except for the root.
  @usableFromInline var parents: [UInt32]

  @inlinable
  package init(count: Int) {
    parents = Array(0..<UInt32(truncatingIfNeeded: count))
  }

  /// Unites the sets of two members.
  @inlinable
  package mutating func join(_ a: Int, _ b: Int) {
    let (a, b) = (root(of: a), root(of: b))
    if a < b { parents[b] = UInt32(a) } else { parents[a] = UInt32(b) }
  }

  /// The lowest member of the set of a member.
  @inlinable
  package mutating func root(of member: Int) -> Int {
    var member = member
    while parents[member] != member {
      // Path halving keeps all paths short.
      parents[member] = parents[Int(parents[member])]
      member = Int(parents[member])
    }
    return member
  }

  /// The set of each member, numbered in the order of first members, and the number of sets.
  @inlinable
  package consuming func numbered() -> (labels: [UInt32], count: Int) {
    var count: UInt32 = 0
    for member in parents.indices {
      // The root is the lowest member, so its number is known before any other member needs it.
      if parents[member] == member {
        parents[member] = count
        count += 1
      } else {
        parents[member] = parents[Int(parents[member])]
      }
    }
    return (parents, Int(count))
  }
}
