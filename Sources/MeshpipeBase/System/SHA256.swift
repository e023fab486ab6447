internal import CNettle

/// The SHA-256 hash of a sequence of bytes (FIPS 180-4).
///
/// By nettle, which uses the processor's instructions for it where there are some: every input of a run is hashed.
package struct SHA256 {
  private var state = sha256_ctx()

  package init() { unsafe nettle_sha256_init(&state) }

  /// The hash of bytes, in lower-case hexadecimal.
  package static func hexadecimal(of bytes: [UInt8]) -> String {
    var hash = SHA256()
    hash.update(bytes[...])
    return hash.finish()
  }

  /// The hash of a file, in lower-case hexadecimal.
  package static func hexadecimal(
    ofFile path: String, cancellation: Cancellation = Cancellation()
  ) throws -> String {
    var hash = SHA256()
    try FileSystem.forEachBlock(of: path) { block in
      hash.update(block)
      return !cancellation.isRequested
    }
    if cancellation.isRequested { throw Cancelled() }
    return hash.finish()
  }

  /// The bytes of a hash in Base64 (RFC 4648).
  package static func base64(ofHexadecimal hash: String) -> String {
    let digits = hash.utf8.map { $0 < 0x3A ? $0 &- 0x30 : ($0 | 0x20) &- 0x57 }
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).map {
      digits[$0] << 4 | digits[$0 + 1]
    }
    return URLText.base64(bytes)
  }

  /// Adds bytes.
  package mutating func update(_ bytes: ArraySlice<UInt8>) { update(bytes.span) }

  /// Adds bytes.
  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe nettle_sha256_update(&state, bytes.count, start)
    }
  }

  /// The hash of all added bytes, in lower-case hexadecimal; the last call.
  package mutating func finish() -> String {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
    unsafe meshpipe_sha256_digest(&state, &digest)
    return digest.reduce(into: "") { $0 += String($1, digits: 2, radix: 16) }
  }
}
