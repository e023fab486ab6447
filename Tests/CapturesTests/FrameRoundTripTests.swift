import Captures
import Formats
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// Cameras that go on to trainers of radiance fields and splats.
struct FrameRoundTripTests {
  static let formats: [(format: any WritableFormat.Type, file: String)] = [
    (TransformsJSON.self, "transforms.json"), (COLMAPModel.self, "images.txt"),
    (FramesJSONL.self, "frames.jsonl"),
  ]

  /// A scene with the frames of a bundle in a folder of its own.
  static func scene(_ fixture: CaptureFixture) throws -> Scene {
    try fixture.writeFramesBundle()
    return Scene(capture: try fixture.read().scan.capture)
  }

  @discardableResult
  static func write(
    _ scene: Scene, _ format: any WritableFormat.Type, _ file: String, to folder: String,
    options: [String: JSONValue] = [:]
  ) throws -> [String] {
    try FileSystem.createFolder(folder)
    let context = WritingContext(options: options)
    try format.write(scene, to: OutputSet(folder: folder, mainFileName: file), in: context)
    return context.stage.warnings
  }

  static func read(_ path: String) throws -> CapturedScan {
    let context = CaptureReadingContext(ReadingContext(allowsExternalFiles: true))
    return try CaptureReader.ofLayouts.find(path).read(in: context)
  }

  static func expectSame(_ a: Capture.Frame, _ b: Capture.Frame, _ comment: Comment) {
    #expect(a.imageSize == b.imageSize, comment)
    #expect(a.distortion == b.distortion, comment)
    let lens = a.intrinsics.focalLength - b.intrinsics.focalLength
    let center = a.intrinsics.principalPoint - b.intrinsics.principalPoint
    #expect((lens * lens + center * center).sum() < 1e-18, comment)
    let columns = [
      a.pose.x - b.pose.x, a.pose.y - b.pose.y, a.pose.z - b.pose.z,
      a.pose.translation - b.pose.translation,
    ]
    #expect(columns.allSatisfy { $0.length < 1e-12 }, comment)
  }

  @Test(arguments: formats.indices)
  func `cameras are read back as they were, with pictures where they are`(index: Int) throws {
    let (format, file) = Self.formats[index]
    let fixture = try CaptureFixture()
    let scene = try Self.scene(fixture)
    let frames = try #require(scene.capture?.frames)
    let folder = fixture.path + "/models/a"
    #expect(try Self.write(scene, format, file, to: folder) == [])
    let back = try Self.read(folder + "/" + file)
    #expect(back.capture.frames.count == frames.count)
    for (frame, read) in zip(frames, back.capture.frames) {
      Self.expectSame(frame, read, Comment("\(file) \(frame.name)"))
    }
    try expectPicturesFit(back)
  }

  @Test func `a bundle is read back without leave to look outside its folder`() throws {
    let fixture = try CaptureFixture()
    let scene = try Self.scene(fixture)
    let folder = fixture.path + "/models/b"
    try Self.write(scene, FramesJSONL.self, "frames.jsonl", to: folder)
    let back = try CaptureReader.ofLayouts.find(folder)
      .read(in: CaptureReadingContext(ReadingContext()))
    #expect(back.capture.frames.count == scene.capture?.frames.count)
    // Beside its pictures nothing is copied.
    try Self.write(scene, FramesJSONL.self, "again.jsonl", to: fixture.path)
    let names = try FileSystem.names(inFolder: fixture.path)
    #expect(!names.contains { $0.hasPrefix("again_") && $0.hasSuffix(".png") }, "\(names)")
  }

  @Test(arguments: formats.indices)
  func `pictures of a video come to lie beside the file, others when they are to`(
    index: Int
  ) throws {
    let (format, file) = Self.formats[index]
    let fixture = try CaptureFixture()
    var scene = try Self.scene(fixture)
    let video = try fixture.folder.write(
      "video.avi", MotionJPEG.avi(of: fixture.cameras.map(\.picture), quality: 100))
    scene.capture?.frames[0].image = .video(video, index: 0)
    scene.capture?.frames[2].image = .video(video, index: 2)
    let folder = fixture.path + "/copies"
    try Self.write(scene, format, file, to: folder, options: ["images": "copy"])
    // Nothing in the folder leads out of it.
    let back = try CaptureReader.ofLayouts.find(
      folder + "/" + file
    )
    .read(in: CaptureReadingContext { _ in })
    #expect(back.capture.frames.count == 4)
    try expectPicturesFit(back, tolerance: 2)
  }

