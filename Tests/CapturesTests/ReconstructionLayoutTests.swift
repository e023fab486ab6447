import Captures
import MeshPipeline
import MeshTestSupport
import Testing

struct COLMAPTests {
  @Test(arguments: [true, false])
  func `a model in text is read with its pixel origin`(pointLines: Bool) throws {
    let fixture = try CaptureFixture()
    try fixture.writeCOLMAP(pointLines: pointLines)
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(scan.coordinateSystem == nil)
    #expect(scan.capture.frames.map(\.name) == (0..<4).map { "room/frame \($0).png" })
    try expectPicturesFit(scan)
    #expect(try fixture.read("sparse/0/images.txt").scan.capture == scan.capture)
  }

  @Test func `a model in binary is read`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeBinaryCOLMAP()
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(scan.capture.frames.count == 4)
    try expectPicturesFit(scan)
  }

  @Test(arguments: ["images", "sparse/0/images", "sparse/0"])
  func `pictures are found beside and above the model`(place: String) throws {
    let fixture = try CaptureFixture()
    try fixture.writeCOLMAP(images: place)
    try expectPicturesFit(fixture.read().scan)
  }

  @Test func `a radial lens is taken over`() throws {
    var fixture = try CaptureFixture()
    for index in fixture.cameras.indices {
      fixture.cameras[index].focalLength = SIMD2(50, 50)
      fixture.cameras[index].lens = { $0 * (1 - 0.08 * ($0 * $0).sum()) }
    }
    try fixture.writeCOLMAP(model: "SIMPLE_RADIAL", parameters: [50, 33.2, 22.6, -0.08])
    try expectPicturesFit(fixture.read().scan)
  }

  @Test func `the parameters of every model find their places`() throws {
    func lens(_ model: String, _ parameters: [Double]) throws -> Capture.Frame {
      let fixture = try CaptureFixture()
      try fixture.writeCOLMAP(model: model, parameters: parameters)
      return try #require(fixture.read().scan.capture.frames.first)
    }
    let simple = try lens("SIMPLE_PINHOLE", [50, 33, 22])
    #expect(simple.distortion == .none)
    #expect(simple.intrinsics.focalLength == SIMD2(50, 50))
    #expect(simple.intrinsics.principalPoint == SIMD2(33, 22))
    #expect(
      try lens("RADIAL", [50, 33, 22, 0.1, 0.2]).distortion
        == .radialTangential(
          numerator: SIMD3(0.1, 0.2, 0), denominator: .zero, tangential: .zero))
    #expect(
      try lens("OPENCV", [50, 51, 33, 22, 0.1, 0.2, 0.3, 0.4]).distortion
        == .radialTangential(
          numerator: SIMD3(0.1, 0.2, 0), denominator: .zero, tangential: SIMD2(0.3, 0.4)))
    #expect(
      try lens("FULL_OPENCV", [50, 51, 33, 22, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]).distortion
        == .radialTangential(
          numerator: SIMD3(0.1, 0.2, 0.5), denominator: SIMD3(0.6, 0.7, 0.8),
          tangential: SIMD2(0.3, 0.4)))
    let fisheye = try lens("OPENCV_FISHEYE", [50, 51, 33, 22, 0.1, 0.2, 0.3, 0.4])
    #expect(fisheye.distortion == .fisheye(SIMD4(0.1, 0.2, 0.3, 0.4)))
    #expect(fisheye.intrinsics.focalLength == SIMD2(50, 51))
    #expect(
      try lens("SIMPLE_RADIAL_FISHEYE", [50, 33, 22, 0.1]).distortion
        == .fisheye(SIMD4(0.1, 0, 0, 0)))
    #expect(
      try lens("RADIAL_FISHEYE", [50, 33, 22, 0, 0]).distortion == .fisheye(.zero))
  }

  @Test func `models that can't be read are told, and no frame is left`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeCOLMAP(model: "FOV", parameters: [50, 51, 33, 22, 0.9])
    #expect(throws: CaptureError.self) { try fixture.read() }
  }

  @Test func `a binary model cut off anywhere is an error`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeBinaryCOLMAP()
    for name in ["sparse/0/images.bin", "sparse/0/cameras.bin"] {
      let whole = try FileSystem.contents(of: fixture.path + "/" + name)
      for count in stride(from: 0, to: whole.count, by: 11) {
        try fixture.folder.write(name, Array(whole.prefix(count)))
        #expect(throws: CaptureError.self) { try fixture.read() }
      }
      try fixture.folder.write(name, whole)
    }
  }

  @Test func `an image without camera, picture or rotation is left out`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeCOLMAP()
    let path = fixture.path + "/sparse/0/images.txt"
    var text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    text += "50 1 0 0 0 0 0 0 99 room/frame 0.png\n\n"
    text += "51 1 0 0 0 0 0 0 1 nowhere.png\n\n"
    text += "52 0 0 0 0 0 0 0 1 room/frame 1.png\n\n"
    text += "53 1 0 0 0 nan 0 0 1 room/frame 2.png\n\n"
    try fixture.folder.write("sparse/0/images.txt", text)
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.count == 4)
    #expect(warnings.contains { $0.contains("camera 99") })
    #expect(warnings.contains { $0.contains("image is missing") })
    #expect(warnings.contains { $0.contains("not a rotation") && $0.contains("2 frames") })
  }
}

