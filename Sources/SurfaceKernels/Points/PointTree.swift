package import MeshpipeScene

/// A balanced k-d tree over the finite points of a cloud, for exact searches in double precision.
///
/// The points are copied into the order of the leaves, each with its index: 16 bytes per point. Each
/// inner node halves its points at the median along the longest edge of their box, so that all
/// leaves have the same depth, the ranges of nodes follow from their numbers, and coinciding points
/// cost nothing (Friedman, Bentley and Finkel 1977). The tree does not depend on the number of
/// threads.
package struct PointTree: ~Copyable, Sendable {
  /// The points, leaf by leaf.
  let items: ScratchBuffer<Item>
  /// The inner nodes in heap order: the children of node `n` are `2n + 1` and `2n + 2`.
  let nodes: ScratchBuffer<Node>
  /// The number of levels of inner nodes.
  let depth: Int

  /// The most points of a leaf.
  private static var leafSize: Int { 16 }
  /// Levels whose nodes are split one level at a time; each node below is one task.
  private static var commonLevels: Int { 8 }

  /// A point of the cloud.
  struct Item: BitwiseCopyable, Sendable {
    let position: Vector3
    let index: UInt32

    @inline(__always)
    func coordinate(_ axis: UInt32) -> Float {
      axis == 0 ? position.x : axis == 1 ? position.y : position.z
    }
  }

  /// A plane between two halves: points of the first are not above it, those of the second not below.
  struct Node: BitwiseCopyable, Sendable {
    var border: Float
    var axis: UInt32
  }

  /// Builds the tree; non-finite points are left out.
  ///
  /// - Complexity: O(n log n)
  package init(_ positions: [Vector3]) {
    let counts = Parallel.mapChunks(of: positions.count) { range in
      range.count { positions[$0].isFinite }
    }
    var starts = [0]
    for count in counts { starts.append(starts[starts.count - 1] + count) }
    let total = starts[counts.count]
    let items = ScratchBuffer<Item>(uninitialized: total)
    Parallel.forEachChunk(of: positions.count) { [starts] chunk, range in
      var place = starts[chunk]
      for index in range where positions[index].isFinite {
        items[place] = Item(
          position: positions[index], index: UInt32(truncatingIfNeeded: index))
        place += 1
      }
    }
    var depth = 0
    while total >> depth > Self.leafSize { depth += 1 }
    let nodes = ScratchBuffer<Node>(
      repeating: Node(border: 0, axis: 0), count: (1 << depth) - 1)
    self.items = items
    self.nodes = nodes
    self.depth = depth
    build()
  }

  /// The number of points in the tree.
  package var count: Int { items.count }

  /// The items below a node of a level.
  @inline(__always)
  func range(level: Int, index: Int) -> Range<Int> {
    (index * items.count) >> level..<((index + 1) * items.count) >> level
  }

  private borrowing func build() {
    let common = min(depth, Self.commonLevels)
    for level in 0..<common {
      Parallel.forEachChunk(of: 1 << level, chunkSize: 1) { index, _ in split(level, index) }
    }
    guard depth > common else { return }
    Parallel.forEachChunk(of: 1 << common, chunkSize: 1) { index, _ in
      splitAll(from: common, index)
    }
  }

  private borrowing func splitAll(from level: Int, _ index: Int) {
    guard level < depth else { return }
    split(level, index)
    splitAll(from: level + 1, 2 * index)
    splitAll(from: level + 1, 2 * index + 1)
  }

  private borrowing func split(_ level: Int, _ index: Int) {
    let range = self.range(level: level, index: index)
    let middle = self.range(level: level + 1, index: 2 * index).upperBound
    let axis = longestAxis(of: range)
    select(middle, in: range, along: axis)
    nodes[(1 << level) - 1 + index] = Node(border: items[middle].coordinate(axis), axis: axis)
  }

  private borrowing func longestAxis(of range: Range<Int>) -> UInt32 {
    var low = items[range.lowerBound].position.simd
    var high = low
    for index in range {
      low = pointwiseMin(low, items[index].position.simd)
      high = pointwiseMax(high, items[index].position.simd)
    }
    // Half of each, since the difference of finite numbers may not be finite.
    let size = high / 2 - low / 2
    return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2
  }

  /// Moves the item that is at `target` in sorted order there, smaller ones before and larger ones
  /// behind it (Hoare 1961).
  private borrowing func select(_ target: Int, in range: Range<Int>, along axis: UInt32) {
    // Random pivots: no order of points in a file is bad for them.
    var random = SplitMix64(seed: UInt64(range.lowerBound) << 32 | UInt64(range.upperBound))
    var (low, high) = (range.lowerBound, range.upperBound - 1)
    while low < high {
      func candidate() -> Float {
        items[low + Int(random.unit() * Double(high - low + 1))].coordinate(axis)
      }
      let (a, b, c) = (candidate(), candidate(), candidate())
      let pivot = max(min(a, b), min(max(a, b), c))
      var (left, right) = (low, high)
      while left <= right {
        while items[left].coordinate(axis) < pivot { left += 1 }
        while items[right].coordinate(axis) > pivot { right -= 1 }
        if left <= right {
          (items[left], items[right]) = (items[right], items[left])
          left += 1
          right -= 1
        }
      }
      if target <= right { high = right } else if target >= left { low = left } else { return }
    }
  }
}
