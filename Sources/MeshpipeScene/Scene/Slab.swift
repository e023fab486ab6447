/// A flat region between a front and a back, which need not be parallel: a wall with mitred ends.
package struct Slab {
  private let cells: PlanarCells
  private var positions: [Vector3]
  /// The vertex between front and back at a corner; nil at most of them.
  private var middles: [UInt32?]

  /// Places the corners of a region.
  ///
  /// - Parameter middle: The place of a corner between front and back; nil at most of them.
  package init(
    _ cells: PlanarCells, front: (SIMD2<Double>) -> Vector3, back: (SIMD2<Double>) -> Vector3,
    middle: (SIMD2<Double>) -> Vector3? = { _ in nil }
  ) {
    self.cells = cells
    positions = cells.points.map(front) + cells.points.map(back)
    middles = []
    for point in cells.points {
      let place = middle(point)
      middles.append(place.map { _ in UInt32(positions.count) })
      if let place { positions.append(place) }
    }
  }

  /// The closed mesh.
  ///
  /// - Parameter mirrored: Whether the places are those of a mirrored region.
  package func mesh(mirrored: Bool) -> Mesh {
    let count = UInt32(cells.points.count)
    var mesh = Mesh(positions: positions, indices: cells.triangles)
    for corner in stride(from: 0, to: cells.triangles.count, by: 3) {
      let (a, b, c) = (
        cells.triangles[corner], cells.triangles[corner + 1], cells.triangles[corner + 2]
      )
      mesh.indices += [a + count, c + count, b + count]
    }
    for (a, b) in cells.borders {
      let first = middles[Int(a)]
      let last = middles[Int(b)]
      var loop = [first, a + count, b + count, last, b, a].compactMap(\.self)
      // All triangles of a side meet in the middle of an end, from where all of it is seen.
      if first == nil, let last, let place = loop.firstIndex(of: last) {
        loop = Array(loop[place...] + loop[..<place])
      }
      for corner in 1..<loop.count - 1 {
        mesh.indices += [loop[0], loop[corner], loop[corner + 1]]
      }
    }
    if mirrored { mesh.flipWinding() }
    return mesh
  }
}
