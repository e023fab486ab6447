import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// Captures that don't fit, as a user meets them.
struct WrongCaptureTests {
  /// `room/` with frames whose pictures were all turned by 180 degrees.
  private func turnedCapture() throws -> TemporaryFolder {
    let capture = try SyntheticCapture {
      ($0.frameCount, $0.size, $0.samples) = (10, SIMD2(120, 90), 1)
    }
    let folder = try TemporaryFolder()
    try folder.writeBundle(of: capture, hasPictures: true)
    for (index, frame) in capture.frames.enumerated() {
      var image = try frame.loadImage()
      let pixels = image.pixels
      for place in pixels.indices {
        // The last pixel first, its channels in their order.
        image.pixels[place] = pixels[pixels.count - 3 - place + 2 * (place % 3)]
      }
      try Data(PNG.encode(image)).write(
        to: folder.url.appendingPathComponent("room/images/\(index).png"))
    }
    return folder
  }

  @Test func `a run ends with 65 and writes no model, unless poses are forced`() throws {
    let folder = try turnedCapture()
    let call = ["run", "room", "-s", "report-coverage", "-o", "out/model.ply"]
    let refused = try CommandProcess.run(call, in: folder)
    #expect(refused.status == 65)
    #expect(
      refused.errors.contains("they fit when rotated by 180 degrees; --force-poses"),
      "\(refused.errors)")
    #expect(!folder.exists("out/model.ply"))
    let forced = try CommandProcess.run(call + ["--force-poses"], in: folder)
    #expect(forced.status == 0, "\(forced.errors)")
    #expect(forced.errors.contains("warning: "))
    #expect(folder.exists("out/model.ply"))
    // Whoever asks what a capture holds is told, and not refused.
    let info = try CommandProcess.run(["info", "room"], in: folder)
    #expect(info.status == 0)
    #expect(info.errors.contains("rotated by 180 degrees"))
  }
}