struct RecorderLayoutTests {
  @Test(arguments: [false, true])
  func `a recording of Stray Scanner is read out of its video`(rowIntrinsics: Bool) throws {
    let fixture = try CaptureFixture()
    try fixture.writeStrayScanner(rowIntrinsics: rowIntrinsics)
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(scan.coordinateSystem == .arkit)
    #expect(scan.capture.frames.map(\.name) == ["000000", "000001", "000002", "000003"])
    #expect(scan.capture.frames[3].timestamp == 1.5)
    #expect(scan.capture.frames.allSatisfy { $0.depth != nil })
    try expectPicturesFit(scan, tolerance: 2)
  }

  @Test func `columns that are not known, or empty, are left alone`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeStrayScanner(rowIntrinsics: true)
    let path = fixture.path + "/odometry.csv"
    let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    var lines = text.split(separator: "\n").map(String.init)
    lines[0] = "note, " + lines[0] + ", distortion_center_x, distortion_center_y"
    for index in 1..<lines.count { lines[index] = "a b, " + lines[index] + ", , " }
    // As the app writes it, without blanks, and with the end of line of Windows.
    lines[2] = lines[2].filter { $0 != " " } + "\r"
    try fixture.folder.write("odometry.csv", lines.joined(separator: "\n"))
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(scan.capture.frames.count == 4)
    try expectPicturesFit(scan, tolerance: 2)
  }

  @Test func `a row without a calibration of its own has the recording's`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeStrayScanner()
    let path = fixture.path + "/odometry.csv"
    let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    var lines = text.split(separator: "\n").map(String.init)
    lines[0] += ", fx, fy, cx, cy"
    for index in 1..<lines.count { lines[index] += ",,,," }
    try fixture.folder.write("odometry.csv", lines.joined(separator: "\n"))
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    try expectPicturesFit(scan, tolerance: 2)
  }

  @Test func `rows of Stray Scanner beyond the video, or that are none, are left out`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeStrayScanner()
    let path = fixture.path + "/odometry.csv"
    let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    var lines = text.split(separator: "\n").map(String.init)
    lines[2] = "1, 2, x"
    try fixture.folder.write("odometry.csv", (lines + [lines[1]]).joined(separator: "\n"))
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.map(\.name) == ["000000", "000002", "000003"])
    #expect(warnings.count == 2)
    #expect(warnings.contains { $0.contains("has no number in the column 'x'") })
  }

  @Test(arguments: [false, true])
  func `a recording of Record3D is read with its depth`(ownIntrinsics: Bool) throws {
    let fixture = try CaptureFixture()
    try fixture.writeRecord3D(ownIntrinsics: ownIntrinsics)
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(scan.coordinateSystem == .arkit)
    #expect(scan.capture.frames.count == 4)
    let depth = try #require(try scan.capture.frames[0].loadDepth())
    #expect(depth.size == SIMD2(32, 24))
    #expect(depth.confidences?.allSatisfy { $0 == 1 } == true)
    try expectPicturesFit(scan, tolerance: 1.2)
  }

  @Test func `Record3D's export as EXR and RGB is read, gaps in its numbers included`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeRecord3DExport()
    try FileSystem.removeFile(fixture.path + "/rgb/1.jpg")
    let (scan, warnings) = try fixture.read()
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.hasSuffix("frame '1': its image is missing; only its depth map is used")
        == true)
    #expect(scan.capture.depthFrames.map(\.name) == ["1"])
    #expect(scan.coordinateSystem == .arkit)
    #expect(scan.capture.frames.map(\.name) == ["0", "2", "3"])
    #expect(try scan.capture.frames[1].loadDepth()?.size == SIMD2(32, 24))
    try expectPicturesFit(scan, tolerance: 1.2)
    #expect(try fixture.read("metadata.json").scan.capture == scan.capture)
  }

  @Test func `a scene of ARKitScenes is read where there are poses`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeARKitScenes()
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(scan.capture.frames.count == 4)
    #expect(scan.capture.frames.allSatisfy { $0.depth != nil })
    try expectPicturesFit(scan)
  }
}
