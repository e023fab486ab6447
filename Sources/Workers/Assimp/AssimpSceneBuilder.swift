internal import CAssimp
import MeshPipeline
import MeshpipeScene

/// Builds the `aiScene` of a scene prepared for export.
///
/// Preconditions: the faces of a mesh are in runs of one material, no two runs share a vertex, and
/// the corners at a vertex agree in their texture coordinates. A mesh becomes a node, each of its
/// runs an Assimp mesh. Textures without bytes are separate files, others are embedded.
@unsafe
struct AssimpSceneBuilder {
  private let scene: Scene
  private let namesMeshes: Bool
  /// The provenance, with its key.
  private let remark: (key: String, text: String)?
  private let arena = AssimpArena()
  private var meshes: [UnsafeMutablePointer<aiMesh>] = unsafe []

  /// - Parameter namesMeshes: Whether meshes are named like their nodes; 3DS concatenates both
  ///   names.
  init(_ scene: Scene, madeBy provenance: Provenance?, namesMeshes: Bool) {
    unsafe self.scene = scene
    unsafe remark = provenance.map { (Provenance.key, $0.text) }
    unsafe self.namesMeshes = namesMeshes
  }

  /// Calls `body` with the scene, which must not escape the call.
  ///
  /// - Parameter declaresAxes: Whether axes and unit are stored in FBX's metadata; otherwise the
  ///   root node converts the scene to Assimp's system: Y up, metres.
  mutating func withScene<Result>(
    declaresAxes: Bool, _ body: (UnsafePointer<aiScene>) -> Result
  ) -> Result {
    let result = unsafe arena.allocate(aiScene.self, 1)
    let system = unsafe scene.coordinateSystem
    let root = unsafe node(named: "root")
    if !declaresAxes {
      unsafe root.pointee.mTransformation = aiMatrix4x4(system.transform(to: .arkit))
    }
    var children: [UnsafeMutablePointer<aiNode>] = unsafe []
    for mesh in unsafe scene.meshes where mesh.faceCount > 0 {
      unsafe children.append(addNode(for: mesh, under: root))
    }
    for cloud in unsafe scene.pointClouds where !cloud.positions.isEmpty {
      unsafe children.append(addNode(for: cloud, under: root))
    }
    unsafe root.pointee.mNumChildren = UInt32(children.count)
    unsafe root.pointee.mChildren = unsafe arena.list(children)
    unsafe result.pointee.mRootNode = unsafe root

    unsafe result.pointee.mNumMeshes = UInt32(meshes.count)
    unsafe result.pointee.mMeshes = unsafe arena.list(meshes)
    let materials = unsafe AssimpMaterialBuilder(scene, arena: arena).materials()
    unsafe result.pointee.mNumMaterials = UInt32(materials.count)
    unsafe result.pointee.mMaterials = unsafe arena.list(materials)
    let textures = unsafe embeddedTextures()
    unsafe result.pointee.mNumTextures = UInt32(textures.count)
    unsafe result.pointee.mTextures = unsafe arena.list(textures)
    if declaresAxes {
      unsafe result.pointee.mMetaData = unsafe metadata(declaring: system)
    } else if let remark = unsafe remark {
      // COLLADA takes comments of the scene, X3D and Assimp's own format what the root node has.
      let comment = "\(remark.key) \(remark.text)"
      unsafe result.pointee.mMetaData = unsafe metadata([("Comments", comment)])
      unsafe root.pointee.mMetaData = unsafe metadata([(remark.key, remark.text)])
    }
    return unsafe body(result)
  }

  // MARK: Nodes and meshes

  private func node(named name: String) -> UnsafeMutablePointer<aiNode> {
    let node = unsafe arena.allocate(aiNode.self, 1)
    unsafe node.pointee.mName = aiString(name)
    unsafe node.pointee.mTransformation = aiMatrix4x4(.identity)
    return unsafe node
  }

  private func node(
    named name: String, holding numbers: Range<Int>, under root: UnsafeMutablePointer<aiNode>
  ) -> UnsafeMutablePointer<aiNode> {
    let node = unsafe node(named: name)
    unsafe node.pointee.mParent = unsafe root
    unsafe node.pointee.mNumMeshes = UInt32(numbers.count)
    unsafe node.pointee.mMeshes = unsafe arena.copy(numbers.map { UInt32($0) })
    return unsafe node
  }

