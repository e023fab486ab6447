/// The SHA-256 hash of a sequence of bytes (FIPS 180-4).
package struct SHA256 {
  private var state: [8 of UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// Bytes that don't fill a block yet.
  private var pending: [UInt8] = []
  private var byteCount: UInt64 = 0

  package init() {}

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

  /// Adds bytes.
  package mutating func update(_ bytes: ArraySlice<UInt8>) {
    byteCount += UInt64(bytes.count)
    var rest = bytes
    if !pending.isEmpty {
      let missing = rest.prefix(64 - pending.count)
      pending += missing
      rest = rest.dropFirst(missing.count)
      guard pending.count == 64 else { return }
      let block = pending
      pending.removeAll(keepingCapacity: true)
      unsafe block.withUnsafeBytes { unsafe compress($0) }
    }
    let whole = rest.count / 64 * 64
    unsafe rest.prefix(whole).withUnsafeBytes { unsafe compress($0) }
    pending += rest.dropFirst(whole)
  }

  /// The hash of all added bytes, in lower-case hexadecimal; the last call.
  package mutating func finish() -> String {
    let bits = byteCount * 8
    var padding: [UInt8] = [0x80]
    padding += [UInt8](repeating: 0, count: (119 - pending.count) % 64)
    for shift in stride(from: 56, through: 0, by: -8) {
      padding.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    update(padding[...])
    var text = ""
    for index in 0..<8 {
      let digits = String(state[index], radix: 16)
      text += String(repeating: "0", count: 8 - digits.count) + digits
    }
    return text
  }

  /// Processes whole blocks of 64 bytes.
  private mutating func compress(_ bytes: UnsafeRawBufferPointer) {
    // Spans, since arrays of a fixed length would be copied with every use.
    let constants = Self.constants
    var words: [64 of UInt32] = .init(repeating: 0)
    for block in stride(from: 0, to: bytes.count, by: 64) {
      for index in 0..<16 {
        words[index] = unsafe UInt32(
          bigEndian: bytes.loadUnaligned(fromByteOffset: block + 4 * index, as: UInt32.self))
      }
      for index in 16..<64 {
        let (a, b) = (words[index - 15], words[index - 2])
        let low = rotated(a, 7) ^ rotated(a, 18) ^ (a >> 3)
        let high = rotated(b, 17) ^ rotated(b, 19) ^ (b >> 10)
        words[index] = words[index - 16] &+ low &+ words[index - 7] &+ high
      }
      mix(words.span, constants.span)
    }
  }

  /// The 64 rounds over one block.
  private mutating func mix(_ words: Span<UInt32>, _ constants: Span<UInt32>) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for round in 0..<64 {
      let sigma1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      let choice = (e & f) ^ (~e & g)
      let first = h &+ sigma1 &+ choice &+ constants[round] &+ words[round]
      let sigma0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
      let second = sigma0 &+ ((a & b) ^ (a & c) ^ (b & c))
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
    state[5] &+= f
    state[6] &+= g
    state[7] &+= h
  }

  @inline(__always)
  private func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [64 of UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}
