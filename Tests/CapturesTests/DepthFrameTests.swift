import Captures
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// Depth maps without an image, in all layouts that have some.
struct DepthFrameTests {
  @Test func `the 3D Scanner App's frames without a picture are depth maps`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeScannerApp()
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(scan.capture.frames.count == 4)
    #expect(
      scan.capture.depthFrames.map(\.name)
        == ["frame_00001", "frame_00003", "frame_00005", "frame_00007"])
    #expect(scan.capture.allDepthFrames.map(\.timestamp) == [0, 1, 2, 3, 4, 5, 6, 7])
    try expectPicturesFit(scan, tolerance: 1.2)
  }

  @Test func `a capture without any picture has its depth maps, and says so`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeScannerApp()
    for index in [0, 2, 4, 6] {
      let name = fixture.path + "/frame_0000\(index)"
      try FileSystem.removeFile(name + ".jpg")
      // What the image's size told, the projection matrix tells: 2 f / w and 2 f / h.
      for number in [index, index + 1] {
        try fixture.replace(
          [
            (
              "\"time\"",
              "\"projectionMatrix\":[1.5625,0,0,0,0,2.1666666666666665,0,0,0,0,0,0,0,0,0,0],\"time\""
            )
          ],
          in: "frame_0000\(number).json")
      }
    }
    let (scan, warnings) = try fixture.read()
    #expect(warnings == ["\(fixture.path): no frame has an image; only depth maps are used"])
    #expect(scan.capture.frames.isEmpty)
    #expect(scan.capture.depthFrames.count == 8)
    try expectPicturesFit(scan)
    let summary = CaptureSummary(scan.capture, layout: "", folder: "", metersPerUnit: 1)
    #expect(summary.json["depthMapsAlone"]?.number == 8)
    #expect(summary.json["framesWithDepth"]?.number == 0)
  }

  @Test func `rows of Stray Scanner behind the video's end are depth maps`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeStrayScanner()
    try fixture.folder.write(
      "rgb.mp4", MotionJPEG.avi(of: fixture.cameras.prefix(2).map(\.picture), quality: 100))
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.map(\.name) == ["000000", "000001"])
    #expect(scan.capture.depthFrames.map(\.name) == ["000002", "000003"])
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.hasSuffix("the video has only 2 frames; only its depth map is used") == true)
    try expectPicturesFit(scan, tolerance: 1.6)
  }

  @Test func `lines of a frames bundle between its pictures are depth maps`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    for index in [1, 3] {
      try FileSystem.removeFile(fixture.path + "/images/frame_00000\(index).png")
    }
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(scan.capture.frames.map(\.name) == ["frame_000000", "frame_000002"])
    #expect(scan.capture.depthFrames.map(\.name) == ["frame_000001", "frame_000003"])
    #expect(scan.capture.depthFrames.first?.tracking == .normal)
    try expectPicturesFit(scan)
  }

  @Test func `depth maps of ARKitScenes between its pictures are read`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeARKitScenes()
    let name = "42_200.201"
    try FileSystem.removeFile(fixture.path + "/lowres_wide/\(name).png")
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(scan.capture.frames.count == 3)
    #expect(scan.capture.depthFrames.map(\.name) == [name])
    try expectPicturesFit(scan)
  }

  @Test func `depth maps alone move and turn with the frames`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeScannerApp()
    var scan = try fixture.read().scan
    let turn = CoordinateSystem.arkit.transform(to: .blender)
    scan.move(by: turn)
    // Each has the camera of the frame before it.
    #expect(scan.capture.depthFrames.map(\.pose) == scan.capture.frames.map(\.pose))
    scan.reread(as: PoseConvention(axes: .openCV))
    #expect(scan.capture.depthFrames.map(\.pose) == scan.capture.frames.map(\.pose))
    var joined = Scene(capture: scan.capture)
    var other = scan.capture
    other.depthFrames.removeLast()
    joined.append(Scene(capture: other))
    #expect(joined.capture?.depthFrames.count == 7)
  }

  @Test func `a depth map alone that can't be used is left out by name`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeScannerApp()
    try fixture.folder.write("depth_00003.png", "nothing")
    try fixture.replace([("[50,", "[0,"), ("[50.0,", "[0,")], in: "frame_00005.json")
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.depthFrames.map(\.name) == ["frame_00001", "frame_00007"])
    #expect(
      warnings.contains {
        $0.hasSuffix(
          "frame 'frame_00003' is left out: the depth map is truncated or not a 16-bit grey PNG")
      }, "\(warnings)")
    #expect(
      warnings.contains {
        $0.hasSuffix("frame 'frame_00005' is left out: its focal length is zero")
      }, "\(warnings)")
  }

  @Test func `a bundle's missing depth map without an image is one warning`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    for index in [1, 3] {
      try FileSystem.removeFile(fixture.path + "/images/frame_00000\(index).png")
    }
    try FileSystem.removeFile(fixture.path + "/depth/frame_000003.png")
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.depthFrames.map(\.name) == ["frame_000001"])
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.hasSuffix(
        "frame 'frame_000003' is left out: it has no image, and its depth map is missing") == true,
      "\(warnings)")
  }

  @Test func `files of depth maps alone are among the files that were read`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeScannerApp()
    try fixture.folder.write(
      "conf_00003.png",
      PNG.encodeGray8([UInt8](repeating: 2, count: 32 * 24), width: 32, height: 24))
    let reading = ReadingContext()
    let found = try CaptureReader.ofLayouts.find(fixture.path)
    _ = try found.read(in: CaptureReadingContext(reading))
    for name in ["depth_00002.png", "depth_00003.png", "conf_00003.png"] {
      #expect(reading.openedFiles.contains(fixture.path + "/" + name), "\(name)")
    }
    #expect(reading.missingFiles.contains(fixture.path + "/frame_00003.jpg"))
  }
}
