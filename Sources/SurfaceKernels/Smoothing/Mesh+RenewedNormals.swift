import MeshpipeScene

extension Mesh {
  /// Computes the normals that the mesh has again, after its vertices moved.
  ///
  /// Corners of a vertex that shared a normal share the new one, so that hard edges stay hard. Tangents
  /// are made perpendicular to the new normals.
  mutating func renewNormals(_ around: VertexCorners) {
    guard normals != nil || cornerNormals != nil else { return }
    if let old = normals {
      let new = vertexNormals(weight: .area, fallback: .zero)
      normals = new.indices.map { new[$0] == .zero ? old[$0] : new[$0] }
    }
    if let old = cornerNormals {
      for vertex in 0..<vertexCount { renewCornerNormals(of: around[vertex], old) }
    }
    guard let tangents else { return }
    self.tangents = tangents.indices.map { corner in
      let normal = cornerNormals?[corner] ?? normals?[Int(indices[corner])] ?? .zero
      return tangents[corner].perpendicular(to: normal.simd)
    }
  }

  private mutating func renewCornerNormals(of corners: ArraySlice<UInt32>, _ old: [Vector3]) {
    var sums: [Vector3: SIMD3<Double>] = [:]
    for corner in corners where old[Int(corner)].isFinite {
      let normal = old[Int(corner)]
      sums[normal, default: .zero] += areaVector(ofFace: Int(corner) / 3)
    }
    for corner in corners {
      let normal = (sums[old[Int(corner)]] ?? .zero).normalized
      if normal != .zero { cornerNormals?[Int(corner)] = Vector3(SIMD3<Float>(normal)) }
    }
  }
}

extension Tangent {
  /// The tangent without its part along a normal; unchanged if nothing is left.
  fileprivate func perpendicular(to normal: SIMD3<Float>) -> Tangent {
    let flat = (direction - normal * normal.dot(direction)).normalized
    return flat == .zero ? self : Tangent(flat, w: w)
  }
}
