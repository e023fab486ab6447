internal import CMeshpipePlugin
import MeshpipeScene
import NativeLibraries

/// Makes a scene from the structures that a plugin changed, and validates what is new.
struct ReturnedScene {
  let original: Scene
  let snapshot: LentScene.Snapshot
  private let arrays: ReturnedArrays

  init(
    original: Scene, snapshot: LentScene.Snapshot, arrays: [UInt: any LendableArray],
    memory: PluginMemory
  ) {
    self.original = original
    self.snapshot = snapshot
    self.arrays = ReturnedArrays(lent: arrays, memory: memory)
  }

  /// - Parameter root: The structure given to the plugin, after its run.
  func scene(from root: meshpipe_scene) throws(PluginLibraryError) -> Scene {
    var scene = unsafe Scene(name: String(text: root.name))
    unsafe scene.coordinateSystem = try coordinateSystem(of: root)

    let textures = unsafe try arrays.list(root.textures, root.texture_count, "textures")
    var textureIndices: [UInt: Int] = [:]
    for index in unsafe textures.indices {
      unsafe scene.textures.append(try texture(textures[index], index))
      unsafe textureIndices[UInt(bitPattern: textures[index])] = index
    }
    let materials = unsafe try arrays.list(root.materials, root.material_count, "materials")
    for index in unsafe materials.indices {
      unsafe scene.materials.append(try material(materials[index], index, textureIndices))
    }
    let meshes = unsafe try arrays.list(root.meshes, root.mesh_count, "meshes")
    for index in unsafe meshes.indices {
      unsafe scene.meshes.append(
        try mesh(meshes[index], index, materialCount: scene.materials.count))
    }
    let clouds = unsafe try arrays.list(
      root.point_clouds, root.point_cloud_count, "point clouds")
    for index in unsafe clouds.indices {
      unsafe scene.pointClouds.append(try pointCloud(clouds[index], index))
    }
    let frames = unsafe try arrays.list(root.frames, root.frame_count, "frames")
    if unsafe original.capture != nil || !frames.isEmpty {
      scene.capture = Capture()
      for index in unsafe frames.indices {
        unsafe scene.capture?.frames.append(try frame(frames[index], index))
      }
    }
    return scene
  }

  private func coordinateSystem(
    of root: meshpipe_scene
  ) throws(PluginLibraryError) -> CoordinateSystem {
    guard let up = unsafe SignedAxis(pluginNumber: root.up),
      let forward = unsafe SignedAxis(pluginNumber: root.forward), up.index != forward.index,
      unsafe root.meters_per_unit > 0 && root.meters_per_unit.isFinite
    else {
      throw .nonsense(
        "its axes or unit are invalid: up and forward are the same axis, or the unit is zero")
    }
    return unsafe CoordinateSystem(
      up: up, forward: forward, handedness: root.is_left_handed == 0 ? .right : .left,
      metersPerUnit: root.meters_per_unit)
  }

  // MARK: Meshes and points

  private func mesh(
    _ place: UnsafeMutablePointer<meshpipe_mesh>, _ index: Int, materialCount: Int
  ) throws(PluginLibraryError) -> Mesh {
    if let same = unsafe snapshot.index(ofUnchanged: place) {
      let mesh = original.meshes[same]
      // Its materials may have been removed.
      if mesh.faceMaterials != nil, materialCount < original.materials.count {
        try checked { () throws(WireError) in
          try mesh.checkContent(materialCount: materialCount, requiresFiniteNumbers: false)
        }
      }
      return mesh
    }
    let owner = "mesh \(index)"
    let given = unsafe try arrays.structure(place, unsafe meshpipe_mesh(), owner)
    let vertices = unsafe try arrays.count(given.vertex_count, "vertices", of: owner)
    let faces = unsafe try arrays.count(given.face_count, "faces", of: owner)
    var mesh = unsafe Mesh(name: String(text: given.name))
    unsafe mesh.positions = try arrays.required(
      given.positions, vertices, "positions", of: owner)
    unsafe mesh.indices = try arrays.required(given.indices, 3 * faces, "indices", of: owner)
    unsafe mesh.normals = try arrays.array(given.normals, vertices, "normals", of: owner)
    unsafe mesh.colors = try arrays.array(given.colors, vertices, "colors", of: owner)
    unsafe mesh.confidences = try arrays.array(
      given.confidences, vertices, "confidences", of: owner)
    unsafe mesh.textureCoordinates = try arrays.array(
      given.texture_coordinates, 3 * faces, "texture coordinates", of: owner)
    unsafe mesh.cornerNormals = try arrays.array(
      given.corner_normals, 3 * faces, "corner normals", of: owner)
    unsafe mesh.faceMaterials = try arrays.array(
      given.face_materials, faces, "face materials", of: owner)
    unsafe mesh.classes = try arrays.classes(
      at: given.classes, count: faces, names: given.class_names, nameCount: given.class_name_count,
      of: owner)
    unsafe mesh.secondTextureCoordinates = try arrays.array(
      given.second_texture_coordinates, 3 * faces, "second texture coordinates", of: owner)
    unsafe mesh.tangents = try arrays.array(given.tangents, 3 * faces, "tangents", of: owner)
    unsafe try arrays.readAttributes(given.attributes, given.attribute_count, into: &mesh, owner)
    try checked { () throws(WireError) in try mesh.checkContent(materialCount: materialCount) }
    return mesh
  }

