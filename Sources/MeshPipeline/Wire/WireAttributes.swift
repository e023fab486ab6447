import MeshpipeScene

/// The arrays that a mesh may have on the wire besides positions and indices, in order.
enum MeshAttribute: String, CaseIterable {
  case normals, colors, confidences, textureCoordinates, cornerNormals, faceMaterials, classes

  func isPresent(in mesh: Mesh) -> Bool {
    switch self {
    case .normals: mesh.normals != nil
    case .colors: mesh.colors != nil
    case .confidences: mesh.confidences != nil
    case .textureCoordinates: mesh.textureCoordinates != nil
    case .cornerNormals: mesh.cornerNormals != nil
    case .faceMaterials: mesh.faceMaterials != nil
    case .classes: mesh.classes != nil
    }
  }

  /// The bytes of the array for a mesh with these numbers of vertices and faces.
  func byteCount(vertices: Int, faces: Int) -> Int {
    switch self {
    case .normals: 12 * vertices
    case .colors, .confidences: 4 * vertices
    case .textureCoordinates: 24 * faces
    case .cornerNormals: 36 * faces
    case .faceMaterials: 4 * faces
    case .classes: 2 * faces
    }
  }

  func byteCount(in mesh: Mesh) -> Int {
    isPresent(in: mesh) ? byteCount(vertices: mesh.vertexCount, faces: mesh.faceCount) : 0
  }
}

/// The arrays that a point cloud may have on the wire besides positions, in order.
enum PointAttribute: String, CaseIterable {
  case normals, colors, confidences, classes

  func isPresent(in cloud: PointCloud) -> Bool {
    switch self {
    case .normals: cloud.normals != nil
    case .colors: cloud.colors != nil
    case .confidences: cloud.confidences != nil
    case .classes: cloud.classes != nil
    }
  }

  /// The bytes of the array for a cloud with this number of points.
  func byteCount(points: Int) -> Int {
    switch self {
    case .normals: 12 * points
    case .colors, .confidences: 4 * points
    case .classes: 2 * points
    }
  }

  func byteCount(in cloud: PointCloud) -> Int {
    isPresent(in: cloud) ? byteCount(points: cloud.positions.count) : 0
  }
}