  /// Metres as Record3D has them and confidences as Polycam has them, one frame each.
  @Test(arguments: [0, 2])
  func `depth maps are brought into the form of the file`(index: Int) throws {
    let (format, file) = Self.formats[index]
    let fixture = try CaptureFixture()
    var scene = try Self.scene(fixture)
    let confidences: [UInt8] = [0, 128, 255, 255] + Array(repeating: 0, count: 8)
    let meters: [Float] = [1.5, 0, 2.25, 0.001, 6.5, 70] + Array(repeating: 3, count: 6)
    let high = try fixture.folder.write(
      "high.png", PNG.encodeGray8(confidences, width: 4, height: 3))
    let raw = try fixture.folder.write(
      "raw.depth",
      meters.flatMap { value in (0..<4).map { UInt8(value.bitPattern >> (8 * $0) & 255) } })
    let fine = try fixture.folder.write(
      "fine.png", PNG.encodeGray16(Array(10...21), width: 4, height: 3))
    scene.capture?.frames[0].depth = .init(
      path: raw, encoding: .float32(width: 4, height: 3),
      confidence: .init(path: high, highest: 255))
    scene.capture?.frames[1].depth = .init(path: fine, encoding: .png16(metersPerUnit: 0.0001))
    scene.capture?.frames[2].depth = nil
    scene.capture?.frames[3].depth = .init(path: fine, encoding: .png16(metersPerUnit: 0.001))
    let folder = fixture.path + "/depths"
    try Self.write(scene, format, file, to: folder)
    let back = try Self.read(folder + "/" + file).capture.frames
    let first = try #require(try back[0].loadDepth())
    let expected = meters.map { $0 == 70 ? 0 : $0 }
    #expect(zip(first.meters, expected).allSatisfy { abs($0 - $1) < 1e-6 })
    // Its scale is the one that the file of transforms has; frames.jsonl has millimetres.
    let second = try #require(try back[1].loadDepth())
    #expect(zip(second.meters, 10...).allSatisfy { abs($0 - Float($1) / 10_000) < 5.1e-4 })
    #expect(back[2].depth == nil)
    let last = try #require(try back[3].loadDepth())
    #expect(zip(last.meters, 10...).allSatisfy { abs($0 - Float($1) / 1000) < 1e-6 })
    if file == "frames.jsonl" { #expect(first.confidences?.prefix(5) == [0, 1, 2, 2, 0]) }
  }

  @Test func `a COLMAP model brings no depth maps that nothing names`() throws {
    let fixture = try CaptureFixture()
    let scene = try Self.scene(fixture)
    let folder = fixture.path + "/model"
    try Self.write(scene, COLMAPModel.self, "images.txt", to: folder, options: ["images": "copy"])
    #expect(try FileSystem.names(inFolder: folder).filter { $0.contains("depth") } == [])
  }

  @Test func `transforms are as nerfstudio reads them`() throws {
    let fixture = try CaptureFixture()
    try Self.write(Self.scene(fixture), TransformsJSON.self, "transforms.json", to: fixture.path)
    let bytes = try FileSystem.contents(of: fixture.path + "/transforms.json")
    let json = try #require(JSONReader.read(bytes).value)
    let frame = try #require(json["frames"]?.elements.first)
    #expect(frame["file_path"]?.text == "images/frame_000000.png")
    func number(_ key: String) throws -> Double { try #require(frame[key]?.number) }
    // Cameras.generate_rays: ((x + 0.5 − cx) / fx, −(y + 0.5 − cy) / fy, −1) turned by the matrix.
    let rows = try #require(frame["transform_matrix"]?.elements).map {
      $0.elements.compactMap(\.number)
    }
    let picture = fixture.cameras[0].picture
    for (x, y) in [(3, 5), (40, 30), (60, 44)] {
      let d = [
        (Double(x) + 0.5 - (try number("cx"))) / (try number("fl_x")),
        -(Double(y) + 0.5 - (try number("cy"))) / (try number("fl_y")), -1,
      ]
      let ray = (0..<3).map { rows[$0][0] * d[0] + rows[$0][1] * d[1] + rows[$0][2] * d[2] }
      let hit = BoxRoom.hit(
        from: SIMD3(rows[0][3], rows[1][3], rows[2][3]), along: SIMD3(ray[0], ray[1], ray[2]))
      let expected = BoxRoom.color(of: hit.point)
      for channel in 0..<3 {
        let color = Double(picture.pixels[3 * (y * picture.width + x) + channel])
        #expect(abs(color - expected[channel]) <= 0.51)
      }
    }
  }

  @Test func `a COLMAP model projects points as COLMAP does, and brings vertices`() throws {
    let fixture = try CaptureFixture()
    var scene = try Self.scene(fixture)
    scene.meshes = [MeshFixtures.sphere()]
    let folder = fixture.path + "/sparse/0"
    try Self.write(scene, COLMAPModel.self, "images.txt", to: folder, options: ["points": 5])
    func lines(_ name: String) throws -> [[String]] {
      let text = String(decoding: try FileSystem.contents(of: folder + "/" + name), as: UTF8.self)
      return text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        .map { $0.split(separator: " ").map(String.init) }
    }
    #expect(try lines("cameras.txt").count == 1)
    let points = try lines("points3D.txt")
    #expect((1...5).contains(points.count) && points.allSatisfy { $0.count == 8 })
    let camera = try #require(try lines("cameras.txt").first).dropFirst(4).compactMap(Double.init)
    for (image, frame) in zip(try lines("images.txt"), try #require(scene.capture).frames) {
      let n = image.compactMap(Double.init)
      let (w, v) = (n[1], SIMD3(n[2], n[3], n[4]))
      let point = SIMD3(0.4, 0.7, -0.9)
      let turned = point + 2 * v.cross(v.cross(point) + w * point)
      let local = turned + SIMD3(n[5], n[6], n[7])
      let pixel = SIMD2(
        camera[0] * local.x / local.z + camera[2], camera[1] * local.y / local.z + camera[3])
      guard let expected = Camera(frame).project(SIMD3<Float>(point)) else {
        #expect(local.z <= 1e-6)
        continue
      }
      #expect(abs(pixel.x - Double(expected.x)) < 1e-2)
      #expect(abs(pixel.y - Double(expected.y)) < 1e-2)
    }
  }

  @Test(arguments: [
    Capture.Distortion.none, .fisheye(SIMD4(0.1, -0.02, 0.003, -0.0004)),
    .radialTangential(
      numerator: SIMD3(0.1, 0.2, 0), denominator: .zero, tangential: SIMD2(0.01, -0.02)),
    .radialTangential(
      numerator: SIMD3(0.1, 0.2, 0.3), denominator: SIMD3(0.4, 0.5, 0.6),
      tangential: SIMD2(0.01, -0.02)),
  ])
  func `lenses are kept`(distortion: Capture.Distortion) throws {
    let fixture = try CaptureFixture()
    var scene = try Self.scene(fixture)
    for index in 0..<4 { scene.capture?.frames[index].distortion = distortion }
    for (format, file) in Self.formats {
      let folder = fixture.path + "/lenses"
      let warnings = try Self.write(scene, format, file, to: folder)
      let back = try Self.read(folder + "/" + file)
      #expect(warnings == [])
      #expect(back.capture.frames.allSatisfy { $0.distortion == distortion })
    }
  }

  @Test func `what is no set of cameras is an error`() throws {
    let fixture = try CaptureFixture()
    var scene = try Self.scene(fixture)
    scene.coordinateSystem.handedness = .left
    for (format, file) in Self.formats {
      #expect(throws: (any Error).self) {
        try Self.write(Scene(), format, file, to: fixture.path + "/none")
      }
      #expect(throws: (any Error).self) {
        try Self.write(scene, format, file, to: fixture.path + "/left")
      }
    }
  }
}
