import MeshpipeBase
package import MeshpipeScene
import POSIX

/// The weight of a face in a mean of normals.
package enum NormalWeight {
  /// The area of the face.
  case area
  /// The angle of the face at the vertex.
  case angle
}

extension Mesh {
  /// The unit normal of each face, zero if it has no area.
  func faceNormals(of faces: Range<Int>) -> [SIMD3<Float>] {
    Parallel.array(count: faces.count) { position in
      SIMD3<Float>(areaVector(ofFace: faces.lowerBound + position).normalized)
    }
  }

  /// The weight of each corner of some faces in the normal of its vertex.
  ///
  /// - Parameter extent: The mesh's extent: areas are relative to its square, so that they fit
  ///   single precision.
  func cornerWeights(
    _ weight: NormalWeight, of faces: Range<Int>, extent: Float
  ) -> [Float] {
    let extent = Double(extent)
    let unitArea = extent > 0 ? extent * extent : 1
    return Parallel.array(count: 3 * faces.count) { index in
      let corner = 3 * faces.lowerBound + index
      return switch weight {
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
  package func vertexNormals(weight: NormalWeight, fallback: Vector3) -> [Vector3] {
    let extent = bounds.extent
    var sums = [Vector3](repeating: .zero, count: vertexCount)
    // Block by block: the contributions of all faces at once take more memory than the mesh.
    for start in stride(from: 0, to: faceCount, by: 1 << 18) {
      let faces = start..<min(start + 1 << 18, faceCount)
      let faceNormals = self.faceNormals(of: faces)
      let weights = cornerWeights(weight, of: faces, extent: extent)
      for index in weights.indices {
        let vertex = Int(indices[3 * start + index])
        sums[vertex] = Vector3(sums[vertex].simd + faceNormals[index / 3] * weights[index])
      }
    }
    for vertex in sums.indices {
      let normal = sums[vertex].simd.normalized
      sums[vertex] = normal == .zero ? fallback : Vector3(normal)
    }
    return sums
  }

  /// The normal of each corner, smooth across edges whose faces differ by at most an angle.
  ///
  /// The faces around a vertex are grouped across its smooth edges; each group has one normal.
  /// - Parameters:
  ///   - creaseAngle: Between the normals of two faces, in radians.
  ///   - fallback: For corners whose faces give no direction.
  /// - Returns: The normals, or nil if no vertex has more than one group.
  package func cornerNormals(
    weight: NormalWeight, creaseAngle: Double, fallback: Vector3
  ) -> [Vector3]? {
    let faceNormals = self.faceNormals(of: 0..<faceCount)
    let weights = cornerWeights(weight, of: 0..<faceCount, extent: bounds.extent)
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
    var index = 0
    for (normals, _) in chunks {
      for normal in normals {
        result[Int(around.corners[index])] = normal
        index += 1
      }
    }
    return result
  }

  /// The group of each corner around one vertex, as the index of the group's first corner.
  private func smoothGroups(
    of corners: ArraySlice<UInt32>, _ faceNormals: [SIMD3<Float>], _ smallestCosine: Float
  ) -> [Int] {
    var groups = DisjointSets(count: corners.count)
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
      // A face without area has no normal to compare.
      guard a.dot(b) >= smallestCosine || a == .zero || b == .zero else { continue }
      groups.join(one.place, other.place)
    }
    return corners.indices.map { groups.root(of: $0 - corners.startIndex) }
  }
}
