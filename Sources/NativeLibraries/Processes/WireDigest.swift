import MeshPipeline

/// A number that two readings of a model have in common only when they are the same, bit by bit.
struct WireDigest: Equatable {
  private var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Takes in a scene.
  mutating func mix(_ scene: WireScene) throws {
    try WireEncoder.write(.scene(scene), to: &self)
  }

  /// Takes in bytes.
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

  /// As it crosses from one process to another.
  var text: String { String(value, radix: 16) }

  private mutating func mix(_ word: UInt64) {
    let product = (value ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    value = product.low ^ product.high &+ 0x9E37_79B9_7F4A_7C15
  }
}

extension WireDigest: WireOutput {
  mutating func write(_ bytes: RawSpan) throws { mix(bytes) }
}
