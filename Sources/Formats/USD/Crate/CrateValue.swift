import MeshPipeline

/// The type of a value in a crate, by its number.
enum CrateType: UInt64 {
  case bool = 1, uchar, int, uint, int64, uint64, half, float, double, string, token, asset
  case matrix2d, matrix3d, matrix4d, quatd, quatf, quath
  case vec2d, vec2f, vec2h, vec2i, vec3d, vec3f, vec3h, vec3i, vec4d, vec4f, vec4h, vec4i
  case dictionary, tokenListOp, stringListOp, pathListOp, referenceListOp
  case int64ListOp = 37
  case pathVector = 40
  case tokenVector, specifier, permission, variability, selections, timeSamples, payload
  case doubleVector, offsetVector, stringVector, block
  case payloadListOp = 55
  case timeCode

  /// The numbers that make a value; nil for one of something else.
  var form: (number: CrateNumber, width: Int)? {
    switch self {
    case .bool, .uchar: (.uint8, 1)
    case .int: (.int32, 1)
    case .uint: (.uint32, 1)
    case .int64: (.int64, 1)
    case .uint64: (.uint64, 1)
    case .half: (.half, 1)
    case .float: (.float, 1)
    case .double, .timeCode: (.double, 1)
    case .matrix2d, .quatd, .vec4d: (.double, 4)
    case .matrix3d: (.double, 9)
    case .matrix4d: (.double, 16)
    case .quatf, .vec4f: (.float, 4)
    case .quath, .vec4h: (.half, 4)
    case .vec2d: (.double, 2)
    case .vec2f: (.float, 2)
    case .vec2h: (.half, 2)
    case .vec2i: (.int32, 2)
    case .vec3d: (.double, 3)
    case .vec3f: (.float, 3)
    case .vec3h: (.half, 3)
    case .vec3i: (.int32, 3)
    case .vec4i: (.int32, 4)
    default: nil
    }
  }
}

/// The type of a number in a crate.
enum CrateNumber {
  case uint8, int32, uint32, int64, uint64, half, float, double
}

/// A reference to a value: its type, and the value itself or its place in the file.
struct CrateReference: Hashable {
  var bits: UInt64

  init(bits: UInt64) { self.bits = bits }

  var isArray: Bool { bits >> 63 & 1 == 1 }
  var isInlined: Bool { bits >> 62 & 1 == 1 }
  var isCompressed: Bool { bits >> 61 & 1 == 1 }
  /// The place in the file, or 0 for an array without elements.
  var offset: Int { Int(bits & 0xFFFF_FFFF_FFFF) }

  /// A value of at most 32 bits, which the reference holds itself.
  init(_ type: CrateType, inline payload: UInt32) {
    bits = type.rawValue << 48 | 1 << 62 | UInt64(payload)
  }

  /// A value somewhere in the file.
  init(_ type: CrateType, at offset: Int, isArray: Bool = false, isCompressed: Bool = false) {
    bits =
      type.rawValue << 48 | UInt64(offset) | (isArray ? 1 << 63 : 0) | (isCompressed ? 1 << 61 : 0)
  }

  /// An array without elements, which needs no place.
  init(emptyArrayOf type: CrateType) { bits = type.rawValue << 48 | 1 << 63 }
}

/// A part of a crate: small values one after another, or one large array.
enum CratePart: Sendable {
  case bytes([UInt8])
  case integers([UInt32])
  case floats([Float])
  case pairs([Vector2])
  case triples([Vector3])

  var byteCount: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .integers(let numbers): 4 * numbers.count
    case .floats(let numbers): 4 * numbers.count
    case .pairs(let pairs): 8 * pairs.count
    case .triples(let triples): 12 * triples.count
    }
  }

  /// Calls `body` with the bytes, which must not escape it.
  func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    switch self {
    case .bytes(let bytes): try unsafe bytes.withUnsafeBytes(body)
    case .integers(let numbers): try unsafe numbers.withUnsafeBytes(body)
    case .floats(let numbers): try unsafe numbers.withUnsafeBytes(body)
    case .pairs(let pairs): try unsafe pairs.withUnsafeBytes(body)
    case .triples(let triples): try unsafe triples.withUnsafeBytes(body)
    }
  }
}

/// The parts of a crate in the order of the file.
struct CrateParts: Sendable {
  private(set) var parts: [CratePart] = []
  private(set) var byteCount: Int
  /// Bytes not yet in a part.
  private var pending: [UInt8] = []

  /// - Parameter start: The offset of the first part.
  init(at start: Int) { byteCount = start }

  mutating func append(_ bytes: [UInt8]) {
    pending += bytes
    byteCount += bytes.count
  }

  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    pending.append(littleEndian: number)
    byteCount += Number.bitWidth / 8
  }

  /// Appends an array without copying it.
  mutating func append(_ part: CratePart) {
    flush()
    parts.append(part)
    byteCount += part.byteCount
  }

  /// Appends zeros, so that the next bytes begin at a multiple of eight.
  mutating func align() {
    while byteCount % 8 != 0 { append(0 as UInt8) }
  }

  /// Ends the last part.
  mutating func flush() {
    if !pending.isEmpty { parts.append(.bytes(pending)) }
    pending = []
  }
}
