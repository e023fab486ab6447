import MeshPipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Mesh {
  /// The unit normal of each face, zero when it has no area.
  func faceNormals() -> [SIMD3<Float>] {
    Parallel.array(count: faceCount) { face in
      SIMD3<Float>(areaVector(ofFace: face).normalized)
    }
  }

  /// The weight of each corner in the normal of its vertex.
  ///
  /// Areas are relative to the square of the extent, so that they fit single precision.
  func cornerWeights(_ weight: ComputeNormals.Weight) -> [Float] {
    let extent = Double(bounds.extent)
    let unitArea = extent > 0 ? extent * extent : 1
    return Parallel.array(count: cornerCount) { corner in
      switch weight {
      case .area: Float(areaVector(ofFace: corner / 3).length / unitArea)
      case .angle: Float(angle(ofCorner: corner))
      }
    }
  }

  /// The angle of a face at one of its corners, in radians.
  func angle(ofCorner corner: Int) -> Double {
    let tip = positions[Int(indices[corner])].double
    let a = positions[Int(indices[nextCorner(corner)])].double - tip
    let b = positions[Int(indices[previousCorner(corner)])].double - tip
    return atan2(a.cross(b).length, a.dot(b))
  }

  /// The normal of each vertex: the weighted mean of those of its faces.
  ///
  /// - Parameter fallback: For vertices without faces, or whose faces give no direction.
  /// - Complexity: O(vertices + faces)
  func vertexNormals(weight: ComputeNormals.Weight, fallback: Vector3) -> [Vector3] {
    let faceNormals = self.faceNormals()
    let weights = cornerWeights(weight)
    var sums = [SIMD3<Float>](repeating: .zero, count: vertexCount)
    for corner in indices.indices {
      sums[Int(indices[corner])] += faceNormals[corner / 3] * weights[corner]
    }
    return sums.map { sum in
      let normal = sum.normalized
      return normal == .zero ? fallback : Vector3(normal)
    }
  }

  /// The normal of each corner, smooth across edges whose faces differ by at most an angle.
  ///
  /// The faces around a vertex are grouped across its smooth edges; each group has one normal.
  /// - Parameters:
  ///   - creaseAngle: Between the normals of two faces, in radians.
  ///   - fallback: For corners whose faces give no direction.
  /// - Returns: The normals, or nil when no vertex has more than one group.
  func cornerNormals(
    weight: ComputeNormals.Weight, creaseAngle: Double, fallback: Vector3
  ) -> [Vector3]? {
    let faceNormals = self.faceNormals()
    let weights = cornerWeights(weight)
    let around = VertexCorners(self)
    let smallestCosine = Float(cos(creaseAngle))
    let chunks = Parallel.mapChunks(of: vertexCount, chunkSize: 1 << 12) { vertices in
      var normals: [Vector3] = []
      var hasCrease = false
      for vertex in vertices {
        let corners = around[vertex]
        let groups = smoothGroups(of: corners, faceNormals, smallestCosine)
        var sums = [SIMD3<Float>](repeating: .zero, count: corners.count)
        for (corner, group) in zip(corners, groups) {
          sums[group] += faceNormals[Int(corner) / 3] * weights[Int(corner)]
        }
        for group in groups {
          if group != 0 { hasCrease = true }
          let normal = sums[group].normalized
          normals.append(normal == .zero ? fallback : Vector3(normal))
        }
      }
      return (normals, hasCrease)
    }
    guard chunks.contains(where: { $0.1 }) else { return nil }
    var result = [Vector3](repeating: fallback, count: cornerCount)
    var place = 0
    for (normals, _) in chunks {
      for normal in normals {
        result[Int(around.corners[place])] = normal
        place += 1
      }
    }
    return result
  }

  /// The group of each corner around one vertex, by the place of the group's first corner.
  private func smoothGroups(
    of corners: ArraySlice<UInt32>, _ faceNormals: [SIMD3<Float>], _ smallestCosine: Float
  ) -> [Int] {
    var groups = Array(0..<corners.count)
    func root(_ place: Int) -> Int {
      var place = place
      while groups[place] != place { place = groups[place] }
      return place
    }
    // The far ends of the two edges of each corner; equal ends are one edge.
    var ends: [(vertex: UInt32, place: Int)] = []
    for (place, corner) in corners.enumerated() {
      ends.append((indices[nextCorner(Int(corner))], place))
      ends.append((indices[previousCorner(Int(corner))], place))
    }
    ends.sort { ($0.vertex, $0.place) < ($1.vertex, $1.place) }
    for (one, other) in zip(ends, ends.dropFirst()) where one.vertex == other.vertex {
      let a = faceNormals[Int(corners[corners.startIndex + one.place]) / 3]
      let b = faceNormals[Int(corners[corners.startIndex + other.place]) / 3]
      // A face without area has no normal to differ by.
      guard a.dot(b) >= smallestCosine || a == .zero || b == .zero else { continue }
      let (low, high) = (root(one.place), root(other.place))
      groups[max(low, high)] = min(low, high)
    }
    return groups.indices.map(root)
  }
}
