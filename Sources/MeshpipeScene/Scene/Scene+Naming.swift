extension Scene {
  /// Renames the scene and parts named after its file: apps name every mesh `export`.
  package mutating func rename(from fileName: String, to name: String) {
    self.name = name
    for index in meshes.indices where meshes[index].name == fileName { meshes[index].name = name }
    for index in pointClouds.indices where pointClouds[index].name == fileName {
      pointClouds[index].name = name
    }
  }
}
