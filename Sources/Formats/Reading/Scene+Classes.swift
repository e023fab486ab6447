import MeshPipeline

extension Scene {
  /// Finds classes in the names of meshes, or otherwise of materials.
  ///
  /// The first kind of name that includes a known class is used; then every name of this kind is a
  /// class.
  mutating func detectClasses() {
    let byMesh = runs { mesh, _ in mesh.name }
    let byMaterial = runs { mesh, face in
      mesh.faceMaterials.map { materials[Int($0[face])].name } ?? ""
    }
    for runs in [byMesh, byMaterial] {
      guard let classes = ClassNames.classes(ofRuns: runs, faceCount: faceCount) else { continue }
      var start = 0
      for index in meshes.indices {
        let end = start + meshes[index].faceCount
        meshes[index].classes = FaceClasses(
          labels: Array(classes.labels[start..<end]), names: classes.names)
        start = end
      }
      return
    }
  }

  /// The runs of faces of one name, counted over all meshes.
  private func runs(_ name: (Mesh, Int) -> String) -> [(firstFace: Int, name: String)] {
    var runs: [(firstFace: Int, name: String)] = []
    var start = 0
    for mesh in meshes {
      var previous: UInt32?
      for face in 0..<mesh.faceCount {
        let material = mesh.faceMaterials?[face]
        guard face == 0 || material != previous else { continue }
        previous = material
        let name = name(mesh, face)
        if runs.last?.name != name { runs.append((start + face, name)) }
      }
      start += mesh.faceCount
    }
    return runs
  }
}
