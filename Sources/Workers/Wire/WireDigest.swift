import NativeLibraries

/// A digest that is equal for two readings of a model only if they are bitwise equal.
struct WireDigest: Equatable {
  private var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Adds a scene.
  mutating func mix(_ scene: WireScene) throws {
    try WireEncoder.write(.scene(scene), to: &self)
  }

  /// Adds bytes.
  mutating func mix(_ bytes: RawSpan) {
    mix(UInt64(bytes.byteCount))
    var offset = 0
    while offset + 8 <= bytes.byteCount {
      mix(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    while offset < bytes.byteCount {
      mix(UInt64(unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)))
      offset += 1
    }
  }

  /// In the form exchanged between processes.
  var text: String { String(value, radix: 16) }

  private mutating func mix(_ word: UInt64) {
    let product = (value ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    value = product.low ^ product.high &+ 0x9E37_79B9_7F4A_7C15
  }
}

extension WireDigest: WireOutput {
  mutating func write(_ bytes: RawSpan) throws { mix(bytes) }
}
