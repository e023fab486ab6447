import Captures
import Formats
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// Captures that are written as a bundle, and bundles that are read and written again.
struct BundleRoundTripTests {
  /// Reads the scan of a folder: mesh, if there is one, and frames.
  static func scene(_ path: String) throws -> Scene {
    let found = try CaptureReader.ofLayouts.find(path)
    let mesh = found.meshPath
    let formats = FormatRegistry(builtInFormats)
    return try ScanSource(
      path: mesh ?? path, format: mesh.flatMap { formats.reader(forPath: $0) }, frames: found
    ).read(in: ReadingContext())
  }

  @discardableResult
  static func write(
    _ scene: Scene, to folder: String, options: [String: JSONValue] = [:]
  ) throws -> [String] {
    try FrameRoundTripTests.write(
      scene, CaptureBundle.self, "frames.jsonl", to: folder, options: options)
  }

  static func names(_ folder: String) throws -> Set<String> {
    Set(try FileSystem.deepNames(inFolder: folder))
  }

  static func text(_ path: String) throws -> String {
    String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
  }

  static func expectIntact(_ folder: String) throws {
    let json = try #require(
      JSONReader.read(try FileSystem.contents(of: folder + "/manifest.sha256.json")).value)
    let hashes = try #require(FileHashes(manifest: json) { folder + "/" + $0 })
    #expect(hashes.faults().allSatisfy { $0 == nil })
    #expect(
      Set(hashes.entries.map(\.name)) == (try names(folder)).subtracting(["manifest.sha256.json"]))
  }

  static func expectSameFiles(_ folder: String, _ other: String) throws {
    #expect(try names(folder) == names(other))
    for name in try names(folder) {
      #expect(
        try FileSystem.contents(of: folder + "/" + name)
          == FileSystem.contents(of: other + "/" + name), "\(name)")
    }
  }

  /// A bundle with all that meshpipe does not know.
  static func wholeBundle() throws -> CaptureFixture {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    let lines = try text(fixture.path + "/frames.jsonl").split(separator: "\n")
    let extended = lines.enumerated().map { index, line in
      #"{"device_ns": 1700000000123456789, "quality": {"blur": 0.1250, "ok": true}, "#
        + line.dropFirst(2)
        .replacing(
          #""depth_path""#,
          with: #""confidence_path": "confidence/c\#(index).png", "depth_path""#)
    }
    try fixture.folder.write("frames.jsonl", extended.joined(separator: "\n") + "\n")
    for index in lines.indices {
      try fixture.folder.write(
        "confidence/c\(index).png",
        PNG.encodeGray8(Array(repeating: UInt8(index % 3), count: 32 * 24), width: 32, height: 24))
    }
    try fixture.folder.write(
      "manifest.json",
      """
      {
       "device": "phone", "frame_count": 4, "qc": {"brightness": [0.50, 1e2]},
       "locks": {"exposure": true, "white_balance": false}, "focus_locked": true,
       "sensors": {"imu": "sensors/imu.csv"}, "audio": "audio.wav",
       "mesh": {"obj": "mesh.obj"}
      }
      """)
    try fixture.folder.write("sensors/imu.csv", "t,ax\n0,1\n")
    try fixture.folder.write("audio.wav", "RIFF")
    try fixture.folder.write("gps.jsonl", "{}\n")
    try fixture.folder.write("refs/a.txt", "a")
    try fixture.folder.write("notes-of-mine.txt", "private")
    return fixture
  }

  @Test func `a bundle arrives whole`() throws {
    let fixture = try Self.wholeBundle()
    let capture = try #require(try Self.scene(fixture.path).capture)
    let origin = try #require(capture.origin)
    #expect(origin.attachments == ["audio.wav", "gps.jsonl", "refs/a.txt", "sensors/imu.csv"])
    #expect(origin.meshFiles == ["mesh.obj"])
    #expect(origin.frameCount == 4)
    #expect(origin.locks.exposure == true)
    #expect(origin.locks.focus == true)
    #expect(origin.locks.whiteBalance == false)
    #expect(origin.manifest?.contains(#""brightness": [0.50, 1e2]"#) == true)
    #expect(capture.frames[1].record?.contains("1700000000123456789") == true)
  }

  @Test func `what was not changed has the same bytes`() throws {
    let fixture = try Self.wholeBundle()
    let folder = try TemporaryFolder()
    try Self.write(Self.scene(fixture.path), to: folder.path)
    let names = try Self.names(folder.path)
    for name in try Self.names(fixture.path) where name != "notes-of-mine.txt" {
      #expect(names.contains(name), "\(name)")
      #expect(
        try FileSystem.contents(of: fixture.path + "/" + name)
          == FileSystem.contents(of: folder.path + "/" + name), "\(name)")
    }
    #expect(!names.contains("notes-of-mine.txt"))
    #expect(names.isSuperset(of: ["README.md", "manifest.sha256.json"]))
    try Self.expectIntact(folder.path)
    // And it is read as the first one was.
    let (one, other) = (try Self.scene(fixture.path), try Self.scene(folder.path))
    #expect(one.meshes.map(\.positions) == other.meshes.map(\.positions))
    #expect(one.capture?.frames.map(\.pose) == other.capture?.frames.map(\.pose))
    #expect(one.capture?.frames.map(\.intrinsics) == other.capture?.frames.map(\.intrinsics))
    #expect(one.capture?.frames.map(\.exposure) == other.capture?.frames.map(\.exposure))
    #expect(one.capture?.frames.map(\.timestamp) == other.capture?.frames.map(\.timestamp))
    #expect(one.capture?.frames.map(\.tracking) == other.capture?.frames.map(\.tracking))
    #expect(one.capture?.origin?.locks == other.capture?.origin?.locks)
    for (a, b) in zip(one.capture?.frames ?? [], other.capture?.frames ?? []) {
      #expect(try a.loadDepth() == b.loadDepth())
    }
  }

  @Test func `frames that were removed are missing, and changed poses are in their lines`() throws {
    let fixture = try Self.wholeBundle()
    var scene = try Self.scene(fixture.path)
    scene.capture?.frames.remove(at: 1)
    scene.capture?.frames[1].pose.translation.x += 0.25
    scene.meshes[0].positions[0].x += 1
    let folder = try TemporaryFolder()
    try Self.write(scene, to: folder.path)
    let names = try Self.names(folder.path)
    #expect(!names.contains { $0.contains("000001") || $0.contains("c1.png") })
    #expect(names.contains("mesh.ply") && !names.contains("mesh.obj"))
    let before = try Self.text(fixture.path + "/frames.jsonl").split(separator: "\n")
    let after = try Self.text(folder.path + "/frames.jsonl").split(separator: "\n")
    #expect(after.count == 3 && after[0] == before[0] && after[2] == before[3])
    #expect(after[1] != before[2] && after[1].contains(#"{"blur": 0.1250, "ok": true}"#))
    let manifest = try Self.text(folder.path + "/manifest.json")
    #expect(manifest.contains(#""frame_count": 3, "qc": {"brightness": [0.50, 1e2]}"#))
    #expect(manifest.contains("mesh.ply") && !manifest.contains("mesh.obj"))
    let back = try Self.scene(folder.path)
    for (one, other) in zip(scene.capture?.frames ?? [], back.capture?.frames ?? []) {
      FrameRoundTripTests.expectSame(one, other, "\(one.name)")
      #expect(one.name == other.name)
    }
    #expect(back.meshes[0].positions == scene.meshes[0].positions)
    try Self.expectIntact(folder.path)
  }

  @Test func `masks of images with one name in several folders stay, however often written`() throws
  {
    let fixture = try CaptureFixture()
    let images = ["images/left/a.png", "images/left/front/a.png", "images/a.png", "rgb/a.png"]
    var lines = ""
    for (index, camera) in fixture.cameras.enumerated() {
      lines += CaptureFixture.record(index, camera, picture: images[index]).compactText + "\n"
      try fixture.writePicture(camera, to: images[index])
      try fixture.writeDepth(camera, to: "depth/frame_00000\(index).png")
      // Each hides another row.
      let mask = (0..<64 * 48).map { $0 / 64 == 10 * index ? UInt8(0) : 255 }
      try fixture.folder.write(
        "\(FileSystem.folder(of: images[index]))/a_mask.png",
        PNG.encodeGray8(mask, width: 64, height: 48))
    }
    try fixture.folder.write("frames.jsonl", lines)
    let (folder, again) = (try TemporaryFolder(), try TemporaryFolder())
    try Self.write(Self.scene(fixture.path), to: folder.path)
    #expect(
      try Self.names(folder.path).isSuperset(of: [
        "masks/left/a.png.png", "masks/left/front/a.png.png", "masks/a.png.png",
        "masks/rgb/a.png.png",
      ]))
    let written = try Self.scene(folder.path)
    let frames = try #require(written.capture?.frames)
    let rows = try frames.map { try $0.loadMask()?.hidden.firstIndex(of: true).map { $0 / 64 } }
    #expect(rows == [0, 10, 20, 30])
    try Self.write(written, to: again.path)
    #expect(try Self.names(folder.path) == Self.names(again.path))
  }

  @Test func `a bundle in other conventions keeps them`() throws {
    let fixture = try CaptureFixture()
    let manifest =
      #"{ "pixel_origin": "(0.5, 0.5)", "camera_axes": "opencv", "depth": {"unit": "mm"}, "#
      + #""world": { "up": "z", "unit": "cm" } }"#
    try fixture.writeFramesBundle(origin: 0.5, manifest: manifest)
    var scene = try Self.scene(fixture.path)
    scene.capture?.frames[2].pose.translation.y += 0.5
    scene.capture?.frames[2].intrinsics.focalLength *= 1.125
    let folder = try TemporaryFolder()
    try Self.write(scene, to: folder.path)
    #expect(try Self.text(folder.path + "/manifest.json") == manifest)
    let before = try Self.text(fixture.path + "/frames.jsonl").split(separator: "\n")
    let after = try Self.text(folder.path + "/frames.jsonl").split(separator: "\n")
    #expect(zip(before, after).map { $0 == $1 } == [true, true, false, true])
    let back = try Self.scene(folder.path)
    for (one, other) in zip(scene.capture?.frames ?? [], back.capture?.frames ?? []) {
      FrameRoundTripTests.expectSame(one, other, "\(one.name)")
    }
  }

  @Test func `other layouts become bundles with their depth maps, with and without an image`()
    throws
  {
    let fixture = try CaptureFixture()
    try fixture.writeScannerApp()
    let scene = try Self.scene(fixture.path)
    let folder = try TemporaryFolder()
    #expect(try Self.write(scene, to: folder.path) == [])
    let back = try Self.scene(folder.path)
    #expect(back.capture?.frames.count == scene.capture?.frames.count)
    #expect(back.capture?.depthFrames.count == scene.capture?.depthFrames.count)
    #expect(back.meshes.map(\.positions) == scene.meshes.map(\.positions))
    for (one, other) in zip(
      scene.capture?.allDepthFrames ?? [], back.capture?.allDepthFrames ?? [])
    {
      #expect(try one.depth.load() == other.depth.load())
      #expect(one.timestamp == other.timestamp)
      #expect((one.pose.translation - other.pose.translation).length < 1e-9)
    }
    for (one, other) in zip(scene.capture?.frames ?? [], back.capture?.frames ?? []) {
      #expect(
        try FileSystem.contents(of: one.image.path) == FileSystem.contents(of: other.image.path))
    }
    try Self.expectIntact(folder.path)
    // From here on nothing changes.
    let again = try TemporaryFolder()
    try Self.write(back, to: again.path)
    try Self.expectSameFiles(folder.path, again.path)
  }

  @Test func `a video stays if all its frames do, and becomes images otherwise`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    try FileSystem.removeFolder(fixture.path + "/images")
    try fixture.folder.write(
      "video.mov", MotionJPEG.avi(of: fixture.cameras.map(\.picture), quality: 100))
    var scene = try Self.scene(fixture.path)
    let folder = try TemporaryFolder()
    try Self.write(scene, to: folder.path + "/all")
    #expect(
      try FileSystem.contents(of: folder.path + "/all/video.mov")
        == FileSystem.contents(of: fixture.path + "/video.mov"))
    #expect(
      try Self.text(folder.path + "/all/frames.jsonl")
        == Self.text(fixture.path + "/frames.jsonl"))
    try Self.write(scene, to: folder.path + "/images", options: ["pictures": "images"])
    try expectPicturesFit(
      CapturedScan(capture: #require(Self.scene(folder.path + "/images").capture)), tolerance: 3)
    scene.capture?.frames.remove(at: 0)
    try Self.write(scene, to: folder.path + "/less")
    for name in ["images", "less"] {
      let names = try Self.names(folder.path + "/" + name)
      #expect(!names.contains("video.mov"))
      #expect(names.contains("images/frame_000003.jpg"))
      #expect(names.contains("images/frame_000000.jpg") == (name == "images"))
    }
    let back = try #require(try Self.scene(folder.path + "/less").capture)
    #expect(back.frames.map(\.name) == scene.capture?.frames.map(\.name))
    try expectPicturesFit(CapturedScan(capture: back), tolerance: 3)
  }

  @Test func `names that lead out of the folder, or that files of the bundle have, are replaced`()
    throws
  {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    let folder = try TemporaryFolder()
    var scene = try Self.scene(fixture.path)
    for (index, name) in ["../up.png", "/abs.png", "manifest.json", "a/./b.png"].enumerated() {
      let record = scene.capture?.frames[index].record
      scene.capture?.frames[index].record = record?
        .replacing(#""tracking_state""#, with: #""rgb_path": "\#(name)", "tracking_state""#)
    }
    try Self.write(scene, to: folder.path)
    let back = try #require(try Self.scene(folder.path).capture)
    #expect(back.frames.count == 4)
    try expectPicturesFit(CapturedScan(capture: back))
  }
}
