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
    for edge in try edges(neighbors: neighbors, progress: { try progress(0.8 * $0) }) {
      let (one, other) = (Int(edge.one), Int(edge.other))
      groups.join(one, other, isTurned: normals[one].simd.dot(normals[other].simd) < 0)
    }
    linkParts(&groups)
    turnOutward(&groups)
    try progress(1)
  }

  // MARK: Neighbours

  private struct Edge: BitwiseCopyable, Sendable {
    var one: UInt32
    var other: UInt32
    /// 0 for parallel normals, 255 for those at a right angle.
    var difference: UInt8
  }

  /// The edges between neighbours, those of the most similar normals first.
  private func edges(
    neighbors: Int, progress: (Double) throws -> Void
  ) rethrows -> [Edge] {
    let none = Edge(one: 0, other: 0, difference: .max)
    var all = [Edge](repeating: none, count: positions.count * (neighbors - 1))
    let normals = normals
    try all.withDisjointBuffer { all in
      try Parallel.forEachPortion(of: tree.count, progress: progress) { range in
        var found = NearestPoints(capacity: neighbors)
        for item in range {
          let one = tree.items[item].index
          tree.find(&found, around: tree.items[item].position.double)
          var slot = Int(one) * (neighbors - 1)
          for place in 0..<found.count where found[place].index != one {
            guard slot < (Int(one) + 1) * (neighbors - 1) else { break }
            let other = found[place].index
            let cosine = normals[Int(one)].simd.dot(normals[Int(other)].simd)
            let difference = 255 * (1 - min(abs(cosine), 1))
            all[slot] = Edge(one: one, other: other, difference: UInt8(difference))
            slot += 1
          }
        }
      }
    }
    return sorted(all)
  }

  /// A counting sort, which keeps the order of equal ones.
  private func sorted(_ edges: [Edge]) -> [Edge] {
    var starts = [Int](repeating: 0, count: 257)
    for edge in edges { starts[Int(edge.difference) + 1] += 1 }
    for value in 1..<257 { starts[value] += starts[value - 1] }
    var sorted = edges
    for edge in edges {
      sorted[starts[Int(edge.difference)]] = edge
      starts[Int(edge.difference)] += 1
    }
    return sorted
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
