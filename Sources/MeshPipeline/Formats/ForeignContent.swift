import MeshpipeBase

/// What a file certainly holds instead of a scan, whatever its name says.
enum ForeignContent {
  /// The end of a sentence on the file: `is a JPEG picture, not a mesh`; nil if the first bytes tell nothing.
  static func explanation(_ head: FileHead) -> String? {
    if let signature = signatures.first(where: { $0.begins(head.bytes) }) { return signature.words }
    return office(head.bytes) ?? text(head)
  }

  /// The same of a file, of which the first bytes are read.
  static func explanation(ofFile path: String) -> String? {
    FileHead(ofFile: path).flatMap(explanation)
  }

  /// Bytes at a place of the file, and what they say.
  private struct Signature {
    var offset = 0
    var bytes: [UInt8]
    var words: String

    init(_ bytes: [UInt8], at offset: Int = 0, _ words: String) {
      (self.offset, self.bytes, self.words) = (offset, bytes, words)
    }

    func begins(_ head: [UInt8]) -> Bool { head.dropFirst(offset).starts(with: bytes) }
  }

  private static let signatures: [Signature] = [
    picture([0xFF, 0xD8, 0xFF], "JPEG"), picture(png, "PNG"),
    picture(Array("GIF8".utf8), "GIF"), picture([0x49, 0x49, 0x2A, 0x00], "TIFF"),
    picture([0x4D, 0x4D, 0x00, 0x2A], "TIFF"), picture(Array("WEBP".utf8), at: 8, "WebP"),
    picture(Array("ftyphe".utf8), at: 4, "HEIC"), picture(Array("ftypmif1".utf8), at: 4, "HEIC"),
    picture(Array("ftypavif".utf8), at: 4, "AVIF"),
    Signature(Array("ftyp".utf8), at: 4, "is a video, not a mesh"),
    Signature(Array("%PDF-".utf8), "is a PDF document, not a mesh"),
    Signature([0x1F, 0x8B], "is compressed by gzip: unpack it first, for example with 'gunzip'"),
    Signature(
      Array("version https://git-lfs".utf8),
      "is only a pointer of Git LFS: fetch the file itself with 'git lfs pull'"),
  ]

  private static let png: [UInt8] = [0x89] + Array("PNG\r\n".utf8)

  private static func picture(_ bytes: [UInt8], at offset: Int = 0, _ name: String) -> Signature {
    Signature(bytes, at: offset, "is a \(name) picture, not a mesh")
  }

  /// Documents that are zip archives, by the names of their first files.
  private static func office(_ bytes: [UInt8]) -> String? {
    guard bytes.starts(with: "PK\u{3}\u{4}".utf8) else { return nil }
    func holds(_ text: String) -> Bool { bytes.contains(Array(text.utf8)) }
    if holds("mimetypeapplication/vnd.oasis.opendocument") {
      return "is an OpenDocument file, not a mesh"
    }
    guard holds("[Content_Types].xml") else { return nil }
    let kinds = [("word/", "a Word"), ("xl/", "an Excel"), ("ppt/", "a PowerPoint")]
    return kinds.first { holds($0.0) }.map { "is \($0.1) document, not a mesh" }
  }

  /// What servers send instead of a file.
  private static func text(_ head: FileHead) -> String? {
    let start = head.body.prefix(64).lowercased()
    guard start.hasPrefix("<!doctype html") || start.hasPrefix("<html") else { return nil }
    return "is a web page, not a mesh: download the file itself"
  }
}

/// A file that its format can't read because it holds something else.
struct ForeignContentError: UserError {
  var path: String
  var explanation: String

  var exitCode: ExitCode { .data }
  var message: String { "\(path): \(explanation)" }
}
