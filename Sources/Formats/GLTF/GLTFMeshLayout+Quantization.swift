import MeshPipeline

extension GLTFMeshLayout {
  /// Appends an attribute as integers.
  ///
  /// - Returns: False if it is stored as it is, which is left to the caller.
  func appendQuantized(
    _ attribute: GLTFAttribute, of vertices: some Sequence<Int>, to buffer: inout ByteBuffer
  ) -> Bool {
    guard let quantization, quantization.form(of: attribute) != nil else { return false }
    switch attribute {
    case .position:
      guard let grid = quantization.positions else { return false }
      for vertex in vertices {
        buffer.append(SIMD4(grid.element(at: position(of: vertex).simd), 0))
      }
    case .normal:
      for vertex in vertices { buffer.append(Self.bytes(normal(of: vertex).simd, 0)) }
    case .tangent:
      for vertex in vertices {
        let tangent = tangent(of: vertex)
        buffer.append(Self.bytes(tangent.direction, tangent.w))
      }
    case .textureCoordinates:
      append(
        source.corners.textureCoordinates, of: vertices, as: quantization.textureCoordinates,
        to: &buffer)
    case .secondTextureCoordinates:
      append(
        source.corners.secondTextureCoordinates, of: vertices,
        as: quantization.secondTextureCoordinates, to: &buffer)
    case .color:
      for vertex in vertices {
        let color = color(of: vertex)
        buffer.append(
          SIMD4(
            Self.linearBytes[Int(color.red)], Self.linearBytes[Int(color.green)],
            Self.linearBytes[Int(color.blue)], color.alpha))
      }
    case .confidence, .label, .custom: return false
    }
    return true
  }

  private func append(
    _ coordinates: [Vector2]?, of vertices: some Sequence<Int>,
    as form: GLTFQuantization.Coordinates, to buffer: inout ByteBuffer
  ) {
    switch form {
    case .floats: break
    case .fractions:
      for vertex in vertices {
        let position = place(of: vertex, in: coordinates)
        buffer.append(UInt16((65_535 * min(max(position.x, 0), 1)).rounded()))
        buffer.append(UInt16((65_535 * min(max(position.y, 0), 1)).rounded()))
      }
    case .grid(let grid):
      for vertex in vertices {
        buffer.append(grid.element(at: place(of: vertex, in: coordinates)))
      }
    }
  }

  /// Components from -1 to 1 in eight bits each.
  private static func bytes(_ direction: SIMD3<Float>, _ w: Float) -> SIMD4<Int8> {
    let scaled = (127 * SIMD4(direction, w)).rounded(.toNearestOrAwayFromZero)
    // The directions of damaged scans may be infinite.
    func byte(_ value: Float) -> Int8 { Int8(exactly: value) ?? 0 }
    return SIMD4(byte(scaled.x), byte(scaled.y), byte(scaled.z), byte(scaled.w))
  }

  private static let linearBytes = SRGBTable.shared.linear.map { UInt8(($0 * 255).rounded()) }

  /// A direction in full precision: of a normal with 0, of a tangent with its side.
  func direction(_ attribute: GLTFAttribute, of vertex: Int) -> SIMD4<Float> {
    guard attribute == .tangent else { return SIMD4(normal(of: vertex).simd, 0) }
    let tangent = tangent(of: vertex)
    return SIMD4(tangent.direction, tangent.w)
  }

  /// The bounding box of a primitive's positions as the file stores them.
  func storedBounds(of primitive: Primitive) -> Box {
    if let draco {
      // Draco leaves out vertices without faces; rounding keeps the order, so that the extremes remain these.
      var box = Box()
      for corner in primitive.corners {
        box.add(position(of: primitive.vertices.lowerBound + Int(indices[corner])).simd)
      }
      return draco.positions.map {
        Box(minimum: $0.decoded(box.minimum), maximum: $0.decoded(box.maximum))
      } ?? box
    }
    let box = bounds(of: primitive)
    guard let grid = quantization?.positions else { return box }
    return Box(
      minimum: SIMD3(grid.element(at: box.minimum)), maximum: SIMD3(grid.element(at: box.maximum)))
  }

  /// Decides how attributes become integers.
  ///
  /// - Parameters:
  ///   - positions: Nil if positions stay floats.
  ///   - textureCoordinates: The grid of those that images use; nil for fractions where they are from 0 to 1.
  mutating func quantize(on positions: GLTFPositionGrid?, _ textureCoordinates: GLTFTextureGrid?) {
    func form(_ coordinates: [Vector2]?) -> GLTFQuantization.Coordinates {
      range(of: coordinates)?.isUnit ?? true ? .fractions : .floats
    }
    let first = source.corners.textureCoordinates
    quantization = GLTFQuantization(
      positions: positions,
      textureCoordinates: textureCoordinates.map { .grid($0) } ?? form(first),
      secondTextureCoordinates: form(source.corners.secondTextureCoordinates))
  }

  /// The range of a set of texture coordinates as in the file; nil if there are none.
  func range(of coordinates: [Vector2]?) -> GLTFTextureGrid.Range? {
    guard let coordinates, vertexCount > 0 else { return nil }
    var range = GLTFTextureGrid.Range()
    for vertex in 0..<vertexCount {
      let position = place(of: vertex, in: coordinates)
      range.add(SIMD2(position.x, position.y))
    }
    return range
  }
}

extension GLTFTextureGrid {
  /// The grid for all meshes of a file; nil if fractions serve it better.
  ///
  /// The transform that undoes it belongs to the reference to an image, so that all faces with coordinates must have one.
  init?(
    of meshes: [GLTFMeshLayout], materials: [MaterialTable.Entry], textures: [Int], in scene: Scene
  ) {
    let isTextured = materials.map { entry in
      Material.textureKeys.contains { entry.material[keyPath: $0].map(textures.contains) ?? false }
    }
    var range = Range()
    for mesh in meshes where mesh.attributes.contains(.textureCoordinates) {
      guard let ofMesh = mesh.range(of: mesh.source.corners.textureCoordinates),
        mesh.primitives.allSatisfy({ $0.material.map { isTextured[$0] } ?? false })
      else { return nil }
      range.add(ofMesh.low)
      range.add(ofMesh.high)
    }
    guard range.low.x <= range.high.x else { return nil }
    let sizes = textures.map { scene.textures[$0].pixelSize?.max() ?? 0 }
    self.init(range, texels: sizes.max() ?? 0)
  }
}
