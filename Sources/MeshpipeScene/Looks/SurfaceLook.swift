/// The common appearance of faces with one mesh, material and class.
package struct SurfaceLook: Sendable, Hashable {
  package enum Normals: Sendable { case face, vertex, corner }

  /// Linear; multiplies texture and vertex colours.
  package var color: SIMD3<Float>
  /// Index into the decoded textures; -1 for none.
  package var texture: Int = -1
  package var usesColors = false
  package var normals = Normals.face
  /// Index of the material in the scene; -1 for none, and where looks are not told apart by it.
  package var material: Int = -1
  /// Whether the mesh has texture coordinates.
  package var isMapped = false
  /// Whether the colour was photographed, including shading.
  package var isPhotographed: Bool { texture >= 0 || usesColors }
}

/// Chooses the look of the faces of a scene.
package struct SurfaceLooks {
  private let scene: Scene
  private let choice: ColorSource
  /// The decoded textures by their index in the scene.
  private let textures: [Int: Int]
  /// Those of materials that something shines through, likewise.
  private let texturesWithOpacity: [Int: Int]
  private let combinesColors: Bool
  private let keepsMaterials: Bool
  private let hasColoredMaterials: Bool
  private let table = SRGBTable.shared

  /// - Parameters:
  ///   - texturesWithOpacity: The decoded textures of materials that something shines through, if they are others.
  ///   - combinesColors: Whether vertex colours multiply textures, as glTF has it, and are not just another source for
  ///     what has both.
  ///   - keepsMaterials: Whether looks say of which material they are.
  package init(
    _ scene: Scene, choice: ColorSource, textures: [Int: Int],
    texturesWithOpacity: [Int: Int]? = nil, combinesColors: Bool = false,
    keepsMaterials: Bool = false
  ) {
    self.scene = scene
    self.combinesColors = combinesColors
    self.keepsMaterials = keepsMaterials
    self.texturesWithOpacity = texturesWithOpacity ?? textures
    self.choice = choice
    self.textures = textures
    // Exporters give every mesh a white or grey material, which is less informative than a class.
    hasColoredMaterials = scene.materials.contains { material in
      let color = SIMD3(material.baseColor.x, material.baseColor.y, material.baseColor.z)
      return color.max() - color.min() > 0.02
    }
  }

  /// The grey of surfaces without a colour.
  package var plain: SIMD3<Float> { table.linear(188, 186, 182) }

  /// The look of the faces of a mesh with a material and a class.
  package func look(of mesh: Mesh, material index: Int?, label: Int?) -> SurfaceLook {
    var look = SurfaceLook(color: plain)
    look.normals = mesh.cornerNormals != nil ? .corner : mesh.normals != nil ? .vertex : .face
    let material = index.map { scene.materials[$0] }
    let base = material.map { SIMD3($0.baseColor.x, $0.baseColor.y, $0.baseColor.z) }
    if keepsMaterials {
      look.material = index ?? -1
      look.isMapped = mesh.textureCoordinates != nil
    }
    let textures = material?.isSeeThrough == true ? texturesWithOpacity : textures
    if allows(.texture), mesh.textureCoordinates != nil,
      let texture = material?.baseColorTexture.flatMap({ textures[$0] })
    {
      look.texture = texture
      look.usesColors = combinesColors && choice == .auto && mesh.colors != nil
      look.color = base ?? SIMD3(repeating: 1)
    } else if allows(.vertex), mesh.colors != nil {
      look.usesColors = true
      look.color = base ?? SIMD3(repeating: 1)
    } else if allows(.material), let base, hasColoredMaterials || choice == .material {
      look.color = base
    } else if allows(.classification), let color = color(of: mesh.classes, label) {
      look.color = color
    } else if allows(.material), let base {
      look.color = base
    }
    return look
  }

  /// The look of the points of a cloud with a class.
  package func look(of cloud: PointCloud, label: Int?) -> SurfaceLook {
    var look = SurfaceLook(color: plain)
    look.normals = cloud.normals != nil ? .vertex : .face
    if allows(.vertex), cloud.colors != nil {
      look.usesColors = true
      look.color = SIMD3(repeating: 1)
    } else if allows(.classification), let color = color(of: cloud.classes, label) {
      look.color = color
    }
    return look
  }

  private func allows(_ source: ColorSource) -> Bool { choice == .auto || choice == source }

  private func color(of classes: FaceClasses?, _ label: Int?) -> SIMD3<Float>? {
    guard let classes, let label else { return nil }
    return ClassPalette.linearColor(of: classes.names[label])
  }
}