  private mutating func addNode(
    for mesh: Mesh, under root: UnsafeMutablePointer<aiNode>
  ) -> UnsafeMutablePointer<aiNode> {
    let first = unsafe meshes.count
    var start = 0
    while start < mesh.faceCount {
      let material = mesh.faceMaterials?[start] ?? 0
      var end = start + 1
      while end < mesh.faceCount, (mesh.faceMaterials?[end] ?? 0) == material { end += 1 }
      unsafe meshes.append(run(start..<end, of: mesh, material: material))
      start = end
    }
    return unsafe node(named: mesh.name, holding: first..<meshes.count, under: root)
  }

  /// The faces of one material, with the range of vertices that they use.
  private func run(
    _ faces: Range<Int>, of mesh: Mesh, material: UInt32
  ) -> UnsafeMutablePointer<aiMesh> {
    let corners = 3 * faces.lowerBound..<3 * faces.upperBound
    let used = mesh.indices[corners]
    let low = used.min() ?? 0
    let vertices = Int(low)..<Int(used.max() ?? 0) + 1

    let result = unsafe self.mesh(named: mesh.name, positions: mesh.positions[vertices])
    unsafe result.pointee.mMaterialIndex = material
    unsafe result.pointee.mPrimitiveTypes = aiPrimitiveType_TRIANGLE.rawValue
    unsafe addFaces(used.map { $0 - low }, size: 3, to: result)
    if let normals = mesh.normals {
      unsafe result.pointee.mNormals = unsafe vectors(normals[vertices])
    }
    if let colors = mesh.colors {
      unsafe result.pointee.mColors.0 = unsafe self.colors(colors[vertices])
    }
    if let coordinates = mesh.textureCoordinates {
      let perVertex = unsafe arena.allocate(aiVector3D.self, vertices.count)
      for corner in corners {
        let position = coordinates[corner]
        unsafe perVertex[Int(mesh.indices[corner] - low)] = aiVector3D(
          x: position.x, y: position.y, z: 0)
      }
      unsafe result.pointee.mTextureCoords.0 = unsafe perVertex
      unsafe result.pointee.mNumUVComponents.0 = 2
    }
    return unsafe result
  }

  private mutating func addNode(
    for cloud: PointCloud, under root: UnsafeMutablePointer<aiNode>
  ) -> UnsafeMutablePointer<aiNode> {
    let result = unsafe mesh(named: cloud.name, positions: cloud.positions[...])
    unsafe result.pointee.mPrimitiveTypes = aiPrimitiveType_POINT.rawValue
    unsafe addFaces((0..<UInt32(cloud.positions.count)).map { $0 }, size: 1, to: result)
    if let normals = cloud.normals {
      unsafe result.pointee.mNormals = unsafe vectors(normals[...])
    }
    if let colors = cloud.colors {
      unsafe result.pointee.mColors.0 = unsafe self.colors(colors[...])
    }
    unsafe meshes.append(result)
    return unsafe node(named: cloud.name, holding: meshes.count - 1..<meshes.count, under: root)
  }

  private func mesh(
    named name: String, positions: ArraySlice<Vector3>
  ) -> UnsafeMutablePointer<aiMesh> {
    let mesh = unsafe arena.allocate(aiMesh.self, 1)
    unsafe mesh.pointee.mName = aiString(namesMeshes ? name : "")
    unsafe mesh.pointee.mNumVertices = UInt32(positions.count)
    unsafe mesh.pointee.mVertices = unsafe vectors(positions)
    return unsafe mesh
  }

  /// Faces with indices in a single block, which Assimp copies without checking.
  private func addFaces(_ indices: [UInt32], size: Int, to mesh: UnsafeMutablePointer<aiMesh>) {
    let block = unsafe arena.copy(indices)
    let count = indices.count / size
    let faces = unsafe arena.allocate(aiFace.self, count)
    for face in 0..<count {
      unsafe faces[face] = unsafe aiFace(mNumIndices: UInt32(size), mIndices: block + size * face)
    }
    unsafe mesh.pointee.mNumFaces = UInt32(count)
    unsafe mesh.pointee.mFaces = unsafe faces
  }

  private func vectors(_ vectors: ArraySlice<Vector3>) -> UnsafeMutablePointer<aiVector3D> {
    unsafe arena.copy(vectors.map { aiVector3D(x: $0.x, y: $0.y, z: $0.z) })
  }

