import MeshpipeScene

/// The mesh of each face of several meshes, whose faces are counted one mesh after the other.
struct FaceOwners: Sendable {
  private var firstFaces: [Int] = []

  init(_ meshes: [Mesh]) {
    var firstFace = 0
    for mesh in meshes {
      firstFaces.append(firstFace)
      firstFace += mesh.faceCount
    }
  }

  /// The index of a face's mesh, and that of the face in it.
  subscript(face: Int) -> (mesh: Int, face: Int) {
    var (low, high) = (0, firstFaces.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if firstFaces[middle] <= face { low = middle } else { high = middle }
    }
    return (low, face - firstFaces[low])
  }
}
