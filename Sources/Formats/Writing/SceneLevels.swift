import MeshPipeline

/// The levels of detail of a model in one scene, the nearest first; equal materials and textures are
/// there once.
struct SceneLevels {
  /// The meshes of all levels.
  private(set) var scene: Scene
  /// The number of meshes with faces of each level.
  private(set) var counts: [Int]

  /// - Parameter lighter: The other levels, of which only the surface is another one than that of the nearest; those without
  ///   faces are left out.
  init(_ nearest: Scene, lighter: [Scene]) {
    scene = nearest
    counts = [Self.meshCount(of: nearest)]
    let lighter = lighter.filter { $0.faceCount > 0 }
    guard !lighter.isEmpty else { return }
    for level in lighter {
      counts.append(Self.meshCount(of: level))
      var surface = Scene(
        meshes: level.meshes, materials: level.materials, textures: level.textures)
      surface.coordinateSystem = level.coordinateSystem
      surface.origin = level.origin
      surface.align(with: scene)
      scene.append(surface)
    }
    scene.joinEqualTextures()
    scene.joinEqualMaterials()
  }

  private static func meshCount(of scene: Scene) -> Int {
    scene.meshes.count { $0.faceCount > 0 }
  }
}

extension Scene {
  /// Makes materials use the first of equal textures.
  fileprivate mutating func joinEqualTextures() {
    let first = textures.indices.map { index in
      textures[..<index].firstIndex {
        $0.encoding == textures[index].encoding && $0.bytes == textures[index].bytes
      } ?? index
    }
    for index in materials.indices {
      for key in Material.textureKeys {
        materials[index][keyPath: key] = materials[index][keyPath: key].map { first[$0] }
      }
    }
  }

  /// Makes faces use the first of equal materials.
  fileprivate mutating func joinEqualMaterials() {
    let first = materials.indices.map { index in
      UInt32(materials[..<index].firstIndex(of: materials[index]) ?? index)
    }
    guard first.enumerated().contains(where: { $0.offset != Int($0.element) }) else { return }
    for index in meshes.indices {
      meshes[index].faceMaterials = meshes[index].faceMaterials?.map { first[Int($0)] }
    }
  }
}