  private func pointCloud(
    _ place: UnsafeMutablePointer<meshpipe_point_cloud>, _ index: Int
  ) throws(PluginLibraryError) -> PointCloud {
    if let same = unsafe snapshot.index(ofUnchanged: place) { return original.pointClouds[same] }
    let owner = "point cloud \(index)"
    let given = unsafe try arrays.structure(place, unsafe meshpipe_point_cloud(), owner)
    let points = unsafe try arrays.count(given.point_count, "points", of: owner)
    var cloud = unsafe PointCloud(name: String(text: given.name))
    unsafe cloud.positions = try arrays.required(given.positions, points, "positions", of: owner)
    unsafe cloud.normals = try arrays.array(given.normals, points, "normals", of: owner)
    unsafe cloud.colors = try arrays.array(given.colors, points, "colors", of: owner)
    unsafe cloud.confidences = try arrays.array(
      given.confidences, points, "confidences", of: owner)
    unsafe cloud.classes = try arrays.classes(
      at: given.classes, count: points, names: given.class_names, nameCount: given.class_name_count,
      of: owner)
    unsafe try arrays.readAttributes(given.attributes, given.attribute_count, into: &cloud, owner)
    try checked { () throws(WireError) in try cloud.checkContent() }
    return cloud
  }

  private func checked(_ check: () throws(WireError) -> Void) throws(PluginLibraryError) {
    do {
      try check()
    } catch {
      throw .nonsense(error.message)
    }
  }

  // MARK: Materials and textures

  private func texture(
    _ place: UnsafeMutablePointer<meshpipe_texture>, _ index: Int
  ) throws(PluginLibraryError) -> Texture {
    if let same = unsafe snapshot.index(ofUnchanged: place) { return original.textures[same] }
    let owner = "texture \(index)"
    let given = unsafe try arrays.structure(place, unsafe meshpipe_texture(), owner)
    guard let encoding = unsafe Texture.Encoding(pluginNumber: given.encoding) else {
      throw .nonsense("\(owner) has an unknown texture encoding")
    }
    guard unsafe given.byte_count >= 0 else { throw .nonsense("\(owner) is too long") }
    return unsafe Texture(
      fileName: String(text: given.file_name), encoding: encoding,
      bytes: try arrays.required(given.bytes, given.byte_count, "bytes", of: owner))
  }

  private func material(
    _ place: UnsafeMutablePointer<meshpipe_material>, _ index: Int, _ textures: [UInt: Int]
  ) throws(PluginLibraryError) -> Material {
    let owner = "material \(index)"
    let given = unsafe try arrays.structure(place, unsafe meshpipe_material(), owner)
    func texture(
      _ place: UnsafePointer<meshpipe_texture>?
    ) throws(PluginLibraryError) -> Int? {
      guard let place = unsafe place else { return nil }
      guard let index = textures[UInt(bitPattern: place)] else {
        throw .nonsense("\(owner) has a texture that is not among those of the scene")
      }
      return index
    }
    guard
      let alphaMode = unsafe Material.AlphaMode(
        pluginMode: given.alpha_mode, cutoff: given.alpha_cutoff)
    else { throw .nonsense("\(owner) has an unknown alpha mode or cutoff") }
    let material = unsafe Material(
      name: String(text: given.name),
      baseColor: SIMD4(given.red, given.green, given.blue, given.opacity),
      metallic: given.metallic, roughness: given.roughness,
      emissive: SIMD3(given.emissive_red, given.emissive_green, given.emissive_blue),
      isDoubleSided: given.is_double_sided != 0,
      baseColorTexture: try texture(given.base_color_texture),
      normalTexture: try texture(given.normal_texture),
      occlusionTexture: try texture(given.occlusion_texture),
      metallicRoughnessTexture: try texture(given.metallic_roughness_texture),
      emissiveTexture: try texture(given.emissive_texture), isUnlit: given.is_unlit != 0,
      alphaMode: alphaMode)
    let color = material.baseColor
    let sum =
      color.sum() + material.emissive.sum() + material.metallic + material.roughness
    guard sum.isFinite else { throw .nonsense("\(owner) has non-finite numbers") }
    return material
  }

  /// A frame with the parts that a plugin may change; the rest never leaves meshpipe.
  private func frame(
    _ place: UnsafeMutablePointer<meshpipe_frame>, _ index: Int
  ) throws(PluginLibraryError) -> Capture.Frame {
    let owner = "frame \(index)"
    let given = unsafe try arrays.structure(place, unsafe meshpipe_frame(), owner)
    let pose = unsafe Transform(
      x: given.x_axis.simd, y: given.y_axis.simd, z: given.z_axis.simd,
      translation: given.translation.simd)
    let intrinsics = unsafe Capture.Intrinsics(
      focalLength: given.focal_length.simd, principalPoint: given.principal_point.simd)
    let sum =
      (pose.x + pose.y + pose.z + pose.translation).sum()
      + (intrinsics.focalLength + intrinsics.principalPoint).sum()
    guard sum.isFinite else { throw .nonsense("\(owner) has non-finite numbers") }
    return unsafe Capture.Frame(
      name: String(text: given.name), image: .file(""), imageSize: .zero, intrinsics: intrinsics,
      pose: pose)
  }
}
