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
    var cells: [UInt64: Int32] = [:]
    var groups = CellGroups()
    let places = numbers.map { number in
      let key = Self.cell(of: samples.positions[Int(number)].double, size: gap)
      if let known = cells[key] { return known }
      let place = groups.add(key)
      cells[key] = place
      return place
    }
    for (place, key) in groups.keys.enumerated() {
      for step in Self.steps {
        if let other = cells[key &+ step] { groups.join(Int32(place), other) }
      }
    }
    var order: [Int32: Int] = [:]
    for (number, place) in zip(numbers, places) {
      let root = groups.root(of: place)
      let index = order[root] ?? parts.count
      if index == parts.count {
        order[root] = index
        parts.append(([], 0))
      }
      parts[index].numbers.append(number)
      parts[index].weight += Double(samples.weights[Int(number)])
    }
    // Equal weights in the order of their first samples.
    let sorted = parts.indices.sorted {
      (parts[$1].weight, $0) < (parts[$0].weight, $1)
    }
    parts = sorted.map { parts[$0] }
  }

  /// The coordinates of a cell in 21 bits each; samples are within an extent of 1.
  static func cell(of position: SIMD3<Double>, size: Double) -> UInt64 {
    let size = max(size, 1e-6)
    func bits(_ value: Double) -> UInt64 { UInt64((value / size).rounded(.down) + 1_048_576) }
    return bits(position.x) << 42 | bits(position.y) << 21 | bits(position.z)
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

/// Groups of cells that touch: a union-find.
private struct CellGroups {
  private(set) var keys: [UInt64] = []
  private var parent: [Int32] = []

  mutating func add(_ key: UInt64) -> Int32 {
    keys.append(key)
    parent.append(Int32(parent.count))
    return Int32(parent.count - 1)
  }

  mutating func root(of place: Int32) -> Int32 {
    var root = place
    while parent[Int(root)] != root {
      parent[Int(root)] = parent[Int(parent[Int(root)])]
      root = parent[Int(root)]
    }
    return root
  }

  mutating func join(_ one: Int32, _ other: Int32) {
    let (a, b) = (root(of: one), root(of: other))
    if a != b { parent[Int(max(a, b))] = min(a, b) }
  }
}
