internal import CPNG

/// The checksum of ZIP archives (ISO 3309), with zlib.
package struct CRC32 {
  /// The checksum of all bytes so far.
  package private(set) var value: UInt32 = 0

  package init() {}

  @unsafe
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    value = unsafe meshpipe_crc32(
      value, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
  }
}
