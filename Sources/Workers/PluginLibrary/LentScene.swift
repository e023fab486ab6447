internal import CMeshpipePlugin
import MeshpipeScene

/// A scene as C structures for a plugin; its arrays are not copied.
@unsafe
struct LentScene {
  let root: UnsafeMutablePointer<meshpipe_scene>
  private(set) var loans = PluginLoans()
  fileprivate var meshes: [UnsafeMutablePointer<meshpipe_mesh>] = unsafe []
  fileprivate var clouds: [UnsafeMutablePointer<meshpipe_point_cloud>] = unsafe []
  fileprivate var textures: [UnsafeMutablePointer<meshpipe_texture>] = unsafe []
  /// The lists and structures of custom attributes, by the address of their mesh or point cloud.
  fileprivate var attributeBlocks: [UInt: [UnsafeRawBufferPointer]] = unsafe [:]

  private let memory: PluginMemory
  private let lentAttributes: LentAttributes

  init(
    _ scene: borrowing Scene, _ lentAttributes: LentAttributes, in memory: PluginMemory
  ) throws(PluginLibraryError) {
    unsafe self.memory = memory
    unsafe self.lentAttributes = lentAttributes
    unsafe root = try memory.structure(unsafe meshpipe_scene())
    unsafe root.pointee.name = try memory.text(scene.name)
    let system = scene.coordinateSystem
    unsafe root.pointee.up = system.up.pluginNumber
    unsafe root.pointee.forward = system.forward.pluginNumber
    unsafe root.pointee.is_left_handed = system.handedness == .left ? 1 : 0
    unsafe root.pointee.meters_per_unit = system.metersPerUnit

    for mesh in scene.meshes { unsafe meshes.append(try lend(mesh)) }
    unsafe root.pointee.meshes = try memory.list(meshes)
    unsafe root.pointee.mesh_count = meshes.count
    for cloud in scene.pointClouds { unsafe clouds.append(try lend(cloud)) }
    unsafe root.pointee.point_clouds = try memory.list(clouds)
    unsafe root.pointee.point_cloud_count = clouds.count
    for texture in scene.textures { unsafe textures.append(try lend(texture)) }
    unsafe root.pointee.textures = try memory.list(textures)
    unsafe root.pointee.texture_count = textures.count
    var materials = unsafe [UnsafeMutablePointer<meshpipe_material>]()
    for material in scene.materials { unsafe materials.append(try structure(of: material)) }
    unsafe root.pointee.materials = try memory.list(materials)
    unsafe root.pointee.material_count = materials.count
    var frames = unsafe [UnsafeMutablePointer<meshpipe_frame>]()
    for frame in scene.capture?.frames ?? [] { unsafe frames.append(try structure(of: frame)) }
    unsafe root.pointee.frames = try memory.list(frames)
    unsafe root.pointee.frame_count = frames.count
  }

  // MARK: Parts with arrays

  private mutating func lend(
    _ mesh: Mesh
  ) throws(PluginLibraryError) -> UnsafeMutablePointer<meshpipe_mesh> {
    let lent = unsafe try memory.structure(unsafe meshpipe_mesh())
    unsafe lent.pointee.name = try memory.text(mesh.name)
    unsafe lent.pointee.vertex_count = mesh.vertexCount
    unsafe lent.pointee.face_count = mesh.faceCount
    unsafe loans.lend(mesh.positions, lent, \.positions)
    unsafe loans.lend(mesh.indices, lent, \.indices)
    unsafe loans.lend(mesh.normals, lent, \.normals)
    unsafe loans.lend(mesh.colors, lent, \.colors)
    unsafe loans.lend(mesh.confidences, lent, \.confidences)
    unsafe loans.lend(mesh.textureCoordinates, lent, \.texture_coordinates)
    unsafe loans.lend(mesh.cornerNormals, lent, \.corner_normals)
    unsafe loans.lend(mesh.faceMaterials, lent, \.face_materials)
    unsafe loans.lend(mesh.classes?.labels, lent, \.classes)
    unsafe (lent.pointee.class_names, lent.pointee.class_name_count) = try names(of: mesh.classes)
    if unsafe lentAttributes.contains(.secondTextureCoordinates) {
      unsafe loans.lend(mesh.secondTextureCoordinates, lent, \.second_texture_coordinates)
    }
    if unsafe lentAttributes.contains(.tangents) {
      unsafe loans.lend(mesh.tangents, lent, \.tangents)
    }
    unsafe (lent.pointee.attributes, lent.pointee.attribute_count) =
      try attributes(of: mesh, UInt(bitPattern: lent))
    return unsafe lent
  }

