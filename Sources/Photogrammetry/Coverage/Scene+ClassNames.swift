package import MeshpipeScene

extension Scene {
  /// The class name of each face of all meshes, nil where a mesh has no classes; nil if none has.
  package var classNames: [String?]? {
    guard meshes.contains(where: { $0.classes != nil }) else { return nil }
    return meshes.flatMap { mesh in
      guard let classes = mesh.classes else {
        return [String?](repeating: nil, count: mesh.faceCount)
      }
      return classes.labels.map { classes.names[Int($0)] }
    }
  }
}
