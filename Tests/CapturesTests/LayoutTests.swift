import Captures
import MeshPipeline
import MeshTestSupport
import MeshpipeKit
import Testing

struct LayoutTests {
  @Test func `a frames bundle is read with the pixel origin of ARKit`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(scan.capture.frames.count == 4)
    #expect(scan.capture.frames[1].name == "frame_000001")
    #expect(scan.capture.frames[1].timestamp == 0.5)
    #expect(scan.capture.frames[1].exposure == Capture.Exposure(duration: 0.01, iso: 200))
    #expect(scan.capture.frames[1].tracking == .normal)
    try expectPicturesFit(scan)
  }

  @Test func `the manifest of a frames bundle may say another pixel origin`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle(
      origin: 0.5, manifest: #"{ "pixel_origin": "centre of the first pixel is (0.5, 0.5)" }"#)
    try expectPicturesFit(fixture.read().scan)
  }

  @Test func `the manifest of a frames bundle may say other axes of the camera`() throws {
    var fixture = try CaptureFixture()
    let truth = fixture.cameras
    for index in truth.indices {
      fixture.cameras[index].pose.y *= -1
      fixture.cameras[index].pose.z *= -1
    }
    try fixture.writeFramesBundle(
      manifest: #"{ "camera_axes": "+X right, +Y down, +Z forward" }"#)
    for (index, camera) in truth.enumerated() {
      try fixture.writePicture(camera, to: "images/frame_00000\(index).png")
      try fixture.writeDepth(camera, to: "depth/frame_00000\(index).png")
    }
    try expectPicturesFit(fixture.read().scan)
  }

  @Test func `matrices that were written by columns are turned`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    var lines = ""
    for (index, camera) in fixture.cameras.enumerated() {
      let rows = camera.rows
      let columns = (0..<4).map { column in rows.map { $0[column] } }
      let intrinsics = CaptureFixture.intrinsics(camera, origin: 0)
      let turned = (0..<3).map { column in intrinsics.map { $0[column] } }
      let json: JSONValue = [
        "frame_idx": JSONValue(.number(Double(index))), "resolution": .array([64, 48]),
        "intrinsics": .array(turned.flatMap(\.self)), "camera_in_world_4x4": .rows(columns),
      ]
      lines += json.compactText + "\n"
    }
    try fixture.folder.write("frames.jsonl", lines)
    let (scan, warnings) = try fixture.read()
    try expectPicturesFit(scan)
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("use --frames-convention gl,columns,c2w") == true)
    // The true words, and any that leave the order open, leave the poses as they are.
    for words in ["columns", "gl,columns,c2w", "gl"] {
      var found = try builtInCaptures.find(fixture.path)
      found.reading.convention = PoseConvention(text: words)
      let context = CaptureReadingContext { Issue.record("\($0)") }
      try expectPicturesFit(found.read(in: context))
    }
  }

  @Test func `files that are not as they were hashed are named`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    let good = try SHA256.hexadecimal(ofFile: fixture.path + "/frames.jsonl")
    let bad = String(repeating: "0", count: 64)
    try fixture.folder.write(
      "manifest.sha256.json",
      #"{ "files": { "frames.jsonl": "\#(good)", "mesh.obj": "\#(bad)", "video.mov": "\#(bad)" } }"#
    )
    let warnings = try fixture.read().warnings
    #expect(warnings.count == 2)
    #expect(warnings.first?.contains("'mesh.obj' is not the file that was hashed") == true)
    #expect(warnings.last?.contains("'video.mov' is missing") == true)
  }

  @Test func `all data of the 3D Scanner App is read where there are pictures`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeScannerApp()
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(
      scan.capture.frames.map(\.name)
        == ["frame_00000", "frame_00002", "frame_00004", "frame_00006"])
    #expect(scan.capture.frames[1].exposure?.duration == 0.02)
    // JPEG moves colours by a few steps.
    try expectPicturesFit(scan, tolerance: 1.2)
  }

  @Test func `transforms of nerfstudio are read with its pixel origin`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms(extra: [.init("camera_model", "OPENCV")])
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(scan.capture.frames.map(\.name) == ["0", "1", "2", "3"])
    #expect(scan.coordinateSystem == nil)
    try expectPicturesFit(scan)
  }

  @Test func `transforms of NeRFCapture have names without extension and ARKit's pixels`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms(
      origin: 0, ending: "", extra: [.init("integer_depth_scale", 0.001)])
    let (scan, warnings) = try fixture.read("transforms.json")
    #expect(warnings == [])
    try expectPicturesFit(scan)
  }

  @Test(arguments: [
    ("/volumes/user/data/room/images/", "/volumes/user/data/room/depth/", ".jpeg"),
    (#"C:\\data\\images\\"#, #"C:\\data\\depth\\"#, ".png"),
    ("/elsewhere/", "/elsewhere/depth/", ".PNG"), ("../room/images/", "../room/depth/", ".png"),
  ])
  func `pictures are found by name where the file has the paths of another machine`(
    images: String, depths: String, ending: String
  ) throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    for index in 0..<4 {
      let picture: String = images + String(index) + ending
      let depth: String = depths + String(index) + ".png"
      try fixture.replace(
        [("images/\(index).png", picture), ("depth/\(index).png", depth)], in: "transforms.json")
    }
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.count == 4)
    #expect(scan.capture.frames.allSatisfy { $0.depth != nil })
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.contains("4 frames ('0', '1', '2' and 1 more): the image is not in") == true)
    try expectPicturesFit(scan)
  }

  @Test func `a picture that is nowhere is named by its path`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    try fixture.replace(
      [
        ("images/2.png", "/volumes/user/images/22.png"),
        ("images/3.png", "/volumes/user/images/33.png"),
      ],
      in: "transforms.json")
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.map(\.name) == ["0", "1"])
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.hasSuffix(
        "its image is missing, and no image in the capture has its name (the first: '/volumes/user/images/22.png')"
      )
        == true, "\(warnings)")
  }

  @Test func `a picture that more than one frame could mean is nobody's`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    try fixture.replace(
      [("images/2.png", "/left/1.jpg"), ("images/3.png", "/right/1.jpg")],
      in: "transforms.json")
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.map(\.name).prefix(2) == ["0", "1"])
    #expect(warnings.contains { $0.contains("belongs to other frames too") }, "\(warnings)")
  }

  @Test func `a lens of OpenCV's model is read`() throws {
    var fixture = try CaptureFixture()
    for index in fixture.cameras.indices {
      fixture.cameras[index].lens = { p in
        let r2 = (p * p).sum()
        let radial = 1 + r2 * (-0.1 + r2 * 0.03)
        return SIMD2(
          p.x * radial + 2 * 0.01 * p.x * p.y - 0.02 * (r2 + 2 * p.x * p.x),
          p.y * radial + 0.01 * (r2 + 2 * p.y * p.y) - 2 * 0.02 * p.x * p.y)
      }
    }
    try fixture.writeTransforms(extra: [
      .init("camera_model", "OPENCV"), .init("k1", -0.1), .init("k2", 0.03), .init("p1", 0.01),
      .init("p2", -0.02),
    ])
    try expectPicturesFit(fixture.read().scan)
  }

  @Test func `a fisheye lens is read`() throws {
    var fixture = try CaptureFixture()
    for index in fixture.cameras.indices {
      fixture.cameras[index].lens = { p in
        let r = (p * p).sum().squareRoot()
        guard r > 0 else { return p }
        // atan by its series about the half angle, which is small enough here.
        var angle = 0.0
        let half = r / (1 + (1 + r * r).squareRoot())
        var term = half
        for n in 0..<40 {
          angle += 2 * term / Double(2 * n + 1)
          term *= -half * half
        }
        return p * (angle * (1 + 0.05 * angle * angle) / r)
      }
    }
    try fixture.writeTransforms(extra: [
      .init("camera_model", "OPENCV_FISHEYE"), .init("k1", 0.05), .init("k2", 0),
    ])
    try expectPicturesFit(fixture.read().scan)
  }
}
