import MeshPipeline

/// Where the cells of a surface end: at holes, and at either side of a crease.
///
/// A picture of the very edge shows what lies beyond as well: a pixel mixes two surfaces, filters reach
/// over some pixels, and poses are never exact. Colours are taken a little inside.
struct CellBorders: Sendable {
  /// Of each cell, a bit for each side that no other cell shares; the first is the one from its first
  /// corner to its second.
  let sides: [UInt8]
  /// Where to look for the colour of each vertex: at itself, or inside of its cells when it lies on a
  /// border.
  let lookouts: [Vector3]

  /// - Parameter inset: How far inside of a border to look, in units of the scene, where cells are not
  ///   smaller.
  init(_ cells: CellSurface, inset: Float) {
    let edges = Edges(indices: cells.indices, vertexCount: cells.vertexCount)
    var sides = [UInt8](repeating: 0, count: cells.cellCount)
    var isOnBorder = [Bool](repeating: false, count: cells.vertexCount)
    for edge in edges.boundaryEdges {
      let (a, b) = edges.vertices(of: edge)
      (isOnBorder[Int(a)], isOnBorder[Int(b)]) = (true, true)
      for corner in edges.halfedges(of: edge) { sides[Int(corner) / 3] |= 1 << (corner % 3) }
    }
    self.sides = sides
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
      return length > inset ? Vector3(position.simd + inward * (inset / length))
        : Vector3(position.simd + inward)
    }
  }
}
