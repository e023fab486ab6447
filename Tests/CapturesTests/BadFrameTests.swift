import Captures
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

struct BadFrameTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The member of the second record that is replaced, and by what.
    var member: String
    var value: String
    var words: String

    init(_ description: String, _ member: String, _ value: String, _ words: String) {
      testDescription = description
      self.member = member
      self.value = value
      self.words = words
    }
  }

  static let faults: [Fault] = [
    Fault("zero focal length", "intrinsics", "[0,0,32,0,50,24,0,0,1]", "focal length is zero"),
    Fault("focal length NaN", "intrinsics", "[NaN,0,32,0,50,24,0,0,1]", "focal length is nan"),
    Fault("negative focal length", "intrinsics", "[50,0,32,0,-50,24,0,0,1]", "length is -50.0"),
    Fault("huge focal length", "intrinsics", "[5e9,0,32,0,50,24,0,0,1]", "length is impossible"),
    Fault("far principal point", "intrinsics", "[50,0,960,0,50,24,0,0,1]", "far outside"),
    Fault("few intrinsics", "intrinsics", "[50,50,32,24]", "4 numbers instead of 9"),
    Fault("no intrinsics", "intrinsics", "null", "no intrinsics"),
    Fault(
      "shearing pose", "camera_in_world_4x4", "[1,0.3,0,0, 0,1,0,1, 0,0,1,0, 0,0,0,1]",
      "not a rigid motion: it scales or shears"),
    Fault(
      "scaling pose", "camera_in_world_4x4", "[2,0,0,0, 0,2,0,1, 0,0,2,0, 0,0,0,1]",
      "not a rigid motion: it scales or shears"),
    Fault(
      "mirroring pose", "camera_in_world_4x4", "[-1,0,0,0, 0,1,0,1, 0,0,1,0, 0,0,0,1]", "it mirrors"
    ),
    Fault(
      "infinite pose", "camera_in_world_4x4", "[1,0,0,Infinity, 0,1,0,1, 0,0,1,0, 0,0,0,1]",
      "non-finite"),
    Fault(
      "camera beyond all rays", "camera_in_world_4x4", "[1,0,0,1e18, 0,1,0,1, 0,0,1,0, 0,0,0,1]",
      "its position is impossible"),
    Fault(
      "projective pose", "camera_in_world_4x4", "[1,0,0,0, 0,1,0,1, 0,0,1,0, 0,0,1,1]",
      "the last row of its pose is not 0 0 0 1"),
    Fault("no pose", "camera_in_world_4x4", "\"x\"", "no camera_in_world_4x4"),
    Fault("no size", "resolution", "[0,0]", "size is 0 x 0"),
    Fault("turned picture", "resolution", "[48,64]", "rotated relative to its intrinsics"),
    Fault("missing picture", "rgb_path", "\"images/none.png\"", "image is missing"),
    Fault("empty picture", "rgb_path", "\"empty.png\"", "image is empty"),
    Fault("cut-off JPEG", "rgb_path", "\"cut.jpg\"", "image is truncated"),
    Fault("cut-off PNG", "rgb_path", "\"cut.png\"", "image is truncated"),
    Fault("giant picture", "rgb_path", "\"giant.png\"", "claims to be 64000 x 48000"),
    Fault("endless picture", "rgb_path", "\"endless.png\"", "claims to be 4294967295 x 4294967295"),
    Fault(
      "no picture", "rgb_path", "\"frames.jsonl\"", "is not one of JPEG, PNG, WebP, HEIC and AVIF"),
    Fault(
      "picture elsewhere", "rgb_path", "\"../../../../../../../../etc/passwd\"",
      "outside the capture"),
  ]

  @Test(arguments: faults)
  func `a bad frame is left out, and the warning names it and its field`(fault: Fault) throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    try fixture.folder.write("empty.png", "")
    let picture = fixture.cameras[1].picture
    try fixture.folder.write("cut.jpg", JPEG.encode(picture, quality: 90).dropLast(9))
    try fixture.folder.write("cut.png", PNG.encode(picture).dropLast(9))
    try fixture.folder.write("giant.png", Self.png(PNG.encode(picture), claiming: 64000, 48000))
    let most = Int(UInt32.max)
    try fixture.folder.write("endless.png", Self.png(PNG.encode(picture), claiming: most, most))
    try replace(fault.member, by: fault.value, ofFrame: 1, in: fixture)
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.map(\.name) == ["frame_000000", "frame_000002", "frame_000003"])
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("frame 'frame_000001' is left out: ") == true)
    #expect(warnings.first?.contains(fault.words) == true, "\(warnings)")
  }

  /// A PNG whose header says another size.
  static func png(_ bytes: [UInt8], claiming width: Int, _ height: Int) -> [UInt8] {
    let size = [width, height].flatMap { number in
      (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
    return bytes[..<16] + size + bytes[24...]
  }

  /// Writes the records anew with another text for a member of one of them.
  private func replace(
    _ member: String, by text: String, ofFrame number: Int, in fixture: CaptureFixture
  ) throws {
    var lines: [String] = []
    for (index, camera) in fixture.cameras.enumerated() {
      let record = CaptureFixture.record(index, camera)
      guard index == number, case .object(let members) = record.content else {
        lines.append(record.compactText)
        continue
      }
      let kept = members.filter { $0.key != member }.map { "\"\($0.key)\":\($0.value.compactText)" }
      lines.append("{" + (kept + ["\"\(member)\":\(text)"]).joined(separator: ",") + "}")
    }
    try fixture.folder.write("frames.jsonl", lines.joined(separator: "\n"))
  }

  @Test func `a line that is not JSON is named with its column`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    let text = try String(
      decoding: FileSystem.contents(of: fixture.path + "/frames.jsonl"), as: UTF8.self)
    try fixture.folder.write("frames.jsonl", text.dropLast(40) + "\n")
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.count == 3)
    #expect(warnings.first?.contains("frame 'frames.jsonl:4:") == true, "\(warnings)")
  }

  @Test func `no number in a file stops the reader`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle(manifest: #"{ "video": { "fps": 1e-300, "width": 1e300 } }"#)
    let picture = fixture.cameras[0].picture
    let pictures = [Image](repeating: picture, count: 4)
    try fixture.folder.write("video.mov", MotionJPEG.avi(of: pictures))
    try FileSystem.removeFolder(fixture.path + "/images")
    let values = [
      "-1", "1e300", "-1e300", "NaN", "Infinity", "9007199254740993", "null", "[]", "true",
      "[1e300, 1e300]", "[-1, 5]", "[[[[1]]]]", #"{ "duration": NaN }"#,
    ]
    for member in ["frame_idx", "timestamp", "resolution", "intrinsics", "exposure", "depth_path"] {
      for value in values {
        try replace(member, by: value, ofFrame: 1, in: fixture)
        let scan = try fixture.read().scan
        #expect(scan.capture.frames.count >= 3, "\(member): \(value)")
        for frame in scan.capture.frames {
          guard case .video(_, let index) = frame.image else { continue }
          #expect(index >= 0, "\(member): \(value)")
        }
        let summary = CaptureSummary(scan.capture, layout: "", folder: "", metersPerUnit: 1)
        #expect(!summary.json.compactText.isEmpty)
      }
    }
  }

  @Test func `a broken file of all frames is an error with line and column`() throws {
    let fixture = try CaptureFixture()
    try fixture.folder.write("transforms.json", "{\n  \"frames\": [\n    {]\n")
    let error = try #require(throws: CaptureError.self) { try fixture.read() }
    #expect(error.message.hasPrefix(fixture.path + "/transforms.json:3:6: "))
    #expect(error.exitCode == .data)
  }

  @Test func `frames with the same fault are told of in one warning`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    for index in 0..<3 {
      try FileSystem.removeFile(fixture.path + "/images/\(index).png")
    }
    #expect(
      try fixture.read().warnings == [
        "\(fixture.path): 3 frames are left out ('0', '1', '2'): its image is missing, and no image in the capture has its name "
          + "(the first: 'images/0.png')"
      ])
    try FileSystem.removeFile(fixture.path + "/images/3.png")
    let error = try #require(throws: CaptureError.self) { try fixture.read() }
    #expect(error.exitCode == .data)
    #expect(error.message.contains("no usable frame; 4 frames are left out"))
  }

  @Test func `rounding in a pose is taken out`() throws {
    var fixture = try CaptureFixture()
    fixture.cameras[1].pose.x *= 1.004
    fixture.cameras[1].pose.y += fixture.cameras[1].pose.x * 0.003
    try fixture.writeFramesBundle()
    let pose = try fixture.read().scan.capture.frames[1].pose
    #expect(abs(pose.determinant - 1) < 1e-12)
    #expect(abs((pose.x * pose.y).sum()) < 1e-12)
    #expect(abs((pose.x * pose.x).sum() - 1) < 1e-12)
  }

  @Test func `intrinsics are for the size of the picture, whatever size they came for`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    var lines = ""
    for (index, camera) in fixture.cameras.enumerated() {
      // The same camera at thirty times the size, with its half pixel.
      var large = camera
      large.size = camera.size &* 30
      large.focalLength *= 30
      large.principalPoint *= 30
      lines += CaptureFixture.record(index, large).compactText + "\n"
    }
    try fixture.folder.write("frames.jsonl", lines)
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    try expectPicturesFit(scan)
  }

  @Test func `a picture of another shape is told of, and taken as squeezed`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    var wide = fixture.cameras[2]
    wide.size.x *= 2
    wide.focalLength.x *= 2
    wide.principalPoint.x *= 2
    try replace("resolution", by: "[128,48]", ofFrame: 2, in: fixture)
    try replace(
      "intrinsics", by: JSONValue.rows(CaptureFixture.intrinsics(wide, origin: 0)).compactText,
      ofFrame: 2, in: fixture)
    _ = try fixture.read()
    let record = CaptureFixture.record(2, wide).compactText
    try fixture.folder.write("frames.jsonl", record)
    let (scan, warnings) = try fixture.read()
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("another aspect ratio") == true)
    try expectPicturesFit(scan)
  }

  @Test func `a depth map that is missing is told of, and its frame used`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    try FileSystem.removeFile(fixture.path + "/depth/frame_000002.png")
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.map { $0.depth == nil } == [false, false, true, false])
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("frame 'frame_000002': the depth map is missing") == true)
  }

  @Test func `confidences that a frame names and that are missing are told of`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    try replace("confidence_path", by: "\"confidence/none.png\"", ofFrame: 2, in: fixture)
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames[2].depth != nil)
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("'frame_000002': the confidences are missing") == true)
  }

  @Test(arguments: [
    (#""world": { "up": "up" }"#, "world.up is not one of x, y, z"),
    (#""world": { "unit": "furlong" }"#, "world.unit is not one of metre, centimetre"),
    (#""depth": { "unit": "inch" }"#, "depth.unit is not one of metre, centimetre"),
    (#""world": { "up": "+y", "unit": "Meters" }, "depth": { "unit": "mm" }"#, nil),
  ])
  func `words of a manifest that nobody knows are told of`(
    members: String, warning: String?
  ) throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle(manifest: "{ \(members) }")
    let (scan, warnings) = try fixture.read()
    #expect(warnings.count == (warning == nil ? 0 : 1), "\(warnings)")
    if let warning { #expect(warnings.first?.contains(warning) == true) }
    try expectPicturesFit(scan)
  }

  @Test func `a depth map outside the capture is not opened, and its frame used`() throws {
    let (fixture, elsewhere) = (try CaptureFixture(), try TemporaryFolder())
    try fixture.writeFramesBundle()
    let depths = try PNG.encodeGray16(fixture.cameras[1].depths(), width: 32, height: 24)
    let path = try elsewhere.write("depth.png", depths)
    try replace("depth_path", by: "\"\(path)\"", ofFrame: 1, in: fixture)
    var (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.map { $0.depth == nil } == [false, true, false, false])
    #expect(warnings.count == 1)
    #expect(warnings[0].contains("'frame_000001': the depth map is outside the capture's folder"))
    try replace("confidence_path", by: "\"\(path)\"", ofFrame: 2, in: fixture)
    (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames[2].depth != nil)
    #expect(warnings.count == 1 && warnings[0].contains("the confidences are outside"))
  }

  @Test func `a depth map that can't be the frame's is told of, and left alone`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    let depths = fixture.cameras[0].depths(SIMD2(24, 24))
    let square = try PNG.encodeGray16(depths, width: 24, height: 24)
    try fixture.folder.write("depth/frame_000000.png", square)
    try fixture.folder.write("depth/frame_000001.png", square.dropLast(20))
    try fixture.writePicture(fixture.cameras[2], to: "depth/frame_000002.png")
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.map { $0.depth == nil } == [true, true, true, false])
    #expect(warnings.count == 2)
    #expect(warnings.contains { $0.contains("is 24 x 24, which has another aspect ratio") })
    #expect(
      warnings.contains { $0.contains("2 frames ('frame_000001', 'frame_000002'): the depth") })
  }

  @Test func `the pictures of the tests tell half a pixel`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle(origin: 0.5)
    let scan = try fixture.read().scan
    withKnownIssue { try expectPicturesFit(scan) }
  }

  @Test func `turns in EXIF are ignored, for cameras refer to stored pixels`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeScannerApp()
    // Orientation 6: to be shown turned by a quarter.
    let exif: [UInt8] =
      [0xFF, 0xE1, 0x00, 0x22] + Array("Exif\0\0MM\0*".utf8) + [
        0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
      ]
    for index in [0, 2, 4, 6] {
      let name = "frame_0000\(index).jpg"
      let bytes = try FileSystem.contents(of: fixture.path + "/" + name)
      try fixture.folder.write(name, bytes[..<2] + exif + bytes[2...])
    }
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    try expectPicturesFit(scan, tolerance: 1.2)
  }

  @Test func `a JPEG with something behind its end is whole`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeScannerApp()
    let bytes = try FileSystem.contents(of: fixture.path + "/frame_00002.jpg")
    try fixture.folder.write("frame_00002.jpg", bytes + [UInt8](repeating: 0, count: 1000))
    #expect(try fixture.read().scan.capture.frames.count == 4)
  }
}
