import MeshPipeline
import POSIX

/// Which two halfedges are the two sides of one edge.
///
/// Where more than two faces meet, those belong together that have material between them, as at the common edge of two
/// boxes that touch; of an odd number the flattest pairs do, and the rest is open.
struct FaceLinks {
  /// The other halfedge, by the corner where it starts; -1 where there is none.
  private(set) var partners: [Int32]

  /// A face seen along an edge.
  private struct Wing {
    var corner: UInt32
    /// Whether it goes from the lower to the higher vertex.
    var isForward: Bool
    /// Counterclockwise around the edge, from 0 to 2π.
    var angle: Double
  }

  init(_ indices: [UInt32], _ positions: [SIMD3<Double>]) {
    partners = [Int32](repeating: -1, count: indices.count)
    let edges = Edges(indices: indices, vertexCount: positions.count)
    for edge in edges where edge.valence > 1 {
      let corners = edges.halfedges[edge.places]
      if edge.valence == 2 {
        guard !edges.isInconsistent(edge) else { continue }
        link(corners[corners.startIndex], corners[corners.startIndex + 1])
        continue
      }
      let wings = Self.wings(
        corners, from: positions[Int(edge.lower)], to: positions[Int(edge.higher)]
      ) { corner in
        let tip = positions[Int(indices[previousCorner(Int(corner))])]
        return (tip, indices[Int(corner)] == edge.lower)
      }
      if 2 * wings.count(where: \.isForward) == wings.count {
        linkAroundMaterial(wings)
      } else {
        linkFlattest(wings)
      }
    }
  }

  private mutating func link(_ one: UInt32, _ other: UInt32) {
    partners[Int(one)] = Int32(other)
    partners[Int(other)] = Int32(one)
  }

  private static func wings(
    _ corners: ArraySlice<UInt32>, from start: SIMD3<Double>, to end: SIMD3<Double>,
    tip: (UInt32) -> (SIMD3<Double>, isForward: Bool)
  ) -> [Wing] {
    let axis = (end - start).normalized
    var first: SIMD3<Double>?
    let wings = corners.map { corner in
      let (tip, isForward) = tip(corner)
      let offset = tip - start
      let across = (offset - axis * axis.dot(offset)).normalized
      let u = first ?? across
      first = u
      let angle = atan2(axis.cross(u).dot(across), u.dot(across))
      return Wing(
        corner: corner, isForward: isForward, angle: angle < 0 ? angle + 2 * .pi : angle)
    }
    // Of two faces that lie on one another the first ends a body and the second begins one.
    return wings.sorted {
      ($0.angle, $0.isForward ? 0 : 1, $0.corner) < ($1.angle, $1.isForward ? 0 : 1, $1.corner)
    }
  }

  /// Counterclockwise, material begins at a face that goes backward, and ends at one that goes forward.
  private mutating func linkAroundMaterial(_ wings: [Wing]) {
    var begun: [UInt32] = []
    for (step, wing) in (wings + wings).enumerated() where partners[Int(wing.corner)] < 0 {
      if !wing.isForward {
        if step < wings.count { begun.append(wing.corner) }
      } else if let first = begun.popLast() {
        link(first, wing.corner)
      }
    }
  }

  private mutating func linkFlattest(_ wings: [Wing]) {
    var pairs: [(bend: Double, one: UInt32, other: UInt32)] = []
    for one in wings where one.isForward {
      for other in wings where !other.isForward {
        pairs.append((abs(abs(one.angle - other.angle) - .pi), one.corner, other.corner))
      }
    }
    for pair in pairs.sorted(by: { ($0.bend, $0.one, $0.other) < ($1.bend, $1.one, $1.other) })
    where partners[Int(pair.one)] < 0 && partners[Int(pair.other)] < 0 {
      link(pair.one, pair.other)
    }
  }
}
