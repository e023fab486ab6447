import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Formats

/// Pictures say what made them, and show what they did.
struct PictureMarkTests {
  private func provenance() throws -> Provenance {
    let json: JSONValue = [
      "version": 1, "meshpipe": "0.1.0", "pipeline": ["name": "室.json"],
      "inputs": [["name": "a.obj", "sha256": "cd"]],
    ]
    return try #require(Provenance(json))
  }

  @Test func `a marked PNG and JPEG have the same pixels, and are found to be marked`() throws {
    let gray = (0..<64).map { UInt8($0 * 4) }
    let rgb = Image(width: 8, height: 8, pixels: gray.flatMap { [$0, $0, 255 - $0] })
    for picture in [
      try PNG.encodeGray8(gray, width: 8, height: 8), try JPEG.encode(rgb, quality: 90),
    ] {
      let marked = PictureMark.marked(picture, with: try provenance())
      #expect(marked.count > picture.count)
      #expect(Provenance(inFile: marked) == (try provenance()))
      #expect(PictureMetadata.removed(from: marked) == PictureMetadata.removed(from: picture))
      #expect(PictureMark.marked(picture, with: nil) == picture)
    }
  }

  @Test func `what was read, or is another kind of file, stays as it is`() throws {
    let picture = try PNG.encodeGray8([1, 2, 3, 4], width: 2, height: 2)
    var context = WritingContext()
    #expect(context.marked(picture) == picture)
    context.provenance = try provenance()
    #expect(context.marked(picture) != picture)
    context.provenance?.inputHashes = [SHA256.hexadecimal(of: picture)]
    #expect(context.marked(picture) == picture)
    for other in [[], Array("RIFF____WEBP".utf8)] as [[UInt8]] {
      #expect(PictureMark.marked(other, with: try provenance()) == other)
    }
  }
}