  private mutating func lend(
    _ cloud: PointCloud
  ) throws(PluginLibraryError) -> UnsafeMutablePointer<meshpipe_point_cloud> {
    let lent = unsafe try memory.structure(unsafe meshpipe_point_cloud())
    unsafe lent.pointee.name = try memory.text(cloud.name)
    unsafe lent.pointee.point_count = cloud.positions.count
    unsafe loans.lend(cloud.positions, lent, \.positions)
    unsafe loans.lend(cloud.normals, lent, \.normals)
    unsafe loans.lend(cloud.colors, lent, \.colors)
    unsafe loans.lend(cloud.confidences, lent, \.confidences)
    unsafe loans.lend(cloud.classes?.labels, lent, \.classes)
    unsafe (lent.pointee.class_names, lent.pointee.class_name_count) = try names(of: cloud.classes)
    unsafe (lent.pointee.attributes, lent.pointee.attribute_count) =
      try attributes(of: cloud, UInt(bitPattern: lent))
    return unsafe lent
  }

  /// The list of custom attributes, and its length.
  ///
  /// - Parameter address: That of the structure of their mesh or point cloud.
  private mutating func attributes<Owner: AttributeOwner>(
    of owner: Owner, _ address: UInt
  ) throws(PluginLibraryError) -> (
    UnsafeMutablePointer<UnsafeMutablePointer<meshpipe_attribute>?>?, Int
  ) {
    guard unsafe lentAttributes.contains(.customAttributes), owner.hasCustomAttributes else {
      return (nil, 0)
    }
    var structures = unsafe [UnsafeMutablePointer<meshpipe_attribute>]()
    for element in Owner.elements {
      for attribute in owner[keyPath: Owner.customAttributes(of: element)]
      where unsafe lentAttributes.lends(attribute.type) {
        let lent = unsafe try memory.structure(unsafe meshpipe_attribute())
        unsafe lent.pointee.name = try memory.text(attribute.name)
        unsafe lent.pointee.element = element.pluginNumber
        unsafe lent.pointee.type = attribute.type.pluginNumber
        unsafe lent.pointee.width = attribute.width
        unsafe loans.lend(attribute.values.array as? any LendableArray, lent, \.values)
        unsafe structures.append(lent)
      }
    }
    let list = unsafe try memory.list(structures)
    var blocks = unsafe [
      UnsafeRawBufferPointer(
        start: list, count: structures.count * MemoryLayout<UnsafeRawPointer>.stride)
    ]
    for index in unsafe structures.indices {
      unsafe blocks.append(
        UnsafeRawBufferPointer(
          start: structures[index], count: MemoryLayout<meshpipe_attribute>.stride))
    }
    unsafe attributeBlocks[address] = unsafe blocks
    return unsafe (list, structures.count)
  }

  private mutating func lend(
    _ texture: Texture
  ) throws(PluginLibraryError) -> UnsafeMutablePointer<meshpipe_texture> {
    let lent = unsafe try memory.structure(unsafe meshpipe_texture())
    unsafe lent.pointee.file_name = try memory.text(texture.fileName)
    unsafe lent.pointee.encoding = texture.encoding.pluginNumber
    unsafe lent.pointee.byte_count = texture.bytes.count
    unsafe loans.lend(texture.bytes, lent, \.bytes)
    return unsafe lent
  }

