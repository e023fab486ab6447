import MeshpipeScene

extension PointNormals {
  /// Turns normals so that those of neighbours agree, and away from the centre.
  ///
  /// Agreement spreads over the minimum spanning tree of the graph of neighbours, in which similar
  /// normals are near (Hoppe and others 1992; Kruskal 1956). Parts of the graph are linked at their
  /// nearest points, where each surface is taken to mirror the other: two balls both look outside,
  /// and a floor and a ceiling at each other.
  /// - Parameters:
  ///   - neighbors: The nearest points whose normals shall agree, the point itself included.
  ///   - progress: Receives the share of the work done.
  package mutating func turnConsistently(
    neighbors: Int, progress: (Double) throws -> Void
  ) rethrows {
    var groups = TurnedGroups(count: positions.count)
    let graph = try neighborGraph(neighbors) { try progress(0.8 * $0) }
    for edge in graph.edges {
      let (one, other) = graph.ends(of: edge)
      groups.join(one, other, isTurned: normals[one].simd.dot(normals[other].simd) < 0)
    }
    linkParts(&groups)
    turnOutward(&groups)
    try progress(1)
  }

  // MARK: Neighbours

  /// The most neighbours of a point: edges have 32-bit numbers.
  private func degree(_ neighbors: Int) -> Int {
    max(1, min(neighbors - 1, Int(UInt32.max) / max(1, positions.count)))
  }

  private func neighborGraph(
    _ neighbors: Int, progress: (Double) throws -> Void
  ) rethrows -> NeighborGraph {
    let degree = degree(neighbors)
    let count = positions.count * degree
    var others = [UInt32](repeating: .max, count: count)
    var differences = [UInt8](repeating: .max, count: count)
    let normals = normals
    try others.withDisjointBuffer { others in
      try differences.withDisjointBuffer { differences in
        try Parallel.forEachPortion(of: tree.count, progress: progress) { range in
          var found = NearestPoints(capacity: degree + 1)
          for item in range {
            let one = Int(tree.items[item].index)
            tree.find(&found, around: tree.items[item].position.double)
            var slot = one * degree
            for index in 0..<found.count where found[index].index != one {
              // Where many points coincide, the point itself may not be among the nearest.
              guard slot < (one + 1) * degree else { break }
              let other = Int(found[index].index)
              let cosine = normals[one].simd.dot(normals[other].simd)
              others[slot] = UInt32(other)
              differences[slot] = UInt8(255 * (1 - min(abs(cosine), 1)))
              slot += 1
            }
          }
        }
      }
    }
    return NeighborGraph(degree: degree, others: others, differences: differences)
  }

  // MARK: Parts

  /// Links parts to the nearest others until there is one, the largest first (Borůvka 1926).
  private func linkParts(_ groups: inout TurnedGroups) {
    while true {
      let parts = positions.indices.map { groups.member($0).root }
      var sizes: [Int: Int] = [:]
      for (point, part) in parts.enumerated() where positions[point].isFinite {
        sizes[part, default: 0] += 1
      }
      guard sizes.count > 1,
        let largest = sizes.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key
      else { return }
      let links = tree.nearestLinks(between: parts.map { UInt32($0) }, except: UInt32(largest))
      for link in links {
        groups.join(Int(link.one), Int(link.other), isTurned: isTurned(link))
      }
      if links.isEmpty { return }
    }
  }

  /// Whether two surfaces look opposite ways, if each mirrors the other at the plane between them.
  private func isTurned(_ link: PointTree.Link) -> Bool {
    let (one, other) = (Int(link.one), Int(link.other))
    let way = (positions[other].double - positions[one].double).normalized
    let normal = normals[one].double
    return (normal - way * (2 * normal.dot(way))).dot(normals[other].double) < 0
  }

  /// Turns each group so that the normals of the points that are farthest from its centre look away from it.
  private mutating func turnOutward(_ groups: inout TurnedGroups) {
    let members = positions.indices.map { groups.member($0) }
    var centers = [SIMD4<Double>](repeating: .zero, count: positions.count)
    for (point, member) in members.enumerated() where positions[point].isFinite {
      centers[member.root] += SIMD4(positions[point].double, 1)
    }
    var agreement = [Double](repeating: 0, count: positions.count)
    for (point, member) in members.enumerated() where positions[point].isFinite {
      let sum = centers[member.root]
      let offset = positions[point].double - SIMD3(sum.x, sum.y, sum.z) / sum.w
      // Cubes: far points count most.
      let share = offset.lengthSquared * normals[point].double.dot(offset)
      agreement[member.root] += member.isTurned ? -share : share
    }
    for (point, member) in members.enumerated()
    where member.isTurned != (agreement[member.root] < 0) {
      normals[point] = Vector3(-normals[point].simd)
    }
  }
}

/// Points and their nearest neighbours, as a graph with few bytes for each edge.
private struct NeighborGraph {
  private let degree: Int
  /// The neighbours of each point; `.max` for none.
  private let others: [UInt32]
  /// The edges to neighbours, those of the most similar normals first, equal ones in order of points.
  let edges: [UInt32]

  /// - Parameter differences: Of the normals of each edge: 0 for parallel ones, 255 at a right angle.
  init(degree: Int, others: [UInt32], differences: [UInt8]) {
    self.degree = degree
    self.others = others
    // A counting sort.
    var starts = [Int](repeating: 0, count: 257)
    for (edge, difference) in differences.enumerated() where others[edge] != .max {
      starts[Int(difference) + 1] += 1
    }
    for value in 1..<257 { starts[value] += starts[value - 1] }
    var edges = [UInt32](repeating: 0, count: starts[256])
    for (edge, difference) in differences.enumerated() where others[edge] != .max {
      edges[starts[Int(difference)]] = UInt32(edge)
      starts[Int(difference)] += 1
    }
    self.edges = edges
  }

  func ends(of edge: UInt32) -> (Int, Int) { (Int(edge) / degree, Int(others[Int(edge)])) }
}
