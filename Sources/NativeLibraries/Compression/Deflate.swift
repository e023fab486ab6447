internal import CPNG

/// Compression as browsers undo it (zlib, RFC 1950).
package enum Deflate {
  /// - Parameter level: 1 (fast) to 9 (small).
  package static func compressed(_ source: [UInt8], level: Int = 6) -> [UInt8] {
    let bound = meshpipe_deflate_bound(source.count)
    return unsafe Array(unsafeUninitializedCapacity: bound) { target, count in
      unsafe source.withUnsafeBufferPointer { source in
        count = unsafe meshpipe_deflate(
          source.baseAddress, source.count, Int32(level), target.baseAddress, target.count)
      }
    }
  }
}