  private func colors(_ colors: ArraySlice<Color>) -> UnsafeMutablePointer<aiColor4D> {
    unsafe arena.copy(
      colors.map {
        aiColor4D(
          r: Float($0.red) / 255, g: Float($0.green) / 255, b: Float($0.blue) / 255,
          a: Float($0.alpha) / 255)
      })
  }

  // MARK: Textures and metadata

  private func embeddedTextures() -> [UnsafeMutablePointer<aiTexture>] {
    unsafe scene.textures.filter { !$0.bytes.isEmpty }.map { texture in
      let result = unsafe arena.allocate(aiTexture.self, 1)
      unsafe result.pointee.mWidth = UInt32(texture.bytes.count)
      let hint = Array(texture.encoding.usualExtension.utf8)
      unsafe withUnsafeMutableBytes(of: &result.pointee.achFormatHint) { bytes in
        unsafe bytes.copyBytes(from: hint)
      }
      // A texel has four bytes; the last may be only partly used.
      let texels = unsafe arena.allocate(aiTexel.self, (texture.bytes.count + 3) / 4)
      unsafe UnsafeMutableRawPointer(texels).copyMemory(
        from: texture.bytes, byteCount: texture.bytes.count)
      unsafe result.pointee.pcData = unsafe texels
      unsafe result.pointee.mFilename = aiString(texture.fileName)
      return unsafe result
    }
  }

  /// The global settings of FBX: each axis by number and sign, and centimetres per unit.
  private func metadata(declaring system: CoordinateSystem) -> UnsafeMutablePointer<aiMetadata> {
    // FBX's front axis points to the viewer.
    let axes = [
      ("Up", system.up.vector), ("Front", -system.forward.vector), ("Coord", system.right),
    ]
    var keys: [aiString] = []
    var entries: [aiMetadataEntry] = unsafe []
    func add(_ key: String, _ number: Int32) {
      keys.append(aiString(key))
      unsafe entries.append(
        unsafe aiMetadataEntry(
          mType: AI_INT32, mData: UnsafeMutableRawPointer(arena.copy([number]))))
    }
    for (name, vector) in axes {
      let index = vector.indices.first { vector[$0] != 0 } ?? 0
      add("\(name)Axis", Int32(index))
      add("\(name)AxisSign", vector[index] < 0 ? -1 : 1)
    }
    keys.append(aiString("UnitScaleFactor"))
    let centimeters = unsafe arena.copy([100 * system.metersPerUnit])
    unsafe entries.append(
      unsafe aiMetadataEntry(mType: AI_DOUBLE, mData: UnsafeMutableRawPointer(centimeters)))

    return unsafe metadata(keys, entries)
  }

  private func metadata(_ texts: [(key: String, text: String)]) -> UnsafeMutablePointer<aiMetadata>
  {
    let entries = unsafe texts.map { entry in
      unsafe aiMetadataEntry(
        mType: AI_AISTRING,
        mData: UnsafeMutableRawPointer(arena.copy([aiString(entry.text)])))
    }
    return unsafe metadata(texts.map { aiString($0.key) }, entries)
  }

  private func metadata(
    _ keys: [aiString], _ entries: [aiMetadataEntry]
  ) -> UnsafeMutablePointer<aiMetadata> {
    let metadata = unsafe arena.allocate(aiMetadata.self, 1)
    unsafe metadata.pointee.mNumProperties = UInt32(keys.count)
    unsafe metadata.pointee.mKeys = unsafe arena.copy(keys)
    let values = unsafe arena.allocate(aiMetadataEntry.self, entries.count)
    for index in unsafe entries.indices { unsafe values[index] = unsafe entries[index] }
    unsafe metadata.pointee.mValues = unsafe values
    return unsafe metadata
  }
}

extension aiMatrix4x4 {
  /// The rows of an affine map.
  init(_ transform: Transform) {
    let (x, y, z, t) = (
      SIMD3<Float>(transform.x), SIMD3<Float>(transform.y), SIMD3<Float>(transform.z),
      SIMD3<Float>(transform.translation)
    )
    self.init(
      a1: x.x, a2: y.x, a3: z.x, a4: t.x, b1: x.y, b2: y.y, b3: z.y, b4: t.y,
      c1: x.z, c2: y.z, c3: z.z, c4: t.z, d1: 0, d2: 0, d3: 0, d4: 1)
  }
}
