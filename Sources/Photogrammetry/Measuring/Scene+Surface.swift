import MeshPipeline

extension Scene {
  /// The vertices and faces of all meshes as one.
  var joinedSurface: (positions: [Vector3], indices: [UInt32]) {
    // A scan is usually one mesh, whose arrays need no copy.
    if meshes.count == 1 { return (meshes[0].positions, meshes[0].indices) }
    var (positions, indices): ([Vector3], [UInt32]) = ([], [])
    for mesh in meshes {
      let start = UInt32(positions.count)
      positions += mesh.positions
      indices += mesh.indices.map { $0 + start }
    }
    return (positions, indices)
  }
}
