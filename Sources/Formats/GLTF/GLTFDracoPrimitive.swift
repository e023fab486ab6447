import MeshPipeline
import NativeLibraries

/// A primitive compressed by `KHR_draco_mesh_compression`.
struct GLTFDracoPrimitive: Sendable {
  static let name = "KHR_draco_mesh_compression"

  var bytes: [UInt8]
  /// What a decoder finds, which may differ from what was compressed.
  var pointCount: Int
  var faceCount: Int
  /// In the order of their identifiers.
  var attributes: [GLTFAttribute]

  var indexType: GLTFComponentType {
    pointCount < Int(UInt16.max) ? .unsignedShort : .unsignedInt
  }
}

/// What Draco rounds the attributes of a mesh to; nil for those that stay exact.
struct GLTFDracoGrids: Sendable {
  /// One for the whole file.
  var positions: GLTFPositionGrid?
  var textureCoordinates: GLTFTextureGrid?
  var secondTextureCoordinates: GLTFTextureGrid?

  /// How an attribute is rounded.
  func rounding(of attribute: GLTFAttribute) -> DracoEncoder.Rounding {
    switch attribute {
    case .position: positions?.rounding ?? .none
    case .normal: .octahedral(bits: 8)
    // Steps with which 1, 0 and -1 are exact.
    case .tangent: .grid(origin: SIMD4(repeating: -1), step: 0x1p-8, bits: 10)
    case .textureCoordinates: textureCoordinates?.rounding ?? .none
    case .secondTextureCoordinates: secondTextureCoordinates?.rounding ?? .none
    case .color, .confidence, .label, .custom: .none
    }
  }
}

extension GLTFPositionGrid {
  fileprivate var rounding: DracoEncoder.Rounding {
    .grid(origin: SIMD4(SIMD3<Float>(origin), 0), step: Float(step), bits: bits)
  }

  /// What Draco's decoder makes of a position, by the same operations.
  func decoded(_ position: SIMD3<Float>) -> SIMD3<Float> {
    let steps = (position - SIMD3<Float>(origin)) / Float(step)
    return (steps + 0.5).rounded(.down) * Float(step) + SIMD3<Float>(origin)
  }
}

extension GLTFTextureGrid {
  fileprivate var rounding: DracoEncoder.Rounding {
    .grid(
      origin: SIMD4(lowHalf: SIMD2<Float>(origin), highHalf: .zero), step: Float(step), bits: bits)
  }
}

extension GLTFMeshLayout {
  /// Decides how Draco rounds attributes.
  ///
  /// - Parameters:
  ///   - positions: Nil if positions stay exact.
  ///   - texels: The pixels of the largest image along its longer side.
  mutating func compressByDraco(on positions: GLTFPositionGrid?, texels: Int) {
    // Colours are bytes as without Draco.
    quantization = GLTFQuantization(hasByteDirections: false)
    func grid(_ coordinates: [Vector2]?, texels: Int) -> GLTFTextureGrid? {
      range(of: coordinates).flatMap { GLTFTextureGrid($0, texels: texels, mostBits: 24) }
    }
    draco = GLTFDracoGrids(
      positions: positions,
      textureCoordinates: grid(source.corners.textureCoordinates, texels: texels),
      // Nothing says what it is for.
      secondTextureCoordinates: grid(source.corners.secondTextureCoordinates, texels: 1 << 15))
  }

  /// All primitives, compressed.
  func dracoPrimitives() throws -> [GLTFDracoPrimitive] {
    let shared = sharedVertices()
    let results = Parallel.map(count: primitives.count) { number in
      Result { () throws(NativeLibraryError) in
        try compressed(primitives[number], shared[number])
      }
    }
    return try results.map { try $0.get() }
  }

  /// The vertices of the source that a primitive uses.
  private struct SharedVertices {
    /// The first vertex of the file for each of them.
    var first: [Int] = []
    /// Which of them each vertex of the primitive is.
    var places: [UInt32] = []
  }

