import Foundation
import Testing

/// Files that are plainly something else than a scan.
@Suite struct ForeignContentTests {
  private static let contents: [(bytes: [UInt8], words: String)] = [
    ([0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8), "is a JPEG picture, not a mesh"),
    ([0x89] + Array("PNG\r\n\u{1A}\n".utf8) + [0, 0, 0, 13], "is a PNG picture, not a mesh"),
    ([0, 0, 0, 24] + Array("ftypheic".utf8), "is a HEIC picture, not a mesh"),
    ([0, 0, 0, 24] + Array("ftypqt  ".utf8), "is a video, not a mesh"),
    (Array("RIFF    WEBPVP8 ".utf8), "is a WebP picture, not a mesh"),
    (Array("%PDF-1.7\n".utf8), "is a PDF document, not a mesh"),
    (Array("<!DOCTYPE html><html>".utf8), "is a web page, not a mesh"),
    (Array("version https://git-lfs.github.com/spec/v1\n".utf8), "is only a pointer of Git LFS"),
    (
      Array("PK\u{3}\u{4}....[Content_Types].xml....PK\u{3}\u{4}..word/document.xml".utf8),
      "is a Word document, not a mesh"
    ),
    (
      Array("PK\u{3}\u{4}....mimetypeapplication/vnd.oasis.opendocument.text".utf8),
      "is an OpenDocument file, not a mesh"
    ),
  ]

  @Test(arguments: ["a.obj", "a.ply", "a.stl", "a.glb", "a.jpg", "a.docx", "a", "-"])
  func `whatever its name, the message says what it is`(name: String) throws {
    for (bytes, words) in Self.contents {
      let folder = try TemporaryFolder()
      if name != "-" { try Data(bytes).write(to: folder.url.appendingPathComponent(name)) }
      let outcome = try CommandProcess.run(
        ["info", name], in: folder, input: name == "-" ? Data(bytes) : nil)
      #expect([65, 69].contains(outcome.status))
      #expect(outcome.errors.contains(words), "\(name): \(outcome.errors)")
    }
  }

  @Test func `a scan that is damaged is not taken for something else`() throws {
    let folder = try TemporaryFolder()
    try folder.write("v 0 0 0\nf 1 2 3\n", to: "a.obj")
    let outcome = try CommandProcess.run(["info", "a.obj"], in: folder)
    #expect(outcome.status == 65 && !outcome.errors.contains("not a mesh"), "\(outcome.errors)")
  }

  @Test func `an archive that is a document is told as such`() throws {
    let folder = try TemporaryFolder()
    for name in ["[Content_Types].xml", "word/document.xml"] { try folder.write("<a/>", to: name) }
    let zip = try CommandProcess.run(
      URL(filePath: "/usr/bin/env"),
      [
        "python3", "-c",
        """
        import zipfile
        with zipfile.ZipFile('a.zip', 'w') as z:
          for name in ('[Content_Types].xml', 'word/document.xml'): z.write(name)
        """,
      ], in: folder)
    try #require(zip.status == 0)
    let outcome = try CommandProcess.run(["info", "a.zip"], in: folder)
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("a.zip: is a Word document, not a mesh"), "\(outcome.errors)")
  }
}
