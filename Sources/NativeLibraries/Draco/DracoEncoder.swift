internal import CDraco
package import MeshpipeScene

/// Encodes meshes for `KHR_draco_mesh_compression` with Draco.
///
/// The bytes depend on the input and the library's version alone.
package enum DracoEncoder {
  /// What an attribute is for the codec's predictions.
  package enum Kind: Sendable {
    case position, normal, color, textureCoordinate, generic
  }

  /// What may become of floats.
  package enum Rounding: Sendable {
    /// All values are kept exactly.
    case none
    /// Unit vectors, with this many bits for each of two directions on an octahedron.
    case octahedral(bits: Int)
    /// Steps from an origin, of which each component has one. Up to 24 bits that count them are exact in floats.
    case grid(origin: SIMD4<Float>, step: Float, bits: Int)
  }

  /// An attribute of a mesh.
  package struct Attribute: Sendable {
    var kind: Kind
    var type: NumberType
    /// The number of components, up to four.
    var width: Int
    var isNormalized: Bool
    var rounding: Rounding
    /// One value after the other, each with padding to ``stride``.
    var values: [UInt8]
    /// The bytes from one value to the next.
    var stride: Int
    /// The value of each point; nil if point i has value i.
    var places: [UInt32]?
    /// Whether to look for values that are the same; otherwise two of them are two vertices for the codec.
    var joinsValues: Bool

    package init(
      _ kind: Kind, _ type: NumberType, width: Int, isNormalized: Bool, _ rounding: Rounding,
      values: [UInt8], stride: Int, places: [UInt32]?, joinsValues: Bool
    ) {
      (self.kind, self.type, self.width) = (kind, type, width)
      (self.isNormalized, self.rounding) = (isNormalized, rounding)
      (self.values, self.stride) = (values, stride)
      (self.places, self.joinsValues) = (places, joinsValues)
    }
  }

  /// An encoded mesh.
  package struct Result: Sendable {
    package var bytes: [UInt8]
    /// Less than were given if points have no face, more if surfaces only touch in them.
    package var pointCount: Int
    /// Less than were given if faces have fewer than three different positions.
    package var faceCount: Int
  }

  /// Encodes a mesh.
  ///
  /// - Parameters:
  ///   - triangles: Three indices each, less than `pointCount`; not empty.
  ///   - attributes: The first is that of positions. The identifier of each is its place here.
  package static func encoded(
    triangles: [UInt32], pointCount: Int, _ attributes: [Attribute]
  ) throws(NativeLibraryError) -> Result {
    precondition(!triangles.isEmpty && triangles.count.isMultiple(of: 3))
    precondition(triangles.allSatisfy { $0 < pointCount })
    guard
      let encoder = unsafe meshpipe_draco_make_encoder(triangles, triangles.count / 3, pointCount)
    else { throw outOfMemory }
    defer { unsafe meshpipe_draco_free_encoder(encoder) }
    for attribute in attributes {
      guard unsafe add(attribute, pointCount, to: encoder) else { throw outOfMemory }
    }
    var isDone = false
    let reason = unsafe nativeMessage { error, size in
      isDone = unsafe meshpipe_draco_encode(encoder, speed, error, size)
    }
    guard isDone else { throw NativeLibraryError("Draco", "can't encode a mesh: \(reason)") }
    let bytes = unsafe UnsafeBufferPointer(
      start: meshpipe_draco_bytes(encoder), count: meshpipe_draco_size(encoder))
    return unsafe Result(
      bytes: [UInt8](bytes), pointCount: meshpipe_draco_encoded_points(encoder),
      faceCount: meshpipe_draco_encoded_faces(encoder))
  }

  /// A speed of 3 makes files 8 % larger in two thirds of the time; 0 makes them 2 % smaller, to be decoded in half as long
  /// again.
  private static let speed: Int32 = 1

  private static let outOfMemory = NativeLibraryError("Draco", "needs more memory than there is")

  private static func add(
    _ attribute: Attribute, _ pointCount: Int, to encoder: OpaquePointer
  ) -> Bool {
    precondition((1...4).contains(attribute.width) && attribute.type.size <= 4)
    precondition(attribute.width * attribute.type.size <= attribute.stride)
    let count = attribute.values.count / attribute.stride
    precondition(
      attribute.places.map { $0.count == pointCount && $0.allSatisfy { $0 < count } }
        ?? (count == pointCount))
    var form = unsafe attribute.native
    func add(_ places: UnsafePointer<UInt32>?) -> Bool {
      unsafe form.places = places
      return unsafe meshpipe_draco_add(encoder, &form, attribute.values)
    }
    guard let places = attribute.places else { return add(nil) }
    return unsafe places.withUnsafeBufferPointer { unsafe add($0.baseAddress) }
  }
}

extension DracoEncoder.Attribute {
  fileprivate var native: meshpipe_draco_attribute {
    var form = unsafe meshpipe_draco_attribute()
    unsafe form.kind = kind.native
    unsafe form.type = type.draco
    unsafe form.components = Int32(width)
    unsafe form.is_normalized = isNormalized
    unsafe form.stride = stride
    unsafe form.value_count = values.count / stride
    unsafe form.joins_values = joinsValues
    switch rounding {
    case .none: break
    case .octahedral(let bits): unsafe form.bits = Int32(bits)
    case .grid(let origin, let step, let bits):
      unsafe form.bits = Int32(bits)
      unsafe form.origin = (origin.x, origin.y, origin.z, origin.w)
      unsafe form.range = step * Float((1 << bits) - 1)
    }
    return unsafe form
  }
}

extension DracoEncoder.Kind {
  /// A kind by its number; generic if there is none.
  init(native number: Int) {
    let kinds: [Self] = [.position, .normal, .color, .textureCoordinate]
    self = kinds.first { Int($0.native.rawValue) == number } ?? .generic
  }

  fileprivate var native: meshpipe_draco_kind {
    switch self {
    case .position: meshpipe_draco_position
    case .normal: meshpipe_draco_normal
    case .color: meshpipe_draco_color
    case .textureCoordinate: meshpipe_draco_texture_coordinate
    case .generic: meshpipe_draco_generic
    }
  }
}

extension NumberType {
  /// The type in Draco's data; other types than glTF's become floats.
  var draco: meshpipe_draco_type {
    switch self {
    case .int8: meshpipe_draco_int8
    case .uint8: meshpipe_draco_uint8
    case .int16: meshpipe_draco_int16
    case .uint16: meshpipe_draco_uint16
    case .uint32: meshpipe_draco_uint32
    case .int32, .uint64, .float32, .float64: meshpipe_draco_float32
    }
  }
}