  /// The list of class names, and its length.
  private func names(
    of classes: FaceClasses?
  ) throws(PluginLibraryError) -> (UnsafePointer<UnsafePointer<CChar>?>?, Int) {
    guard let names = classes?.names else { return (nil, 0) }
    var pointers = unsafe [UnsafePointer<CChar>]()
    for name in names { unsafe pointers.append(try memory.text(name)) }
    return unsafe (UnsafePointer(try memory.list(pointers)), names.count)
  }

  // MARK: Parts without arrays

  private func structure(
    of material: Material
  ) throws(PluginLibraryError) -> UnsafeMutablePointer<meshpipe_material> {
    let given = unsafe try memory.structure(unsafe meshpipe_material())
    unsafe given.pointee.name = try memory.text(material.name)
    let (color, emissive) = (material.baseColor, material.emissive)
    unsafe (given.pointee.red, given.pointee.green) = (color.x, color.y)
    unsafe (given.pointee.blue, given.pointee.opacity) = (color.z, color.w)
    unsafe (given.pointee.metallic, given.pointee.roughness) =
      (material.metallic, material.roughness)
    unsafe (given.pointee.emissive_red, given.pointee.emissive_green) = (emissive.x, emissive.y)
    unsafe given.pointee.emissive_blue = emissive.z
    unsafe given.pointee.is_double_sided = material.isDoubleSided ? 1 : 0
    if let index = material.baseColorTexture {
      unsafe given.pointee.base_color_texture = UnsafePointer(textures[index])
    }
    if let index = material.normalTexture {
      unsafe given.pointee.normal_texture = UnsafePointer(textures[index])
    }
    if let index = material.occlusionTexture {
      unsafe given.pointee.occlusion_texture = UnsafePointer(textures[index])
    }
    if let index = material.metallicRoughnessTexture {
      unsafe given.pointee.metallic_roughness_texture = UnsafePointer(textures[index])
    }
    if let index = material.emissiveTexture {
      unsafe given.pointee.emissive_texture = UnsafePointer(textures[index])
    }
    unsafe (given.pointee.alpha_mode, given.pointee.alpha_cutoff) = material.alphaMode.pluginNumbers
    unsafe given.pointee.is_unlit = material.isUnlit ? 1 : 0
    return unsafe given
  }

  private func structure(
    of frame: Capture.Frame
  ) throws(PluginLibraryError) -> UnsafeMutablePointer<meshpipe_frame> {
    let given = unsafe try memory.structure(unsafe meshpipe_frame())
    unsafe given.pointee.name = try memory.text(frame.name)
    unsafe given.pointee.image_path = try memory.text(frame.image.path)
    unsafe given.pointee.video_index = -1
    if case .video(_, let index) = frame.image { unsafe given.pointee.video_index = Int64(index) }
    unsafe given.pointee.image_width = frame.imageSize.x
    unsafe given.pointee.image_height = frame.imageSize.y
    unsafe given.pointee.focal_length = meshpipe_vector2(frame.intrinsics.focalLength)
    unsafe given.pointee.principal_point = meshpipe_vector2(frame.intrinsics.principalPoint)
    unsafe given.pointee.x_axis = meshpipe_vector3(frame.pose.x)
    unsafe given.pointee.y_axis = meshpipe_vector3(frame.pose.y)
    unsafe given.pointee.z_axis = meshpipe_vector3(frame.pose.z)
    unsafe given.pointee.translation = meshpipe_vector3(frame.pose.translation)
    return unsafe given
  }
}

extension LentScene {
  /// The structures before the plugin ran.
  struct Snapshot {
    /// A structure, and its index in the scene's list.
    struct Entry {
      var kind: ObjectIdentifier
      var index: Int
      var bytes: [UInt8]
      /// What belongs to it: blocks, and their bytes.
      var blocks: [(place: UInt, bytes: [UInt8])]

