package import MeshpipeBase
package import MeshpipeScene

/// The kinds of image files, and which of them can be read.
package enum PictureKind: String, Sendable, CaseIterable {
  case jpeg = "JPEG"
  case png = "PNG"
  case webp = "WebP"
  case heic = "HEIC"
  case avif = "AVIF"
  case jpegXL = "JPEG XL"
  case tiff = "TIFF"
  case bmp = "BMP"
  case gif = "GIF"
  case exr = "OpenEXR"
  case tga = "TGA"
  case dds = "DDS"
  case psd = "Photoshop"
  case jpeg2000 = "JPEG 2000"
  case sgi = "SGI"
  case pcx = "PCX"
  case pnm = "PNM"
  case qoi = "QOI"
  case radiance = "Radiance HDR"

  /// The kind identified by the first bytes of a file; nil for any other.
  package init?(bytes: [UInt8]) {
    func starts(_ mark: [UInt8], at offset: Int = 0) -> Bool {
      bytes.count >= offset + mark.count && bytes[offset..<offset + mark.count].elementsEqual(mark)
    }
    func starts(_ text: String, at offset: Int = 0) -> Bool { starts(Array(text.utf8), at: offset) }
    if starts([0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if starts([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if starts("RIFF"), starts("WEBP", at: 8) {
      self = .webp
    } else if starts("ftyp", at: 4) {
      // Files of either kind start with generic brands: 'mif1'.
      let brands = bytes[8..<min(bytes.count, max(8, Self.length(bytes)))]
      let text = String(decoding: brands, as: UTF8.self)
      guard !text.contains("avif"), !text.contains("avis") else {
        self = .avif
        return
      }
      guard ["heic", "heix", "heim", "heis", "mif1", "hevc"].contains(where: text.contains) else {
        return nil
      }
      self = .heic
    } else if starts([0xFF, 0x0A]) || starts("JXL ", at: 4) {
      self = .jpegXL
    } else if Texture.Encoding.tiffMarks.contains(where: { starts($0) }) {
      self = .tiff
    } else if starts("BM") {
      self = .bmp
    } else if starts("GIF8") {
      self = .gif
    } else if starts([0x76, 0x2F, 0x31, 0x01]) {
      self = .exr
    } else if starts("DDS ") {
      self = .dds
    } else if starts("8BPS") {
      self = .psd
    } else if starts([0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20]) || starts([0xFF, 0x4F, 0xFF, 0x51]) {
      self = .jpeg2000
    } else if starts([0x01, 0xDA]) {
      self = .sgi
    } else if starts("qoif") {
      self = .qoi
    } else if starts("#?RADIANCE") || starts("#?RGBE") {
      self = .radiance
    } else if bytes.count > 3, bytes[0] == UInt8(ascii: "P"), (0x31...0x37).contains(bytes[1]),
      [0x20, 0x0A, 0x0D, 0x09].contains(bytes[2])
    {
      self = .pnm
    } else if bytes.count > 128, bytes[0] == 10, bytes[1] <= 5, bytes[2] == 1 {
      self = .pcx
    } else {
      return nil
    }
  }

  /// The kind of a file whose name may say what its bytes don't: TGA has no mark.
  package init?(bytes: [UInt8], fileName: String) {
    self.init(Texture(bytes, fileName: fileName))
  }

  /// The kind of a texture, by its bytes or else by its encoding.
  package init?(_ texture: Texture) {
    if let kind = PictureKind(bytes: texture.bytes) {
      self = kind
      return
    }
    switch texture.encoding {
    case .png: self = .png
    case .jpeg: self = .jpeg
    case .webp: self = .webp
    case .avif: self = .avif
    case .tga: self = .tga
    case .bmp: self = .bmp
    case .tiff: self = .tiff
    case .ktx2, .other: return nil
    }
  }

  private static func length(_ bytes: [UInt8]) -> Int {
    bytes[0..<4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Whether meshpipe decodes it as a frame of a capture.
  package var isRead: Bool { Self.readKinds.contains(self) }

  private static let readKinds: [PictureKind] = [.jpeg, .png, .webp, .heic, .avif]

  /// The problem with an image of an unsupported kind, and the way out; nil if it is supported.
  package static func fault(of kind: PictureKind?) -> String? {
    if let kind, kind.isRead { return nil }
    let names = readKinds.map(\.rawValue)
    let read = names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    return kind.map { "is \($0.rawValue), which is not supported: convert it to PNG or JPEG" }
      ?? "is not one of \(read)"
  }
}

/// Properties of an image file from its first bytes, without decoding.
package struct PictureHeader: Sendable, Equatable {
  /// Nil if the file is not an image of a known kind.
  package var kind: PictureKind?
  /// Width and height of the stored pixels, ignoring the orientation for viewers.
  package var size: SIMD2<Int>?
  /// Whether the file is complete, as far as can be determined.
  package var isWhole: Bool

  /// More pixels than a camera has; a small file can claim any number.
  package static let mostPixels = 300_000_000

  /// The number of bytes to examine: previews in EXIF precede a JPEG's size.
  static let headLength = 1 << 18

  package init(_ file: MappedFile) {
    let head = file.withBytes { [UInt8](copying: $0.extracting(first: Self.headLength)) }
    self.init(head, length: file.count) { Self.hasEnd(file, $0) }
  }

  /// The header of a file that is completely in memory.
  package init(_ bytes: [UInt8]) {
    self.init(Array(bytes.prefix(Self.headLength)), length: bytes.count) { bytes.contains($0) }
  }

  /// Width and height as the header of a file that is in memory says; nil if it is not an image of a known kind.
  static func size(of bytes: [UInt8]) -> SIMD2<Int>? {
    PictureKind(bytes: bytes)?.isRead == true ? Texture.pixelSize(inHead: bytes) : nil
  }

  private init(_ head: [UInt8], length: Int, hasEnd: ([UInt8]) -> Bool) {
    kind = PictureKind(bytes: head)
    switch kind {
    case .jpeg:
      size = Texture.pixelSize(inHead: head)
      isWhole = hasEnd([0xFF, 0xD9])
    case .png:
      size = Texture.pixelSize(inHead: head)
      isWhole = hasEnd(Array("IEND".utf8))
    case .webp:
      size = Texture.pixelSize(inHead: head)
      let content = (4..<8).reversed().reduce(0) { $0 << 8 | Int(head[$1]) }
      isWhole = length >= content + 8
    case .heic, .avif:
      let boxes = HEIFHeader(head, fileLength: length)
      (size, isWhole) = (boxes.size, boxes.isWhole)
    default: (size, isWhole) = (nil, true)
    }
  }

  /// The size of a complete grey PNG, such as a depth map; nil for anything else.
  package static func greyPNGSize(ofFile path: String, bits: UInt8) -> SIMD2<Int>? {
    guard let file = try? MappedFile(path: path, allowsPipes: false), file.count > 32 else {
      return nil
    }
    let (head, tail) = file.withBytes { bytes in
      (
        [UInt8](copying: bytes.extracting(first: 32)),
        [UInt8](copying: bytes.extracting(last: 16))
      )
    }
    // Bit depth and colour type follow the size in the header.
    guard head[24] == bits, head[25] == 0 || (bits == 8 && head[25] == 3),
      tail.contains(Array("IEND".utf8))
    else { return nil }
    return Texture.pixelSize(inHead: head)
  }

  /// Looks for a mark near the end, and in the whole file if it has trailing data.
  private static func hasEnd(_ file: MappedFile, _ mark: [UInt8]) -> Bool {
    let tail = file.withBytes { [UInt8](copying: $0.extracting(last: 4096)) }
    if tail.contains(mark) { return true }
    guard file.count > headLength else { return false }
    return file.withBytes { [UInt8](copying: $0).dropFirst(headLength).contains(mark) }
  }
}

extension Collection<UInt8> {
  /// Whether the bytes contain others.
  func contains(_ pattern: [UInt8]) -> Bool {
    guard let first = pattern.first else { return true }
    var rest = self[...]
    while let index = rest.firstIndex(of: first) {
      rest = rest[index...]
      if rest.starts(with: pattern) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
