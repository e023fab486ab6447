/// A growing buffer of bytes for assembling a part of a file.
///
/// Clearing keeps the memory, so that one buffer serves many parts.
@safe
struct ByteBuffer: ~Copyable {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 1 << 12) {
    self.capacity = max(capacity, 64)
    unsafe start = UnsafeMutableRawPointer.allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { unsafe start.deallocate() }

  mutating func removeAll() { count = 0 }

  mutating func append(byte: UInt8) {
    reserve(1)
    unsafe start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Replaces the byte that was appended last.
  mutating func replaceLast(with byte: UInt8) {
    precondition(count > 0)
    unsafe start.storeBytes(of: byte, toByteOffset: count - 1, as: UInt8.self)
  }

  /// Appends a value as in memory: little-endian on every supported machine.
  mutating func append<Value: BitwiseCopyable>(_ value: Value) {
    reserve(MemoryLayout<Value>.size)
    unsafe start.storeBytes(of: value, toByteOffset: count, as: Value.self)
    count += MemoryLayout<Value>.size
  }

  /// Appends a text known at compile time.
  mutating func append(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    reserve(length)
    unsafe (start + count).copyMemory(from: text.utf8Start, byteCount: length)
    count += length
  }

  mutating func append(_ bytes: [UInt8]) {
    reserve(bytes.count)
    unsafe bytes.withUnsafeBytes { source in
      guard let first = source.baseAddress else { return }
      unsafe (start + count).copyMemory(from: first, byteCount: source.count)
    }
    count += bytes.count
  }

  /// Appends the last `digitCount` decimal digits of a number, with leading zeros.
  mutating func append(digits number: UInt32, count digitCount: Int) {
    reserve(digitCount)
    var rest = number
    var offset = count + digitCount
    while offset > count {
      offset -= 1
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      unsafe start.storeBytes(of: 0x30 + UInt8(digit), toByteOffset: offset, as: UInt8.self)
      rest = quotient
    }
    count += digitCount
  }

  /// A copy of the bytes.
  var bytes: [UInt8] { unsafe withBytes { unsafe [UInt8]($0) } }

  /// Calls `body` with the bytes, which must not escape it.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
  }

  private mutating func reserve(_ length: Int) {
    if capacity - count < length { grow(by: length) }
  }

  @inline(never)
  private mutating func grow(by length: Int) {
    let larger = max(2 * capacity, count + length)
    let target = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    unsafe target.copyMemory(from: start, byteCount: count)
    unsafe start.deallocate()
    unsafe start = target
    capacity = larger
  }
}
