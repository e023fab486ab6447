import Captures
import Foundation
import MeshPipeline
import MeshTestSupport
import MeshpipeKit
import NativeLibraries
import Testing

/// Folders of photographs without poses.
struct PhotographsTests {
  private let folder: TemporaryFolder
  private let picture: [UInt8]

  init() throws {
    folder = try TemporaryFolder()
    picture = try JPEG.encode(Image(width: 64, height: 48, filledWith: (90, 120, 30)), quality: 80)
  }

  private func write(_ bytes: [UInt8], to name: String) throws {
    _ = try folder.write(name, bytes)
  }

  private func read() throws -> (photographs: [Capture.Photograph], warnings: [String]) {
    let stage = StageContext()
    let found = try builtInCaptures.find(folder.path)
    #expect(found.layout.id == "photographs")
    let scene = try found.readAlone(in: CaptureReadingContext(ReadingContext(stage: stage)))
    #expect(scene.features == [.photographs])
    return (scene.capture?.photographs ?? [], stage.warnings)
  }

  @Test func `a folder of photographs and notes is read in the order of names`() throws {
    for name in ["b.JPG", "a.jpg", "notes.txt", ".DS_Store", "LICENSE"] {
      try write(picture, to: name)
    }
    let (photographs, warnings) = try read()
    #expect(photographs.map(\.name) == ["a.jpg", "b.JPG"])
    #expect(photographs.allSatisfy { $0.imageSize == SIMD2(64, 48) && $0.focalLength == nil })
    #expect(warnings == [])
  }

  @Test(arguments: ["model.obj", "poses.json", "depth_00000.png", "frame.csv", "cameras.bin"])
  func `images beside other files are not photographs`(name: String) throws {
    for name in ["a.jpg", "b.jpg", name] { try write(picture, to: name) }
    #expect(throws: CaptureError.self) { try builtInCaptures.find(folder.path) }
  }

  @Test func `images in a list of names may be textures`() {
    let listed = CaptureFolder(listed: "a.zip", names: ["a.jpg", "b.jpg"]) { _ in false }
    #expect(!Photographs.isPresent(in: listed))
  }

  @Test func `what can't be read is left out by name`() throws {
    for name in ["a.jpg", "b.jpg"] { try write(picture, to: name) }
    try write(Array(picture.prefix(200)), to: "cut.jpg")
    try write([], to: "empty.jpg")
    try write(Array("GIF89a and more, long enough for a header".utf8), to: "moving.png")
    let (photographs, warnings) = try read()
    #expect(photographs.map(\.name) == ["a.jpg", "b.jpg"])
    let text = warnings.joined(separator: "\n")
    for words in ["'cut.jpg'", "'empty.jpg'", "'moving.png'", "is GIF"] {
      #expect(text.contains(words), Comment(rawValue: text))
    }
  }

  @Test(
    .needs("PIL"), arguments: [(1, "top"), (3, "bottom"), (6, "left"), (8, "right")])
  func `what the camera wrote is read as Pillow writes it`(orientation: Int, top: String) throws {
    let script = """
      import sys
      from PIL import Image, TiffImagePlugin
      def ratio(a, b): return TiffImagePlugin.IFDRational(a, b)
      exif = Image.Exif()
      exif[0x010F], exif[0x0110], exif[0x0112] = "Maker", "Phone 3", int(sys.argv[2])
      exif[0x8769] = {0x829A: ratio(1, 60), 0x8827: 200, 0xA405: 26, 0x9003: "2024:02:29 23:59:59"}
      Image.new("RGB", (400, 300), (90, 120, 30)).save(sys.argv[1] + "/a.jpg", exif=exif)
      exif[0x8769] = {0x920A: ratio(50, 1), 0xA20E: ratio(4000, 1), 0xA210: 3, 0xA002: 8000, 0x9003: "2024:03:01 00:00:01"}
      Image.new("RGB", (400, 300), (90, 120, 30)).save(sys.argv[1] + "/b.jpg", exif=exif)
      """
    let run = try Program.run(Checkers.python, ["-c", script, folder.path, "\(orientation)"])
    try #require(run.status == 0, "\(run)")
    let photographs = try read().photographs
    let (first, second) = (try #require(photographs.first), try #require(photographs.last))
    #expect(first.device == "Maker Phone 3")
    #expect(first.top.rawValue == top)
    #expect(first.exposure?.iso == 200)
    #expect(abs((first.exposure?.duration ?? 0) - 1 / 60) < 1e-12)
    // 26 mm on film with a diagonal of 43.27 mm, in an image with one of 500 pixels.
    #expect(abs((first.focalLength ?? 0) - 300.463) < 0.001)
    // 50 mm at 400 pixels a millimetre, in an image that is a twentieth of what was taken.
    #expect(abs((second.focalLength ?? 0) - 1000) < 1e-9)
    #expect((second.timestamp ?? 0) - (first.timestamp ?? 0) == 2)
  }
}
