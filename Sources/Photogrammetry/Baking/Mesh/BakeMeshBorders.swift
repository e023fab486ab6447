import MeshpipeScene

/// The borders of the triangles of a surface: at holes, and on both sides of a crease.
///
/// An image also shows what is beyond an edge: a pixel mixes two surfaces, filters extend over some
/// pixels, and poses are inexact. So colours are taken slightly inside.
struct BakeMeshBorders: Sendable {
  /// Three for each triangle, the first for the side from its first corner to its second: the triangle on
  /// the other side of a crease, the triangle itself at a border of the surface, or ``inside`` for a
  /// side that is not a border.
  let beyond: [UInt32]
  /// Where to sample the colour of each vertex: at itself, or inside its triangles if it is on a
  /// border.
  let samplePositions: [Vector3]

  /// The value for a side that is not a border.
  static let inside = UInt32.max

  /// - Parameter inset: The distance from a border at which to sample, in units of the scene; less
  ///   in smaller triangles.
  init(_ mesh: BakeMesh, inset: Float) {
    let edges = Edges(indices: mesh.indices, vertexCount: mesh.vertexCount)
    let places = PositionWelder.weld(mesh.positions).vertices
    let welded = Edges(
      indices: mesh.indices.map { places[Int($0)] }, vertexCount: mesh.vertexCount)
    var beyond = [UInt32](repeating: Self.inside, count: mesh.indices.count)
    var isOnBorder = [Bool](repeating: false, count: mesh.vertexCount)
    for edge in edges where edge.isBoundary {
      (isOnBorder[Int(edge.lower)], isOnBorder[Int(edge.higher)]) = (true, true)
      for corner in edges.halfedges[edge.places] {
        let other = welded.opposite(ofCorner: Int(corner)) ?? Int(corner)
        beyond[Int(corner)] = UInt32(truncatingIfNeeded: other / 3)
      }
    }
    self.beyond = beyond
    let around = VertexCorners(indices: mesh.indices, vertexCount: mesh.vertexCount)
    samplePositions = Parallel.array(count: mesh.vertexCount) { [isOnBorder] vertex in
      let position = mesh.positions[vertex]
      guard isOnBorder[vertex] else { return position }
      var inward = SIMD3<Float>.zero
      for corner in around[vertex] {
        let (a, b, c) = mesh.vertices(ofTriangle: Int(corner) / 3)
        let sum = mesh.positions[a].simd + mesh.positions[b].simd + mesh.positions[c].simd
        inward += sum / 3 - position.simd
      }
      inward /= Float(around[vertex].count)
      let length = inward.length
      return length > inset
        ? Vector3(position.simd + inward * (inset / length))
        : Vector3(position.simd + inward)
    }
  }

  /// The sides of a triangle that are outlines from a viewpoint, as bits: those beyond which nothing
  /// faces it.
  func outlines(ofTriangle triangle: Int, in mesh: BakeMesh, from eye: SIMD3<Float>) -> UInt8 {
    var outlines: UInt8 = 0
    for side in 0..<3 {
      let other = beyond[3 * triangle + side]
      guard other != Self.inside else { continue }
      if other == triangle
        || mesh.cosine(ofTriangle: Int(other), towards: eye) < BakeMesh.leastCosine
      {
        outlines |= 1 << side
      }
    }
    return outlines
  }
}

extension BakeMesh {
  /// A triangle seen at a smaller cosine (85°) shows nothing: the mesh is not exact enough to tell which texel of it a
  /// pixel shows.
  static let leastCosine: Float = 0.08

  /// The cosine between a triangle's normal and the direction to a point.
  @inline(__always)
  func cosine(ofTriangle triangle: Int, towards eye: SIMD3<Float>) -> Float {
    let (a, b, c) = vertices(ofTriangle: triangle)
    let (pa, pb, pc) = (positions[a].simd, positions[b].simd, positions[c].simd)
    return (pb - pa).cross(pc - pa).normalized.dot((eye - (pa + pb + pc) / 3).normalized)
  }
}
