import MeshPipeline

/// The layout of the binary part of a glTF file.
struct GLTFBuffer {
  /// A range of bytes for one purpose, at a multiple of four.
  struct View {
    var offset: Int
    var length: Int
    var content: Content
    /// The stride of vertices; nil for other elements.
    var stride: Int?
  }

  enum Content {
    /// The range of a mesh; each primitive begins at a multiple of four.
    case indices(mesh: Int)
    case attribute(GLTFAttribute, mesh: Int)
    case image(texture: Int)
  }

  /// By mesh: the view of its indices if it has faces, then one for each of its attributes; last
  /// the images.
  private(set) var views: [View] = []
  /// The view of each mesh's first attribute.
  private var firstAttributeViews: [Int] = []
  private(set) var length = 0
  private let meshes: [GLTFMeshLayout]
  private let textures: [Texture]
  private let embedded: [Int]

  /// - Parameter embedded: The textures in the buffer, by index.
  init(_ meshes: [GLTFMeshLayout], textures: [Texture], embedded: [Int]) {
    self.meshes = meshes
    self.textures = textures
    self.embedded = embedded
    for (index, mesh) in meshes.enumerated() {
      if !mesh.isPoints { add(.indices(mesh: index), Self.indexLength(of: mesh)) }
      firstAttributeViews.append(views.count)
      for attribute in mesh.attributes {
        let stride = mesh.form(of: attribute).stride
        add(.attribute(attribute, mesh: index), stride * mesh.vertexCount, stride: stride)
      }
    }
    for texture in embedded { add(.image(texture: texture), textures[texture].bytes.count) }
  }

  private mutating func add(_ content: Content, _ length: Int, stride: Int? = nil) {
    views.append(View(offset: self.length, length: length, content: content, stride: stride))
    self.length += paddedToFour(length)
  }

  /// The view of a mesh's indices.
  func indexView(ofMesh mesh: Int) -> Int { firstAttributeViews[mesh] - 1 }

  /// The views of a mesh's attributes, in their order.
  func attributeViews(ofMesh mesh: Int) -> Range<Int> {
    let first = firstAttributeViews[mesh]
    return first..<first + meshes[mesh].attributes.count
  }

  /// The view of an embedded texture.
  func view(ofTexture texture: Int) -> Int? {
    embedded.firstIndex(of: texture).map { views.count - embedded.count + $0 }
  }

  private static func indexLength(of mesh: GLTFMeshLayout) -> Int {
    mesh.primitives.reduce(0) { $0 + indexLength(of: $1) }
  }

  /// The bytes of a primitive's indices, including padding.
  static func indexLength(of primitive: GLTFMeshLayout.Primitive) -> Int {
    paddedToFour(primitive.corners.count * (primitive.hasShortIndices ? 2 : 4))
  }

  // MARK: Writing

  func write(to writer: FileWriter) throws {
    for view in views {
      try write(view.content, to: writer)
      let padding = paddedToFour(view.length) - view.length
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
