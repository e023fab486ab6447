import MeshPipeline

/// The borders of the cells of a surface: at holes, and on both sides of a crease.
///
/// An image also shows what is beyond an edge: a pixel mixes two surfaces, filters extend over some
/// pixels, and poses are inexact. So colours are taken slightly inside.
struct BakeMeshBorders: Sendable {
  /// Three for each cell, the first for the side from its first corner to its second: the cell on
  /// the other side of a crease, the cell itself at a border of the surface, or ``inside`` for a
  /// side that is not a border.
  let beyond: [UInt32]
  /// Where to sample the colour of each vertex: at itself, or inside its cells if it is on a
  /// border.
  let lookouts: [Vector3]

  /// The value for a side that is not a border.
  static let inside = UInt32.max

  /// - Parameter inset: The distance from a border at which to sample, in units of the scene; less
  ///   in smaller cells.
  init(_ cells: BakeMesh, inset: Float) {
    let edges = Edges(indices: cells.indices, vertexCount: cells.vertexCount)
    let places = PositionWelder.weld(cells.positions).vertices
    let welded = Edges(
      indices: cells.indices.map { places[Int($0)] }, vertexCount: cells.vertexCount)
    var beyond = [UInt32](repeating: Self.inside, count: cells.indices.count)
    var isOnBorder = [Bool](repeating: false, count: cells.vertexCount)
    for edge in edges where edge.isBoundary {
      (isOnBorder[Int(edge.lower)], isOnBorder[Int(edge.higher)]) = (true, true)
      for corner in edges.halfedges[edge.places] {
        let other = welded.opposite(ofCorner: Int(corner)) ?? Int(corner)
        beyond[Int(corner)] = UInt32(truncatingIfNeeded: other / 3)
      }
    }
    self.beyond = beyond
    let around = VertexCorners(indices: cells.indices, vertexCount: cells.vertexCount)
    lookouts = Parallel.array(count: cells.vertexCount) { [isOnBorder] vertex in
      let position = cells.positions[vertex]
      guard isOnBorder[vertex] else { return position }
      var inward = SIMD3<Float>.zero
      for corner in around[vertex] {
        let (a, b, c) = cells.vertices(ofCell: Int(corner) / 3)
        let sum = cells.positions[a].simd + cells.positions[b].simd + cells.positions[c].simd
        inward += sum / 3 - position.simd
      }
      inward /= Float(around[vertex].count)
      let length = inward.length
      return length > inset
        ? Vector3(position.simd + inward * (inset / length))
        : Vector3(position.simd + inward)
    }
  }

  /// The sides of a cell that are outlines from a viewpoint, as bits: those beyond which nothing
  /// faces it.
  func outlines(ofCell cell: Int, in cells: BakeMesh, from eye: SIMD3<Float>) -> UInt8 {
    var outlines: UInt8 = 0
    for side in 0..<3 {
      let other = beyond[3 * cell + side]
      guard other != Self.inside else { continue }
      if other == cell || cells.cosine(ofCell: Int(other), towards: eye) < BakeMesh.leastCosine {
        outlines |= 1 << side
      }
    }
    return outlines
  }
}

extension BakeMesh {
  /// A cell seen at a smaller cosine shows nothing.
  static let leastCosine: Float = 0.08

  /// The cosine between a cell's normal and the direction to a point.
  @inline(__always)
  func cosine(ofCell cell: Int, towards eye: SIMD3<Float>) -> Float {
    let (a, b, c) = vertices(ofCell: cell)
    let (pa, pb, pc) = (positions[a].simd, positions[b].simd, positions[c].simd)
    return (pb - pa).cross(pc - pa).normalized.dot((eye - (pa + pb + pc) / 3).normalized)
  }
}