      /// Whether the blocks have the same bytes as before.
      var hasSameBlocks: Bool {
        blocks.allSatisfy { block in
          let start = unsafe UnsafeRawPointer(bitPattern: block.place)
          return unsafe UnsafeRawBufferPointer(start: start, count: block.bytes.count)
            .elementsEqual(block.bytes)
        }
      }
    }

    private var entries: [UInt: Entry] = [:]
    private let blocks: [UInt: [(place: UInt, bytes: [UInt8])]]

    init(of scene: LentScene) {
      blocks = unsafe scene.attributeBlocks.mapValues { blocks in
        unsafe blocks.map { block in
          unsafe (UInt(bitPattern: block.baseAddress), Array(block))
        }
      }
      unsafe note(scene.meshes)
      unsafe note(scene.clouds)
      unsafe note(scene.textures)
    }

    private mutating func note<Structure>(_ places: [UnsafeMutablePointer<Structure>]) {
      for index in unsafe places.indices {
        let bytes = unsafe UnsafeRawBufferPointer(
          start: places[index], count: MemoryLayout<Structure>.stride)
        let address = UInt(bitPattern: unsafe places[index])
        entries[address] = unsafe Entry(
          kind: ObjectIdentifier(Structure.self), index: index, bytes: Array(bytes),
          blocks: blocks[address] ?? [])
      }
    }

    /// The index of a structure, if it was not changed.
    func index<Structure>(ofUnchanged place: UnsafeMutablePointer<Structure>) -> Int? {
      let bytes = unsafe UnsafeRawBufferPointer(
        start: place, count: MemoryLayout<Structure>.stride)
      guard let entry = entries[UInt(bitPattern: place)],
        entry.kind == ObjectIdentifier(Structure.self), unsafe entry.bytes.elementsEqual(bytes),
        entry.hasSameBlocks
      else { return nil }
      return entry.index
    }
  }
}

extension SignedAxis {
  private static let byNumber: [SignedAxis] = [.x, .y, .z, .negativeX, .negativeY, .negativeZ]

  /// The axis as `MESHPIPE_X` and so on.
  var pluginNumber: Int32 { Int32(Self.byNumber.firstIndex(of: self) ?? 0) }

  init?(pluginNumber: Int32) {
    guard Self.byNumber.indices.contains(Int(pluginNumber)) else { return nil }
    self = Self.byNumber[Int(pluginNumber)]
  }
}

extension Texture.Encoding {
  private static let byNumber: [Self] = [
    .png, .jpeg, .webp, .tga, .bmp, .tiff, .other, .avif, .ktx2,
  ]

  /// The encoding as `MESHPIPE_PNG` and so on.
  var pluginNumber: Int32 { Int32(Self.byNumber.firstIndex(of: self) ?? 6) }

  init?(pluginNumber: Int32) {
    guard Self.byNumber.indices.contains(Int(pluginNumber)) else { return nil }
    self = Self.byNumber[Int(pluginNumber)]
  }
}

extension Material.AlphaMode {
  /// The mode as `MESHPIPE_OPAQUE` and so on, and its cutoff.
  var pluginNumbers: (mode: Int32, cutoff: Float) {
    switch self {
    case .opaque: (0, 0.5)
    case .mask(let cutoff): (1, cutoff)
    case .blend: (2, 0.5)
    }
  }

  init?(pluginMode mode: Int32, cutoff: Float) {
    switch mode {
    case 0: self = .opaque
    case 1 where cutoff.isFinite: self = .mask(cutoff: cutoff)
    case 2: self = .blend
    default: return nil
    }
  }
}

extension meshpipe_vector3 {
  init(_ vector: SIMD3<Double>) { self.init(x: vector.x, y: vector.y, z: vector.z) }
  var simd: SIMD3<Double> { SIMD3(x, y, z) }
}

extension meshpipe_vector2 {
  init(_ vector: SIMD2<Double>) { self.init(x: vector.x, y: vector.y) }
  var simd: SIMD2<Double> { SIMD2(x, y) }
}
