import MeshPipeline

/// Where the cells of a surface end: at holes, and at either side of a crease.
///
/// A picture of the very edge shows what lies beyond as well: a pixel mixes two surfaces, filters reach
/// over some pixels, and poses are never exact. Colours are taken a little inside.
struct CellBorders: Sendable {
  /// Three for each cell, the first for the side from its first corner to its second: the cell on the
  /// other side of a crease, the cell itself where the surface ends, ``inside`` where no border is.
  let beyond: [UInt32]
  /// Where to look for the colour of each vertex: at itself, or inside of its cells when it lies on a
  /// border.
  let lookouts: [Vector3]

  /// In place of the cell beyond a side that is no border.
  static let inside = UInt32.max

  /// - Parameter inset: How far inside of a border to look, in units of the scene, where cells are not
  ///   smaller.
  init(_ cells: CellSurface, inset: Float) {
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

  /// Which sides of a cell are outlines from somewhere, as bits: those beyond which nothing faces there.
  func outlines(ofCell cell: Int, in cells: CellSurface, from eye: SIMD3<Float>) -> UInt8 {
    var outlines: UInt8 = 0
    for side in 0..<3 {
      let other = beyond[3 * cell + side]
      guard other != Self.inside else { continue }
      if other == cell || cells.cosine(ofCell: Int(other), towards: eye) < CellSurface.leastCosine {
        outlines |= 1 << side
      }
    }
    return outlines
  }
}

extension CellSurface {
  /// A cell seen at a smaller cosine shows nothing.
  static let leastCosine: Float = 0.08

  /// The cosine between a cell's normal and the direction to a place.
  @inline(__always)
  func cosine(ofCell cell: Int, towards eye: SIMD3<Float>) -> Float {
    let (a, b, c) = vertices(ofCell: cell)
    let (pa, pb, pc) = (positions[a].simd, positions[b].simd, positions[c].simd)
    return (pb - pa).cross(pc - pa).normalized.dot((eye - (pa + pb + pc) / 3).normalized)
  }
}
