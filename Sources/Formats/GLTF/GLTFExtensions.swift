import MeshPipeline

/// What extensions of glTF mean for reading shapes.
enum GLTFExtensions {
  /// The treatment of a file that requires an extension.
  enum Role: Equatable {
    case understood
    /// The file is read, with a warning about the loss.
    case passedOver(loss: String)
    case refused(reason: String)
  }

  /// Emitted light that is more than white.
  static let emissiveStrength = "KHR_materials_emissive_strength"

  /// What an older extension says of a material that has no metallic-roughness surface; nil if there is nothing.
  static func glossySurface(of material: JSONValue) -> JSONValue? {
    material["pbrMetallicRoughness"] == nil
      ? material["extensions"]?["KHR_materials_pbrSpecularGlossiness"] : nil
  }

  /// Supported extensions, and those that only change shading.
  private static let understood: Set<String> = [
    "KHR_mesh_quantization", "KHR_texture_transform", "EXT_texture_webp", "EXT_texture_avif",
    "KHR_texture_basisu", "KHR_lights_punctual",
    "KHR_xmp_json_ld", "KHR_materials_unlit", GLTFCompressedView.name,
    GLTFCompressedView.secondName,
    "KHR_draco_mesh_compression", "EXT_mesh_gpu_instancing",
    GLTFExtensions.relativeToCenter,
  ]

  /// The extension by which a texture has an image of an encoding; nil for those of glTF itself.
  static func name(ofTexture encoding: Texture.Encoding) -> String? {
    switch encoding {
    case .webp: "EXT_texture_webp"
    case .avif: "EXT_texture_avif"
    case .ktx2: "KHR_texture_basisu"
    default: nil
    }
  }

  /// The image of a texture: that of an extension, which is the better one, or else glTF's own; KTX2, which not every
  /// machine can decode, only if there is no other.
  static func source(ofTexture texture: JSONValue) -> JSONValue? {
    func source(_ name: String) -> JSONValue? { texture["extensions"]?[name]?["source"] }
    return source("EXT_texture_avif") ?? source("EXT_texture_webp") ?? texture["source"]
      ?? source("KHR_texture_basisu")
  }

  /// Prefixes of extensions that don't change the shape.
  private static let losses: [(prefixes: [String], loss: String)] = [
    (
      ["MSFT_texture_dds", "EXT_texture_astc"],
      "images in an unsupported format are left out"
    ),
    (
      [
        "EXT_structural_metadata", "EXT_mesh_features", "EXT_feature_metadata",
        "EXT_instance_features", "EXT_schema_metadata", "KHR_xmp", "AGI_",
      ], "metadata are left out"
    ),
    (["VRM", "KHR_character", "MOZ_hubs"], "character data are left out"),
    (["CESIUM_primitive_outline", "EXT_mesh_primitive_edge"], "outlines are left out"),
    (["KHR_animation_pointer"], "animations are left out"),
    (["KHR_node_visibility"], "hidden nodes are read too"),
    (
      ["KHR_node_", "KHR_interactivity", "KHR_audio", "KHR_physics", "OMI_", "MSFT_audio"],
      "interactivity is left out"
    ),
    (["MSFT_lod", "MSFT_packing", "EXT_lights", "FB_", "ADOBE_"], "is ignored"),
    (["KHR_techniques_webgl"], "shader-based materials are left out"),
    ([splats], lossOfSplats),
  ]

  /// Moves the whole scene to a place on the globe.
  static let relativeToCenter = "CESIUM_RTC"

  static let splats = "KHR_gaussian_splatting"
  static let lossOfSplats = """
    Gaussian splats are read as plain points, without size, direction and opacity; in PLY, as SuperSplat and \
    'splat-transform' write it, they keep them
    """

  static func role(of name: String) -> Role {
    if understood.contains(name) || name.hasPrefix("KHR_materials_") { return .understood }
    let loss = losses.first { $0.prefixes.contains { name.hasPrefix($0) } }?.loss
    return loss.map { .passedOver(loss: $0) }
      ?? .refused(reason: "it needs an extension that is not supported")
  }

  /// The message for a file of another version, with the way to a supported one.
  static func wrongVersion(_ version: String) -> String {
    let way = version.hasPrefix("1") ? "; convert it to glTF 2 with gltf-pipeline" : ""
    return "is glTF version \(version); only 2 is supported\(way)"
  }
}
