import NativeLibraries
import Testing

/// The compressed data was made by Apple's own encoder.
struct LZFSETests {
  static func text(_ count: Int) -> [UInt8] {
    let sentence = Array("the quick brown fox jumps over the lazy dog; ".utf8)
    return (0..<count).map { sentence[$0 % sentence.count] }
  }

  static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  static let lzvn = bytes(
    "6276786e5802000040000000e00f74686520717569636b2062726f776e20666f78206a756d7073206f76"
      + "657220081fea6c617a7920646f673b20382df0fff0ffe36f776e060000000000000062767824")

  static let entropyCoded = bytes(
    "62767832401f00003000b001000600204c5707151b130020a1000000382cc00b7f0000dcc00d0070c30d"
      + "70030000002fc19ff1130000c04fc04f0000000000000000000000000000000000000000c01303000000"
      + "000000d70000000000000000005c5f5f5f7f0fd7d73fc1f5f5f5f5f5f5f7707dfd285cff043fc1f5f5f5"
      + "f535000000000000000000000000000000000000000000000000000000000000000000000048b7a10e3b"
      + "d8fed1dd83b42ddb91582ca04e3171acb44b840600000000000000008017f9fffd9ff07fee1b00627678"
      + "24")

  static let stored: [UInt8] =
    Array("bvx-".utf8) + [5, 0, 0, 0] + Array("helloBVX".utf8.prefix(5)) + Array("bvx$".utf8)

  func decode(_ bytes: [UInt8], limit: Int = 1 << 20) throws -> [UInt8] {
    try LZFSE.decode(bytes, limit: limit, path: "a.depth")
  }

  @Test func `blocks of all three kinds are decoded`() throws {
    #expect(try decode(Self.stored) == Array("hello".utf8))
    #expect(try decode(Self.lzvn) == Self.text(600))
    #expect(try decode(Self.entropyCoded) == Self.text(8000))
  }

  @Test func `a stream may hold several blocks`() throws {
    let joined = Self.lzvn.dropLast(4) + Self.stored.dropLast(4) + Self.entropyCoded
    #expect(try decode(Array(joined)) == Self.text(600) + Array("hello".utf8) + Self.text(8000))
  }

  @Test func `data that is cut off, damaged or too long is an error`() throws {
    for whole in [Self.stored, Self.lzvn, Self.entropyCoded] {
      for count in 0..<whole.count {
        #expect(throws: ImageError.self) { try decode(Array(whole.prefix(count))) }
      }
      #expect(throws: ImageError.self) { try decode(whole, limit: 4) }
      for place in whole.indices {
        for change: UInt8 in [0x01, 0x80, 0xFF] {
          var bytes = whole
          bytes[place] ^= change
          // Some changes are still data; none may trap.
          _ = try? decode(bytes)
        }
      }
    }
  }
}
