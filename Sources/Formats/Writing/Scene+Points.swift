import MeshPipeline

extension Scene {
  /// The scene for formats of points: the vertices of its meshes are points as well.
  ///
  /// A vertex has the class of one of its faces.
  var asPoints: Scene {
    var scene = self
    scene.meshes = []
    scene.pointClouds = meshes.filter { $0.vertexCount > 0 }.map { mesh in
      var points = mesh.vertexPoints
      points.colors = mesh.vertexColors
      points.normals = mesh.meanVertexNormals
      points.classes = mesh.vertexClasses
      return points
    }
    scene.pointClouds += pointClouds
    return scene
  }

  /// The same in other axes and another unit, in which a coordinate may be infinite.
  func asPoints(in system: CoordinateSystem) -> Scene {
    var scene = asPoints
    scene.convert(to: system)
    return scene
  }
}

extension Set<SceneFeature> {
  /// What points can have.
  static var ofPoints: Self {
    [.points, .normals, .colors, .confidences, .classification, .customAttributes]
  }
}

extension WritingContext {
  /// Throws unless the scene has points or vertices, all of them with finite coordinates.
  func requirePoints(in scene: Scene, of format: any WritableFormat.Type) throws(UnwritableScene) {
    try requireFinitePositions(of: scene)
    guard scene.vertexCount + scene.pointCount > 0 else {
      throw .nothingToWrite(format: format.name, holds: "points")
    }
  }
}

extension Mesh {
  fileprivate var vertexClasses: FaceClasses? {
    guard let classes else { return nil }
    var labels = [UInt16](repeating: 0, count: vertexCount)
    for (corner, vertex) in indices.enumerated() {
      labels[Int(vertex)] = classes.labels[corner / 3]
    }
    return FaceClasses(labels: labels, names: classes.names)
  }
}
