import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// Pages that libharu writes.
struct PDFDocumentTests {
  private func document() throws -> [UInt8] {
    let document = try PDFDocument(title: "Plan ½ m², a (b) \\ c")
    for size in [SIMD2(200.0, 100), SIMD2(100, 200)] {
      document.addPage(size: size)
      document.setPen(SIMD3(1, 0, 0), width: 0.5)
      document.move(to: SIMD2(10, 10))
      document.line(to: SIMD2(90, 10))
      document.curve(to: SIMD2(90, 90), SIMD2(95, 30), SIMD2(95, 60))
      document.closePath()
      document.strokePath()
      document.write("Größe 日", at: SIMD2(20, 50), size: 10, cosine: 0, sine: 1)
    }
    return try document.finish()
  }

  @Test func `pages have their sizes and texts, and no date`() throws {
    let bytes = try document()
    #expect(try bytes == document())
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.pdf"
    try Data(bytes).write(to: URL(filePath: path))
    let info = try Program.run(Checkers.program("pdfinfo"), ["-l", "2", path])
    #expect(info.output.contains("Title:           Plan ½ m², a (b) \\ c\n"), "\(info)")
    #expect(info.output.contains("200 x 100") && info.output.contains("100 x 200"))
    #expect(!info.output.contains("Date"))
    let text = try Program.run(Checkers.program("pdftotext"), [path, "-"])
    #expect(text.output.contains("Größe ?"))
  }

  @Test func `a document that draws nothing is whole, and a path on no page harmless`() throws {
    #expect(PDFDocument.canShow("Größe – ² €") && !PDFDocument.canShow("台"))
    let document = try PDFDocument(title: "")
    document.move(to: .zero)
    document.strokePath()
    document.addPage(size: SIMD2(10, 10))
    #expect(try document.finish().starts(with: "%PDF-".utf8))
  }

  @Test func `what the library refuses is an error`() throws {
    let document = try PDFDocument(title: "")
    // Smaller than a page may be.
    document.addPage(size: SIMD2(1, 1))
    #expect(throws: NativeLibraryError.self) { try document.finish() }
  }
}
