import MeshPipeline
import NativeLibraries

/// Puts what made a picture into its file, without touching the image.
enum PictureMark {
  /// The bytes of a PNG or JPEG with provenance in a text chunk or a comment; those of others as they are.
  static func marked(_ bytes: [UInt8], with provenance: Provenance?) -> [UInt8] {
    guard let provenance else { return bytes }
    switch Texture.Encoding(bytes: bytes) {
    case .png: return marked(png: bytes, Array(provenance.text.utf8))
    case .jpeg: return marked(jpeg: bytes, Array("\(Provenance.key) \(provenance.text)".utf8))
    default: return bytes
    }
  }

  /// A chunk `tEXt`, whose keyword ends with a NUL, after the header.
  private static func marked(png bytes: [UInt8], _ text: [UInt8]) -> [UInt8] {
    // The signature, then length, name, contents and checksum of IHDR.
    let header = 8 + 12 + 13
    guard bytes.count > header else { return bytes }
    let content = Array(("tEXt" + Provenance.key).utf8) + [0] + text
    var sum = CRC32()
    unsafe content.withUnsafeBytes { unsafe sum.update($0) }
    return bytes[..<header] + word(content.count - 4) + content + word(Int(sum.value))
      + bytes[header...]
  }

  /// A segment `COM` after the first ones of applications, of which JFIF wants to be the first of all.
  private static func marked(jpeg bytes: [UInt8], _ text: [UInt8]) -> [UInt8] {
    guard text.count <= 65_533 else { return bytes }
    var place = 2
    while place + 4 <= bytes.count, bytes[place] == 0xFF, (0xE0...0xEF).contains(bytes[place + 1]) {
      place += 2 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
    }
    guard place < bytes.count else { return bytes }
    let length = text.count + 2
    return bytes[..<place] + [0xFF, 0xFE, UInt8(length >> 8), UInt8(length & 0xFF)] + text
      + bytes[place...]
  }

  private static func word(_ number: Int) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}

extension WritingContext {
  /// A picture that was made in the run with what made it; one that was read as it is.
  ///
  /// Outputs may share it, so that it says only what holds for all of them.
  func marked(_ picture: [UInt8]) -> [UInt8] {
    guard let provenance else { return picture }
    if !provenance.inputHashes.isEmpty,
      provenance.inputHashes.contains(SHA256.hexadecimal(of: picture))
    {
      return picture
    }
    return PictureMark.marked(picture, with: provenance.ofRun)
  }
}
