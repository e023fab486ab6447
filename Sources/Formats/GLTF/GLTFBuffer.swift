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

  enum Content: Hashable {
    /// The range of a mesh; each primitive begins at a multiple of four.
    case indices(mesh: Int)
    case positions(mesh: Int)
    case normals(mesh: Int)
    case textureCoordinates(mesh: Int)
    case colors(mesh: Int)
    case confidences(mesh: Int)
    case labels(mesh: Int)
    case image(texture: Int)
  }

  private(set) var views: [View] = []
  private var indexOfView: [Content: Int] = [:]
  private(set) var length = 0
  private let meshes: [GLTFMeshLayout]
  private let textures: [Texture]

  /// - Parameter embedded: The textures in the buffer, by index.
  init(_ meshes: [GLTFMeshLayout], textures: [Texture], embedded: [Int]) {
    self.meshes = meshes
    self.textures = textures
    for (index, mesh) in meshes.enumerated() {
      let count = mesh.vertexCount
      if !mesh.isPoints { add(.indices(mesh: index), Self.indexLength(of: mesh)) }
      add(.positions(mesh: index), 12 * count, stride: 12)
      if mesh.hasNormals { add(.normals(mesh: index), 12 * count, stride: 12) }
      if mesh.hasTextureCoordinates {
        add(.textureCoordinates(mesh: index), 8 * count, stride: 8)
      }
      if mesh.hasColors { add(.colors(mesh: index), 8 * count, stride: 8) }
      if mesh.hasConfidences { add(.confidences(mesh: index), 4 * count, stride: 4) }
      if mesh.hasLabels { add(.labels(mesh: index), 4 * count, stride: 4) }
    }
    for texture in embedded { add(.image(texture: texture), textures[texture].bytes.count) }
  }

  private mutating func add(_ content: Content, _ length: Int, stride: Int? = nil) {
    indexOfView[content] = views.count
    views.append(View(offset: self.length, length: length, content: content, stride: stride))
    self.length += paddedToFour(length)
  }

  func viewIndex(of content: Content) -> Int? { indexOfView[content] }

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
    case .positions(let mesh):
      let mesh = meshes[mesh]
      try writer.write(count: mesh.vertexCount) { range, buffer in
        for vertex in range { buffer.append(mesh.position(of: vertex)) }
      }
    case .normals(let mesh):
      let mesh = meshes[mesh]
      try writer.write(count: mesh.vertexCount) { range, buffer in
        for vertex in range { buffer.append(mesh.normal(of: vertex)) }
      }
    case .textureCoordinates(let mesh):
      let mesh = meshes[mesh]
      try writer.write(count: mesh.vertexCount) { range, buffer in
        for vertex in range { buffer.append(mesh.textureCoordinates(of: vertex)) }
      }
    case .colors(let mesh): try writeColors(of: meshes[mesh], to: writer)
    case .confidences(let mesh):
      let mesh = meshes[mesh]
      try writer.write(count: mesh.vertexCount) { range, buffer in
        for vertex in range { buffer.append(mesh.confidence(of: vertex)) }
      }
    case .labels(let mesh):
      let mesh = meshes[mesh]
      try writer.write(count: mesh.vertexCount) { range, buffer in
        for vertex in range { buffer.append(UInt32(mesh.label(of: vertex))) }
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

  /// glTF's colours are linear: sixteen bits represent 8-bit sRGB without loss.
  private func writeColors(of mesh: GLTFMeshLayout, to writer: FileWriter) throws {
    let linear = SRGBTable.shared.linear.map { UInt16(($0 * 65535).rounded()) }
    try writer.write(count: mesh.vertexCount) { range, buffer in
      for vertex in range {
        let color = mesh.color(of: vertex)
        buffer.append(linear[Int(color.red)])
        buffer.append(linear[Int(color.green)])
        buffer.append(linear[Int(color.blue)])
        buffer.append(UInt16(color.alpha) * 257)
      }
    }
  }
}

func paddedToFour(_ length: Int) -> Int { (length + 3) & ~3 }
