extension Scene {
  /// The number of draw calls: one for each material and class of each mesh, and for each point
  /// cloud.
  ///
  /// - Complexity: O(faces)
  package var drawCalls: Int {
    var count = pointClouds.count
    for mesh in meshes where mesh.faceCount > 0 {
      var kinds: Set<UInt64> = []
      for face in 0..<mesh.faceCount {
        let material = mesh.faceMaterials.map { UInt64($0[face]) } ?? 0
        let label = mesh.classes.map { UInt64($0.labels[face]) } ?? 0
        kinds.insert(material << 16 | label)
      }
      count += kinds.count
    }
    return count
  }
}
