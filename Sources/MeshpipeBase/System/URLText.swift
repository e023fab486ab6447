/// Bytes as text that fits into a URL.
package enum URLText {
  /// A path in the characters of a URL (RFC 3986), with its slashes.
  package static func path(_ path: String) -> String {
    var result = ""
    for byte in path.systemBytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        result += "%" + String(byte, digits: 2, radix: 16, uppercase: true)
      }
    }
    return result
  }

  /// Bytes in base 64 (RFC 4648).
  package static func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits = 0
      for index in 0..<3 {
        bits = bits << 8 | (index < group.count ? Int(bytes[start + index]) : 0)
      }
      for index in 0..<4 {
        let isPadding = index > group.count
        text.append(isPadding ? UInt8(ascii: "=") : digits[bits >> (18 - 6 * index) & 63])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text in base 64, with the digits of URLs, too; nil if it is none.
  package static func bytes(ofBase64 text: some Collection<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count / 4 * 3)
    var bits: UInt32 = 0
    var count = 0
    for letter in text {
      if letter == UInt8(ascii: "=") { break }
      guard let value = digit(letter) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 1
      if count % 4 == 0 {
        result += [UInt8(bits >> 16 & 255), UInt8(bits >> 8 & 255), UInt8(bits & 255)]
        bits = 0
      }
    }
    switch count % 4 {
    case 2: result.append(UInt8(bits >> 4 & 255))
    case 3: result += [UInt8(bits >> 10 & 255), UInt8(bits >> 2 & 255)]
    case 1: return nil
    default: break
    }
    return result
  }

  private static func digit(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): letter + 4
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
