import MeshpipeBase
import MeshpipeScene

/// Connected parts of samples: those in a cell of a grid, and in the cells around it.
struct ShapeParts {
  /// The numbers of the samples of each part, in order, the heaviest part first.
  private(set) var parts: [(numbers: [Int32], weight: Double)] = []

  /// - Parameters:
  ///   - numbers: Of samples, in ascending order.
  ///   - gap: The edge of a cell: parts farther apart than twice this are not connected.
  /// - Complexity: O(samples)
  init(of samples: ShapeSamples, _ numbers: [Int32], gap: Double) {
    var keys: [UInt64] = []
    var cells: [UInt64: Int] = [:]
    // Successive samples often are in one cell.
    var last: (key: UInt64, place: Int)?
    let places = numbers.map { number in
      let key = Self.cell(of: samples.positions[Int(number)].double, size: gap)
      if let last, last.key == key { return last.place }
      let place = cells[key] ?? keys.count
      if place == keys.count {
        cells[key] = place
        keys.append(key)
      }
      last = (key, place)
      return place
    }
    var groups = DisjointSets(count: keys.count)
    for (place, key) in keys.enumerated() {
      for step in Self.steps {
        if let other = cells[key &+ step] { groups.join(place, other) }
      }
    }
    var order = [Int](repeating: -1, count: keys.count)
    for (number, place) in zip(numbers, places) {
      let root = groups.root(of: place)
      if order[root] < 0 {
        order[root] = parts.count
        parts.append(([], 0))
      }
      let index = order[root]
      parts[index].numbers.append(number)
      parts[index].weight += Double(samples.weights[Int(number)])
    }
    // Equal weights in the order of their first samples.
    let sorted = parts.indices.sorted {
      (parts[$1].weight, $0) < (parts[$0].weight, $1)
    }
    parts = sorted.map { parts[$0] }
  }

  /// The key of a cell; samples are within an extent of 1.
  static func cell(of position: SIMD3<Double>, size: Double) -> UInt64 {
    SparseBlocks.key(SIMD3<Int32>((position / max(size, 1e-6)).rounded(.down)))
  }

  /// To half of the cells around one: the others find it.
  private static let steps: [UInt64] = {
    var steps: [UInt64] = []
    for x in [-1, 0, 1] {
      for y in [-1, 0, 1] {
        for z in [-1, 0, 1] where (x, y, z) > (0, 0, 0) {
          steps.append(UInt64(bitPattern: Int64(x * (1 << 42) + y * (1 << 21) + z)))
        }
      }
    }
    return steps
  }()
}
