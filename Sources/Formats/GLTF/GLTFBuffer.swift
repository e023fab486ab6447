import MeshPipeline

/// The layout of the binary part of a glTF file.
struct GLTFBuffer {
  /// A range of bytes for one purpose, at a multiple of four.
  struct View: Sendable {
    /// In the buffer, or in that of what streams become.
    var offset: Int
    var length: Int
    var content: Content
    /// The stride of vertices; nil for other elements.
    var stride: Int?
    /// What is in the buffer if the view is compressed, and where.
    var stream: (stream: GLTFStream, offset: Int)?
  }

  enum Content: Sendable {
    /// The primitives of a mesh; each begins at a multiple of four unless it is compressed.
    case indices(mesh: Int)
    case attribute(GLTFAttribute, mesh: Int)
    /// A primitive compressed by Draco.
    case draco(GLTFDracoPrimitive)
    case image(texture: Int)
  }

  /// By mesh: the view of its indices if it has faces, then one for each of its attributes, or one for each primitive
  /// that Draco compresses; last the images.
  private(set) var views: [View] = []
  /// The view of each mesh's first attribute, or that of its first primitive.
  private var firstAttributeViews: [Int] = []
  private(set) var length = 0
  /// The length of what the compressed views become, which is a buffer of its own without data.
  private(set) var decodedLength = 0
  /// Faces with fewer than three different vertices, which Draco has no form for.
  private(set) var facesLeftOut = 0
  private let meshes: [GLTFMeshLayout]
  private let textures: [Texture]
  private let embedded: [Int]
  private let isCompressed: Bool

  /// - Parameters:
  ///   - embedded: The textures in the buffer, by index.
  ///   - isCompressed: Whether to compress geometry by `EXT_meshopt_compression`, which needs meshoptimizer.
  init(
    _ meshes: [GLTFMeshLayout], textures: [Texture], embedded: [Int], isCompressed: Bool
  ) throws {
    self.meshes = meshes
    self.textures = textures
    self.embedded = embedded
    self.isCompressed = isCompressed
    for (index, mesh) in meshes.enumerated() {
      if mesh.draco != nil {
        firstAttributeViews.append(views.count)
        for primitive in try mesh.dracoPrimitives() {
          add(.draco(primitive), primitive.bytes.count)
          facesLeftOut -= primitive.faceCount
        }
        facesLeftOut += mesh.indices.count / 3
        continue
      }
      if !mesh.isPoints {
        add(.indices(mesh: index), mesh.primitives.reduce(0) { $0 + Self.indexLength(of: $1) })
      }
      firstAttributeViews.append(views.count)
      for attribute in mesh.attributes {
        let stride = mesh.form(of: attribute).stride
        add(.attribute(attribute, mesh: index), stride * mesh.vertexCount, stride: stride)
      }
    }
    for texture in embedded { add(.image(texture: texture), textures[texture].bytes.count) }
    if isCompressed { compress() }
  }

  private mutating func add(_ content: Content, _ length: Int, stride: Int? = nil) {
    views.append(View(offset: self.length, length: length, content: content, stride: stride))
    self.length += paddedToFour(length)
  }

  /// Replaces geometry by streams, and puts the decoded views one after the other.
  private mutating func compress() {
    let compressed = Parallel.map(count: meshes.count) { [meshes] in GLTFCompressedMesh(meshes[$0])
    }
    let streams = Parallel.map(count: views.count) { [views] number -> GLTFStream? in
      switch views[number].content {
      case .indices(let mesh): compressed[mesh].indices
      case .attribute(let attribute, let mesh): compressed[mesh].stream(of: attribute)
      case .draco, .image: nil
      }
    }
    length = 0
    for (number, stream) in streams.enumerated() {
      let start = length
      length += paddedToFour(stream?.bytes.count ?? views[number].length)
      guard let stream else {
        views[number].offset = start
        continue
      }
      views[number].stream = (stream, offset: start)
      views[number].offset = decodedLength
      views[number].length = stream.count * stream.stride
      decodedLength += paddedToFour(views[number].length)
    }
  }

  /// Where the indices of a primitive of a mesh are.
  func indexPlace(ofPrimitive number: Int, mesh: Int) -> IndexPlace {
    let (mesh, view) = (meshes[mesh], firstAttributeViews[mesh] - 1)
    guard !isCompressed else {
      let type = mesh.compressedIndexType
      return IndexPlace(
        view: view, offset: mesh.primitives[number].corners.lowerBound * type.size, type: type)
    }
    return IndexPlace(
      view: view,
      offset: mesh.primitives[..<number].reduce(0) { $0 + Self.indexLength(of: $1) },
      type: mesh.primitives[number].hasShortIndices ? .unsignedShort : .unsignedInt)
  }

  struct IndexPlace {
    var view: Int
    /// In the view.
    var offset: Int
    var type: GLTFComponentType
  }

  /// The views of a mesh's attributes, in their order.
  func attributeViews(ofMesh mesh: Int) -> Range<Int> {
    let first = firstAttributeViews[mesh]
    return first..<first + meshes[mesh].attributes.count
  }

  /// A primitive of a mesh that Draco compresses, and its view.
  func draco(primitive number: Int, mesh: Int) -> (primitive: GLTFDracoPrimitive, view: Int)? {
    guard meshes[mesh].draco != nil else { return nil }
    let view = firstAttributeViews[mesh] + number
    guard case .draco(let primitive) = views[view].content else { return nil }
    return (primitive, view)
  }

  /// The view of an embedded texture.
  func view(ofTexture texture: Int) -> Int? {
    embedded.firstIndex(of: texture).map { views.count - embedded.count + $0 }
  }

  /// The bytes of a primitive's indices, including padding.
  private static func indexLength(of primitive: GLTFMeshLayout.Primitive) -> Int {
    paddedToFour(primitive.corners.count * (primitive.hasShortIndices ? 2 : 4))
  }

  // MARK: Writing

  func write(to writer: FileWriter) throws {
    for view in views {
      let length = view.stream?.stream.bytes.count ?? view.length
      if let stream = view.stream?.stream {
        try writer.write(stream.bytes)
      } else {
        try write(view.content, to: writer)
      }
      let padding = paddedToFour(length) - length
      try writer.write([UInt8](repeating: 0, count: padding))
    }
  }

  private func write(_ content: Content, to writer: FileWriter) throws {
    switch content {
    case .indices(let mesh):
      for primitive in meshes[mesh].primitives {
        try write(primitive, of: meshes[mesh], to: writer)
      }
    case .attribute(let attribute, let mesh):
      let mesh = meshes[mesh]
      try writer.write(count: mesh.vertexCount) { range, buffer in
        mesh.append(attribute, of: range, to: &buffer)
      }
    case .draco(let primitive): try writer.write(primitive.bytes)
    case .image(let texture): try writer.write(textures[texture].bytes)
    }
  }

  private func write(
    _ primitive: GLTFMeshLayout.Primitive, of mesh: GLTFMeshLayout, to writer: FileWriter
  ) throws {
    let start = primitive.corners.lowerBound
    let indices = mesh.indices
    try writer.write(count: primitive.corners.count, chunkSize: 1 << 16) { range, buffer in
      for place in range {
        let index = indices[start + place]
        if primitive.hasShortIndices {
          buffer.append(UInt16(truncatingIfNeeded: index))
        } else {
          buffer.append(index)
        }
      }
    }
    if primitive.hasShortIndices, !primitive.corners.count.isMultiple(of: 2) {
      try writer.write(UInt16(0))
    }
  }
}

func paddedToFour(_ length: Int) -> Int { (length + 3) & ~3 }
