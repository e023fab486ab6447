extension [Mesh] {
  /// The vertices and faces of all meshes as one, without any attributes; vertices are not welded.
  package var joinedSurface: (positions: [Vector3], indices: [UInt32]) {
    // A scan is usually one mesh, whose arrays need no copy.
    if count == 1 { return (self[0].positions, self[0].indices) }
    var (positions, indices): ([Vector3], [UInt32]) = ([], [])
    positions.reserveCapacity(reduce(0) { $0 + $1.vertexCount })
    indices.reserveCapacity(reduce(0) { $0 + $1.cornerCount })
    for mesh in self {
      let first = UInt32(truncatingIfNeeded: positions.count)
      positions += mesh.positions
      for vertex in mesh.indices { indices.append(first + vertex) }
    }
    return (positions, indices)
  }
}
