import MeshPipeline

/// The type of a value in a crate, by its number.
enum CrateType: UInt64 {
  case bool = 1
  case int = 3
  case float = 8
  case double = 9
  case string = 10
  case token = 11
  case asset = 12
  case matrix4d = 15
  case vec2f = 20
  case vec3f = 24
  case vec4f = 28
  case tokenListOp = 32
  case pathListOp = 34
  case tokenVector = 41
  case specifier = 42
  case variability = 44
}

/// A reference to a value: its type, and the value itself or its place in the file.
struct CrateReference: Hashable {
  var bits: UInt64

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
