/// What FFmpeg's decoder of OpenEXR passes over: a file that ends early, of which it shows a part, and a compression that
/// it decodes wrongly.
enum EXREnd {
  /// What is wrong with a file of a single part; nil if nothing is, or it is of another kind.
  static func fault(of bytes: [UInt8]) -> String? {
    func number(_ offset: Int, _ count: Int) -> UInt64? {
      guard offset >= 0, offset <= bytes.count - count else { return nil }
      return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    /// A text that ends with a zero, and the place after it.
    func text(_ offset: Int) -> (String, next: Int)? {
      guard offset < bytes.count, let end = bytes[offset...].prefix(256).firstIndex(of: 0) else {
        return nil
      }
      return (String(decoding: bytes[offset..<end], as: UTF8.self), end + 1)
    }
    // Several parts, or samples of any number at a pixel.
    guard let version = number(4, 4), version & 0x1800 == 0 else { return nil }
    let isTiled = version & 0x200 != 0
    var index = 8
    var (hasFloats, compression) = (false, UInt64(0))
    while let (name, typed) = text(index), !name.isEmpty {
      guard let (_, sized) = text(typed), let length = number(sized, 4).map({ Int($0) }) else {
        return truncated
      }
      if name == "compression" { compression = number(sized + 4, 1) ?? 0 }
      if name == "channels" {
        var channel = sized + 4
        while let (name, next) = text(channel), !name.isEmpty {
          hasFloats = hasFloats || number(next, 4) == 2
          channel = next + 16
        }
      }
      index = sized + 4 + length
      guard index < bytes.count else { return truncated }
    }
    if hasFloats, compression == 8 || compression == 9 {
      return
        "is an OpenEXR of 32 bits compressed with DWA, which is not supported: save it as half, or with ZIP"
    }
    return isWhole(index + 1, isTiled: isTiled, number) ? nil : truncated
  }

  private static let truncated = "is a damaged or truncated OpenEXR"

  /// Whether the blocks of the table are there.
  private static func isWhole(
    _ table: Int, isTiled: Bool, _ number: (Int, Int) -> UInt64?
  ) -> Bool {
    // The table ends where the first block begins.
    var first = UInt64.max
    var index = table
    while UInt64(index) < first {
      guard let offset = number(index, 8), offset >= UInt64(table),
        let start = Int(exactly: offset), number(start, 1) != nil,
        let length = number(start + (isTiled ? 16 : 4), 4),
        number(start + (isTiled ? 20 : 8) + Int(length) - 1, 1) != nil
      else { return false }
      first = min(first, offset)
      index += 8
    }
    return true
  }
}