  /// For each primitive, the vertices that seams split; nil if there are no seams.
  private func sharedVertices() -> [SharedVertices?] {
    guard let split else { return primitives.map { _ in nil } }
    var numbers = [UInt32](repeating: 0, count: source.vertices.positions.count)
    // Lower numbers are those of primitives before.
    var start: UInt32 = 1
    return primitives.map { primitive in
      var shared = SharedVertices()
      shared.places.reserveCapacity(primitive.vertices.count)
      for vertex in primitive.vertices {
        let source = Int(split.vertices[vertex])
        if numbers[source] < start {
          numbers[source] = start + UInt32(shared.first.count)
          shared.first.append(vertex)
        }
        shared.places.append(numbers[source] - start)
      }
      start += UInt32(shared.first.count)
      return shared
    }
  }

  private func compressed(
    _ primitive: Primitive, _ shared: SharedVertices?
  ) throws(NativeLibraryError) -> GLTFDracoPrimitive {
    let present = attributes.filter { $0 != .tangent || hasTangents(primitive) }
    let values = present.map { dracoAttribute($0, of: primitive, shared) }
    let result = try DracoEncoder.encoded(
      triangles: Array(indices[primitive.corners]), pointCount: primitive.vertices.count, values)
    return GLTFDracoPrimitive(
      bytes: result.bytes, pointCount: result.pointCount, faceCount: result.faceCount,
      attributes: present)
  }

  private func dracoAttribute(
    _ attribute: GLTFAttribute, of primitive: Primitive, _ shared: SharedVertices?
  ) -> DracoEncoder.Attribute {
    let form = form(of: attribute)
    let places = isOfCorners(attribute) ? nil : shared?.places
    var buffer = ByteBuffer(capacity: form.stride * primitive.vertices.count)
    if let shared, places != nil {
      append(attribute, of: shared.first, to: &buffer)
    } else {
      append(attribute, of: primitive.vertices, to: &buffer)
    }
    return DracoEncoder.Attribute(
      attribute.dracoKind, form.componentType.numberType, width: form.width,
      isNormalized: form.isNormalized, draco?.rounding(of: attribute) ?? .none,
      values: buffer.bytes, stride: form.stride, places: places,
      joinsValues: shared != nil && places == nil)
  }

  /// Whether vertices that seams split may differ in an attribute.
  private func isOfCorners(_ attribute: GLTFAttribute) -> Bool {
    switch attribute {
    case .position, .color, .confidence, .label: false
    case .normal: source.corners.cornerNormals != nil
    case .tangent, .textureCoordinates, .secondTextureCoordinates: true
    case .custom(let number): customAttributes[number].isOfCorners
    }
  }
}

extension GLTFAttribute {
  fileprivate var dracoKind: DracoEncoder.Kind {
    switch self {
    case .position: .position
    case .normal: .normal
    case .color: .color
    case .textureCoordinates, .secondTextureCoordinates: .textureCoordinate
    case .tangent, .confidence, .label, .custom: .generic
    }
  }
}

extension GLTFDocument {
  /// The members of a primitive, whose accessors have no views of their own.
  mutating func dracoMembers(
    of packed: GLTFDracoPrimitive, _ view: Int, _ primitive: GLTFMeshLayout.Primitive,
    of mesh: GLTFMeshLayout
  ) -> [JSONValue.Member] {
    var accessors: [JSONValue.Member] = []
    var identifiers: [JSONValue.Member] = []
    for (identifier, attribute) in packed.attributes.enumerated() {
      let form = mesh.form(of: attribute)
      let accessor = addAccessor(
        nil, form.componentType, form.shape, count: packed.pointCount,
        isNormalized: form.isNormalized,
        bounds: attribute == .position ? mesh.storedBounds(of: primitive) : nil)
      accessors.append(.init(form.name, accessor.json))
      identifiers.append(.init(form.name, identifier.json))
    }
    let indices = addAccessor(nil, packed.indexType, "SCALAR", count: 3 * packed.faceCount)
    let extensionMembers: JSONValue = [
      "bufferView": view.json, "attributes": JSONValue(.object(identifiers)),
    ]
    return [
      .init("attributes", JSONValue(.object(accessors))), .init("indices", indices.json),
      .init("extensions", [GLTFDracoPrimitive.name: extensionMembers]),
    ]
  }
}
