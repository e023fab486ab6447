internal import CAssimp
import MeshpipeScene

/// Converts an imported `aiScene` to a ``Scene``: one mesh per node, welded, in world coordinates.
@unsafe
struct AssimpSceneConversion {
  private let source: UnsafePointer<aiScene>
  private var materials: AssimpMaterialConversion
  private var scene = Scene()
  private var remarks: [String] = []

  /// - Parameters:
  ///   - source: The import, which must outlive the conversion.
  ///   - gate: Decides which texture files may be opened.
  init(_ source: UnsafePointer<aiScene>, gate: AssimpFileGate) {
    unsafe self.source = source
    unsafe materials = AssimpMaterialConversion(source, gate: gate)
  }

  /// What could not be converted, in sentences for the user.
  var warnings: [String] { unsafe materials.warnings + remarks }

  mutating func convert() -> Scene {
    unsafe materials.convert()
    unsafe addNodes()
    unsafe scene.materials = materials.materials
    unsafe scene.textures = materials.textures
    unsafe remarks = scene.spreadTiles(materials.tiles) { unsafe materials.picture(at: $0) }
    unsafe dropDefaultMaterial()
    return unsafe scene
  }

  /// Traverses the nodes depth first, without recursion, since their depth is determined by the
  /// file.
  private mutating func addNodes() {
    guard let root = unsafe source.pointee.mRootNode else { return }
    let system = unsafe AssimpMetadata(of: source)?.coordinateSystem
    if let system { unsafe scene.coordinateSystem = system }
    var pending = unsafe [(node: root, parent: Transform.identity)]
    while let (node, parent) = unsafe pending.popLast() {
      // From 5.4 on the root node converts FBX's axes to Y up, which the scene's system already
      // includes.
      let isTurned = unsafe node == root && system != nil
      let own = unsafe isTurned ? Transform.identity : Transform(node.pointee.mTransformation)
      let transform = parent * own
      unsafe addMeshes(of: node, isRoot: node == root, transform: transform)
      let children = unsafe UnsafeBufferPointer(
        start: node.pointee.mChildren, count: Int(node.pointee.mNumChildren))
      for index in children.indices.reversed() {
        guard let child = unsafe children[index] else { continue }
        unsafe pending.append((child, transform))
      }
    }
  }

  /// Joins the meshes of a node, which are one surface split by material.
  private mutating func addMeshes(
    of node: UnsafePointer<aiNode>, isRoot: Bool, transform: Transform
  ) {
    let numbers = unsafe UnsafeBufferPointer(
      start: node.pointee.mMeshes, count: Int(node.pointee.mNumMeshes))
    let parts = unsafe numbers.compactMap { number in
      unsafe number < source.pointee.mNumMeshes ? unsafe source.pointee.mMeshes[Int(number)] : nil
    }
    guard let first = unsafe parts.first else { return }
    let nodeName = unsafe node.pointee.mName.text
    let name = unsafe isRoot || nodeName.isEmpty ? first.pointee.mName.text : nodeName

    var assembly = AssimpMeshAssembly(name: name)
    for index in unsafe parts.indices { unsafe assembly.add(parts[index].pointee) }
    var (mesh, points) = assembly.finish()
    if mesh.faceCount > 0 {
      mesh.apply(transform)
      unsafe scene.meshes.append(mesh)
    }
    if !points.positions.isEmpty {
      var moved = Scene(pointClouds: [points])
      moved.apply(transform)
      unsafe scene.pointClouds += moved.pointClouds
    }
  }

  /// Removes the material that Assimp invents for formats without materials.
  private mutating func dropDefaultMaterial() {
    guard unsafe scene.materials.count == 1, let only = unsafe scene.materials.first,
      only.name == AI_DEFAULT_MATERIAL_NAME, only.baseColorTexture == nil
    else { return }
    unsafe scene.materials = []
    for index in unsafe scene.meshes.indices { unsafe scene.meshes[index].faceMaterials = nil }
  }
}

extension Transform {
  /// Assimp's matrix, whose rows are named a to d.
  init(_ matrix: aiMatrix4x4) {
    self.init(
      x: SIMD3(Double(matrix.a1), Double(matrix.b1), Double(matrix.c1)),
      y: SIMD3(Double(matrix.a2), Double(matrix.b2), Double(matrix.c2)),
      z: SIMD3(Double(matrix.a3), Double(matrix.b3), Double(matrix.c3)),
      translation: SIMD3(Double(matrix.a4), Double(matrix.b4), Double(matrix.c4)))
  }
}
