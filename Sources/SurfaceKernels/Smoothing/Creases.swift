import MeshpipeScene

extension SmoothingSurface {
  /// The cosine of the angle of normals that makes an edge a crease: 25 degrees, more than round parts
  /// turn from face to face.
  private static let creaseCosine: Float = 0.906

  /// The vertices on creases and in corners: those with two edges or more across which normals turn.
  ///
  /// One such edge is where a crease fades out, or meets an open border.
  /// - Parameter normals: The unit normals of faces without noise, in the first three lanes.
  func creaseVertices(_ normals: [SIMD4<Float>]) -> [Bool] {
    Parallel.array(count: vertexCount, chunkSize: 1 << 12) { vertex in
      var count = 0
      let (places, step) = corners(around: vertex)
      for index in stride(from: places.lowerBound, to: places.upperBound, by: step) {
        let corner = Int(around.corners[index])
        forEachFace(across: corner) { across in
          if Self.isCrease(normals[corner / 3], normals[across / 3]) { count += 1 }
        }
      }
      return count > (isOpen[vertex] ? 0 : 1)
    }
  }

  private static func isCrease(_ first: SIMD4<Float>, _ second: SIMD4<Float>) -> Bool {
    guard first.w > 0, second.w > 0 else { return false }
    let product = first * second
    return product.x + product.y + product.z < creaseCosine
  }
}
