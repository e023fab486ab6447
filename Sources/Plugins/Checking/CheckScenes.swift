import MeshPipeline

/// Test scenes for checking a plugin.
enum CheckScenes {
  /// An empty scene.
  static let empty = Scene(name: "empty")

  /// Two small meshes with names, materials, textures and the attributes that every plugin takes,
  /// and a point cloud.
  static var everything: Scene {
    var first = sheet(cells: 3, name: "first sheet")
    let faces = first.faceCount
    first.normals = first.positions.map { _ in Vector3(0, 1, 0) }
    first.colors = first.positions.indices.map { Color(red: UInt8($0), green: 2, blue: 3) }
    first.confidences = first.positions.indices.map { Float($0 % 3) }
    first.textureCoordinates = first.indices.indices.map { corner in
      Vector2(Float(corner % 3) / 3, Float(corner / 3) / Float(max(1, faces)))
    }
    first.cornerNormals = first.indices.map { _ in Vector3(0, 1, 0) }
    first.faceMaterials = (0..<faces).map { UInt32($0 % 2) }
    first.classes = FaceClasses(labels: (0..<faces).map { UInt16($0 % 3) })
    var cloud = PointCloud(name: "points", positions: first.positions)
    cloud.colors = first.colors
    cloud.normals = first.normals
    return Scene(
      name: "everything", meshes: [first, sheet(cells: 2, name: "Zweites \"Netz\"")],
      pointClouds: [cloud],
      materials: [
        Material(name: "plain"), Material(name: "painted", baseColorTexture: 0),
      ],
      textures: [Texture(fileName: "paint.png", encoding: .png, bytes: picture)])
  }

  /// A mesh of 200,000 faces.
  static var large: Scene {
    var mesh = sheet(cells: 316, name: "large")
    mesh.classes = FaceClasses(labels: (0..<mesh.faceCount).map { UInt16($0 % 8) })
    return Scene(name: "large", meshes: [mesh])
  }

  /// A wavy square of one metre with n × n cells and shared vertices.
  private static func sheet(cells: Int, name: String) -> Mesh {
    var mesh = Mesh(name: name)
    for row in 0...cells {
      for column in 0...cells {
        let height = Float((row * 7 + column * 13) % 5) * 0.01
        mesh.positions.append(
          Vector3(Float(column) / Float(cells), height, Float(row) / Float(cells)))
      }
    }
    for row in 0..<cells {
      for column in 0..<cells {
        let a = UInt32(row * (cells + 1) + column)
        let b = a + UInt32(cells + 1)
        mesh.indices += [a, b, a + 1, a + 1, b, b + 1]
      }
    }
    return mesh
  }

  /// A PNG of 8 × 8 grey pixels.
  static let picture: [UInt8] = [
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 8, 0, 0, 0, 8, 8, 0, 0,
    0, 0, 225, 100, 225, 87, 0, 0, 0, 59, 73, 68, 65, 84, 120, 218, 99, 96, 80, 112, 72, 104, 88,
    112, 224, 1, 3, 135, 134, 71, 70, 199, 138, 19, 47, 24, 4, 12, 2, 10, 38, 108, 184, 240, 129,
    65, 194, 34, 162, 98, 198, 142, 27, 63, 224, 74, 24, 160, 74, 56, 24, 160, 74, 4, 24, 160, 74,
    36, 0, 42, 4, 31, 1, 243, 134, 227, 255, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
  ]
}
