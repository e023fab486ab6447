internal import CLZ4

/// Compression in blocks of LZ4, with liblz4.
package enum LZ4 {
  /// The most bytes that a block may hold.
  package static let mostBytes = 0x7E00_0000

  /// The most bytes that a byte of a block stands for: a continued length.
  package static let largestRatio = 255

  /// A block with all bytes, of which there may be ``mostBytes``.
  package static func compressed(_ source: [UInt8]) -> [UInt8] {
    precondition(source.count <= mostBytes)
    let bound = Int(LZ4_compressBound(Int32(source.count)))
    return unsafe [UInt8](unsafeUninitializedCapacity: bound) { target, count in
      count = unsafe source.withUnsafeBytes { bytes in
        unsafe Int(
          LZ4_compress_default(
            bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
            UnsafeMutableRawPointer(target.baseAddress)?.assumingMemoryBound(to: CChar.self),
            Int32(source.count), Int32(bound)))
      }
      precondition(count > 0, "the room suffices for any bytes")
    }
  }

  /// The bytes of a block.
  ///
  /// - Parameter most: How many they may be, at most ``mostBytes``; as many are allocated, unless the block can't hold
  ///   them.
  /// - Returns: Nil if the block is damaged or holds more.
  package static func decompressed(_ block: Span<UInt8>, most: Int) -> [UInt8]? {
    guard block.count <= Int(Int32.max), most >= 0, most <= mostBytes else { return nil }
    let capacity = max(1, min(most, largestRatio * block.count))
    var isWhole = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
      let written = unsafe block.withUnsafeBytes { source in
        unsafe LZ4_decompress_safe(
          source.baseAddress?.assumingMemoryBound(to: CChar.self),
          UnsafeMutableRawPointer(target.baseAddress)?.assumingMemoryBound(to: CChar.self),
          Int32(source.count), Int32(capacity))
      }
      isWhole = written >= 0 && written <= most
      count = isWhole ? Int(written) : 0
    }
    return isWhole ? bytes : nil
  }
}
