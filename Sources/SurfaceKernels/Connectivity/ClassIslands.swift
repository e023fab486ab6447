import MeshpipeBase
package import MeshpipeScene

/// Gives small islands of a class the class with which they share the longest border.
///
/// An island is a connected set of faces (over edges) with one label. Islands are visited from the
/// smallest on; one that takes its neighbour's label joins it, so that the result depends only on
/// areas. An island without neighbours keeps its label.
///
/// - Parameters:
///   - mesh: A mesh with classes.
///   - minimumArea: The area below which an island is relabelled, in square units of the mesh.
/// - Returns: The labels, and the number of relabelled islands.
package func absorbingSmallIslands(
  of mesh: Mesh, labels: [UInt16], below minimumArea: Double
) -> (labels: [UInt16], absorbed: Int) {
  let edges = Edges(mesh)
  let parts = FaceComponents(edges: edges, faceCount: mesh.faceCount, within: labels)
  var islands = Islands(parts: parts, labels: labels, mesh: mesh)
  let borders = IslandBorders(edges: edges, parts: parts, mesh: mesh)

  let small = (0..<parts.count).filter { islands.areas[$0] < minimumArea }
    .sorted { (islands.areas[$0], $0) < (islands.areas[$1], $1) }
  var absorbed = 0
  for island in small {
    let root = islands.root(of: island)
    guard islands.areas[root] < minimumArea else { continue }
    guard let label = islands.mostTouchedLabel(of: root, borders) else { continue }
    islands.absorb(root, into: label, borders)
    absorbed += 1
  }
  return (parts.labels.map { islands.label(of: Int($0)) }, absorbed)
}

/// The islands while they are joined: sets of parts with a common label and area.
private struct Islands {
  private var sets: DisjointSets
  private var labels: [UInt16]
  /// The area of each set, at its root.
  private(set) var areas: [Double]
  /// The parts of a set as a ring: each refers to the next one.
  private var nextInSet: [Int]

  init(parts: FaceComponents, labels faceLabels: [UInt16], mesh: Mesh) {
    sets = DisjointSets(count: parts.count)
    nextInSet = Array(0..<parts.count)
    labels = Array(repeating: 0, count: parts.count)
    areas = Array(repeating: 0, count: parts.count)
    for face in 0..<mesh.faceCount {
      let part = Int(parts.labels[face])
      labels[part] = faceLabels[face]
      let area = mesh.area(ofFace: face)
      if area.isFinite { areas[part] += area }
    }
  }

  mutating func root(of part: Int) -> Int { sets.root(of: part) }

  mutating func label(of part: Int) -> UInt16 { labels[root(of: part)] }

  /// The other label with the longest common border, the lowest of equal ones; nil without
  /// neighbours.
  mutating func mostTouchedLabel(of root: Int, _ borders: IslandBorders) -> UInt16? {
    var lengths: [UInt16: Double] = [:]
    forEachBorder(of: root, borders) { islands, neighbor, length in
      let label = islands.label(of: neighbor)
      if label != islands.labels[root] { lengths[label, default: 0] += length }
    }
    return lengths.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  /// Relabels a set and joins it with neighbours of that label.
  mutating func absorb(_ root: Int, into label: UInt16, _ borders: IslandBorders) {
    var neighbors: [Int] = []
    forEachBorder(of: root, borders) { islands, neighbor, _ in
      if islands.label(of: neighbor) == label { neighbors.append(neighbor) }
    }
    labels[root] = label
    for neighbor in neighbors { join(root, neighbor) }
  }

  private mutating func join(_ one: Int, _ other: Int) {
    let (one, other) = (root(of: one), root(of: other))
    guard one != other else { return }
    let (low, high) = (min(one, other), max(one, other))
    sets.join(low, high)
    areas[low] += areas[high]
    nextInSet.swapAt(low, high)
  }

  private mutating func forEachBorder(
    of root: Int, _ borders: IslandBorders, _ body: (inout Islands, Int, Double) -> Void
  ) {
    var part = root
    repeat {
      for index in borders.places(of: part) {
        body(&self, Int(borders.neighbors[index]), borders.lengths[index])
      }
      part = nextInSet[part]
    } while part != root
  }
}

/// The borders between parts: for each part its neighbours with the lengths of common edges.
private struct IslandBorders {
  private var offsets: [Int]
  private(set) var neighbors: [UInt32]
  private(set) var lengths: [Double]

  init(edges: Edges, parts: FaceComponents, mesh: Mesh) {
    var pairs: [(part: UInt32, neighbor: UInt32, length: Double)] = []
    for edge in edges where !edge.isBoundary {
      let (a, b) = (mesh.positions[Int(edge.lower)], mesh.positions[Int(edge.higher)])
      let part = parts.labels[Int(edges.halfedges[edge.places.lowerBound]) / 3]
      for index in edge.places.dropFirst() {
        let neighbor = parts.labels[Int(edges.halfedges[index]) / 3]
        guard neighbor != part else { continue }
        let length = (a.double - b.double).length
        pairs.append((part, neighbor, length.isFinite ? length : 0))
        pairs.append((neighbor, part, length.isFinite ? length : 0))
      }
    }
    offsets = Array(repeating: 0, count: parts.count + 1)
    for pair in pairs { offsets[Int(pair.part) + 1] += 1 }
    for part in 0..<parts.count { offsets[part + 1] += offsets[part] }
    var next = offsets
    neighbors = Array(repeating: 0, count: pairs.count)
    lengths = Array(repeating: 0, count: pairs.count)
    for pair in pairs {
      let index = next[Int(pair.part)]
      next[Int(pair.part)] += 1
      neighbors[index] = pair.neighbor
      lengths[index] = pair.length
    }
  }

  func places(of part: Int) -> Range<Int> { offsets[part]..<offsets[part + 1] }
}
