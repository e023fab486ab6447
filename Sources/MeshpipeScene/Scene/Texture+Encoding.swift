import MeshpipeBase

extension Texture.Encoding {
  /// The encoding according to the first bytes of a file, or otherwise to its name.
  ///
  /// TGA has no signature: a plausible header is accepted as one.
  public init(bytes: [UInt8], fileName: String = "") {
    func starts(_ mark: [UInt8], at offset: Int = 0) -> Bool {
      bytes.count >= offset + mark.count && bytes[offset..<offset + mark.count].elementsEqual(mark)
    }
    if starts([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if starts([0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if starts(Array("RIFF".utf8)), starts(Array("WEBP".utf8), at: 8) {
      self = .webp
    } else if starts(Array("ftyp".utf8), at: 4), Self.hasAVIFBrand(bytes) {
      self = .avif
    } else if starts(Self.ktx2Identifier) {
      self = .ktx2
    } else if starts(Array("BM".utf8)) {
      self = .bmp
    } else if Self.tiffMarks.contains(where: { starts($0) }) {
      self = .tiff
    } else if bytes.count > 18, bytes[1] <= 1, [1, 2, 3, 9, 10, 11].contains(bytes[2]),
      [8, 15, 16, 24, 32].contains(bytes[16])
    {
      self = .tga
    } else {
      self = fileExtension(of: fileName) == "tga" ? .tga : .other
    }
  }

  /// The first bytes of TIFF and BigTIFF files, in both orders of bytes.
  package static let tiffMarks: [[UInt8]] = [
    [0x49, 0x49, 0x2A, 0], [0x4D, 0x4D, 0, 0x2A], [0x49, 0x49, 0x2B, 0], [0x4D, 0x4D, 0, 0x2B],
  ]

  /// The first bytes of a KTX2 file.
  static let ktx2Identifier: [UInt8] = [
    0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB, 0x0D, 0x0A, 0x1A, 0x0A,
  ]

  /// Whether a file that begins with an `ftyp` box names a brand of AVIF among those that it conforms to.
  private static func hasAVIFBrand(_ bytes: [UInt8]) -> Bool {
    let length = bytes[0..<4].reduce(0) { $0 << 8 | Int($1) }
    return stride(from: 8, to: min(length, bytes.count, 256) - 3, by: 4).contains { place in
      bytes[place..<place + 3].elementsEqual("avi".utf8) && "fs".utf8.contains(bytes[place + 3])
    }
  }

  /// The usual extension of such files, without the dot.
  package var usualExtension: String {
    switch self {
    case .png: "png"
    case .jpeg: "jpg"
    case .webp: "webp"
    case .avif: "avif"
    case .ktx2: "ktx2"
    case .tga: "tga"
    case .bmp: "bmp"
    case .tiff: "tif"
    case .other: "bin"
    }
  }
}

extension Texture {
  /// A picture of the kind that its bytes say, or otherwise its name.
  package init(_ bytes: [UInt8], fileName: String) {
    self.init(
      fileName: fileName, encoding: Encoding(bytes: bytes, fileName: fileName), bytes: bytes)
  }

  /// The texture with its image encoded as these bytes; another encoding changes the extension of its file.
  package func encoded(_ bytes: [UInt8], as encoding: Encoding) -> Texture {
    let isSame = encoding == self.encoding
    return Texture(
      fileName: isSame ? fileName : FileSystem.stem(of: fileName) + "." + encoding.usualExtension,
      encoding: encoding, bytes: bytes)
  }
}
