import MeshPipeline

extension Mesh {
  /// One normal per vertex: the mesh's own, or the mean of its corners'.
  var meanVertexNormals: [Vector3]? {
    guard let cornerNormals else { return normals }
    if let normals { return normals }
    var sums = [SIMD3<Float>](repeating: .zero, count: vertexCount)
    for (corner, vertex) in indices.enumerated() { sums[Int(vertex)] += cornerNormals[corner].simd }
    return sums.map { Vector3($0.normalized) }
  }
}
