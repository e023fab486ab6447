import Captures
import Formats
import MeshPipeline
import MeshTestSupport
import MeshpipeKit
import NativeLibraries
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

struct CaptureSurvivalTests {
  /// Puts a pipe that nobody writes to in the place of a file.
  private func putPipe(_ name: String, in fixture: CaptureFixture) throws {
    let path = fixture.path + "/" + name
    try? FileSystem.removeFile(path)
    try FileSystem.createFolder(FileSystem.folder(of: path))
    #expect(unsafe mkfifo(path, 0o600) == 0)
  }

  private func expectRefusal(
    of name: String, _ fixture: CaptureFixture, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try putPipe(name, in: fixture)
    do {
      _ = try fixture.read()
      Issue.record("the pipe '\(name)' was read", sourceLocation: sourceLocation)
    } catch {
      #expect(error.userMessage.contains(name), sourceLocation: sourceLocation)
      #expect(error.userMessage.contains("regular file"), sourceLocation: sourceLocation)
    }
  }

  @Test(
    .neverHangs, arguments: ["frames.jsonl", "manifest.json", "manifest.sha256.json"])
  func `a pipe in the place of a bundle's file is refused`(name: String) throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    try expectRefusal(of: name, fixture)
  }

  @Test(.neverHangs)
  func `a pipe in the place of any other layout's file is refused`() throws {
    let transforms = try CaptureFixture()
    try expectRefusal(of: "transforms.json", transforms)
    let colmap = try CaptureFixture()
    try colmap.writeCOLMAP()
    try FileSystem.removeFile(colmap.path + "/sparse/0/images.txt")
    try expectRefusal(of: "sparse/0/images.txt", colmap)
    let stray = try CaptureFixture()
    try stray.folder.write("odometry.csv", "timestamp,frame,x,y,z,qx,qy,qz,qw\n")
    try expectRefusal(of: "rgb.mp4", stray)
    let record = try CaptureFixture()
    try record.folder.write("rgbd/0.jpg", "")
    try expectRefusal(of: "metadata", record)
  }

  @Test(.neverHangs)
  func `a pipe in the place of one frame's file costs that frame`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeScannerApp()
    try putPipe("frame_00000.json", in: fixture)
    try putPipe("frame_00002.jpg", in: fixture)
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.map(\.name) == ["frame_00004", "frame_00006"])
    #expect(warnings.contains { $0.contains("frame_00000") && $0.contains("regular file") })
  }

  @Test func `a depth map that claims to be giant is left alone`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    let path = "depth/frame_000001.png"
    let bytes = try FileSystem.contents(of: fixture.path + "/" + path)
    try fixture.folder.write(path, BadFrameTests.png(bytes, claiming: 40000, 30000))
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.map { $0.depth == nil } == [false, true, false, false])
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("claims to be 40000 x 30000") == true, "\(warnings)")
  }

  @Test func `rays that are no numbers, or too large for Embree, meet nothing`() throws {
    let tracer = try RayTracer(
      positions: [Vector3(-1, -1, -2), Vector3(1, -1, -2), Vector3(0, 1, -2)], indices: [0, 1, 2])
    for number: Float in [1e18, -1e20, .infinity, .nan] {
      for axis in 0..<3 {
        var (origin, direction) = (SIMD3<Float>.zero, SIMD3<Float>(0, 0, -1))
        origin[axis] = number
        #expect(tracer.firstHit(from: origin, along: SIMD3(0, 0, -1)) == nil)
        #expect(!tracer.isBlocked(from: origin, along: SIMD3(0, 0, -1), near: 0, far: 9))
        direction[axis] = number
        #expect(tracer.firstHit(from: .zero, along: direction) == nil)
        #expect(!tracer.isBlocked(from: .zero, along: direction, near: 0, far: 9))
      }
    }
  }

  @Test(arguments: [
    (".normal", Capture.Tracking.normal), ("TrackingStateNormal", .normal), ("Normal", .normal),
    ("ARTrackingStateNormal", .normal), ("limited(excessiveMotion)", .limited),
    (".limited(.initializing)", .limited), ("limited_relocalizing", .limited),
    ("ARTrackingStateLimited", .limited), ("insufficient_features", .limited),
    ("notAvailable", .unavailable), ("not_available", .unavailable), ("unavailable", .unavailable),
    ("ARTrackingStateNotAvailable", .unavailable),
  ])
  func `tracking states are known in any spelling`(text: String, state: Capture.Tracking) throws {
    let (scan, warnings) = try reading(state: text)
    #expect(warnings == [])
    #expect(scan.capture.frames.map(\.tracking) == [state, state])
  }

  @Test func `unknown tracking states are no verdict, and told of once`() throws {
    let (scan, warnings) = try reading(state: "good")
    #expect(scan.capture.frames.map(\.tracking) == [nil, nil])
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("tracking state") == true)
    #expect(try reading(state: "").warnings == [])
  }

  private func reading(state: String) throws -> (scan: CapturedScan, warnings: [String]) {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    let lines = fixture.cameras[..<2].enumerated().map { index, camera in
      CaptureFixture.record(index, camera).compactText.replacing(
        #""normal""#, with: "\"\(state)\"")
    }
    try fixture.folder.write("frames.jsonl", lines.joined(separator: "\n"))
    return try fixture.read()
  }

  @Test(arguments: [Double.nan, 1e300, -1e300])
  func `a lens that is impossible is named`(value: Double) throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms(extra: [
      .init("camera_model", "OPENCV"), .init("k1", "#"),
    ])
    let path = fixture.path + "/transforms.json"
    let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    try fixture.folder.write(
      "transforms.json",
      text.replacing(##""#""##, with: value.isNaN ? "NaN" : "\(value)"))
    let error = try #require(throws: CaptureError.self) { try fixture.read() }
    #expect(error.message.contains("its lens distortion k1 is \(value)"), "\(error.message)")
  }

  @Test(arguments: ["0", "-0.001", "NaN"])
  func `an impossible scale of depth maps is named`(scale: String) throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms(extra: [.init("integer_depth_scale", "#")])
    try fixture.writeMesh("mesh.obj")
    let path = fixture.path + "/transforms.json"
    let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    try fixture.folder.write("transforms.json", text.replacing(##""#""##, with: scale))
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.allSatisfy { $0.depth == nil })
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("the scale of the depth map is ") == true, "\(warnings)")
  }

  @Test func `depth maps without a depth don't mean that no frame sees the mesh`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    for index in 0..<4 {
      let empty = try PNG.encodeGray16(
        [UInt16](repeating: 0, count: 32 * 24), width: 32, height: 24)
      try fixture.folder.write("depth/frame_00000\(index).png", empty)
    }
    let source = ScanSource(
      path: fixture.path + "/mesh.obj", format: OBJ.self,
      frames: try builtInCaptures.find(fixture.path))
    let context = ReadingContext()
    _ = try source.read(in: context)
    #expect(context.stage.warnings.count == 1)
    #expect(context.stage.warnings.first?.contains("reliably measured") == true)
  }

  @Test func `a scanner capture without pictures says so`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeScannerApp()
    for index in [0, 2, 4, 6] {
      try FileSystem.removeFile(fixture.path + "/frame_0000\(index).jpg")
    }
    let error = try #require(throws: CaptureError.self) { try fixture.read() }
    #expect(error.message.contains("8 frames are left out"), "\(error.message)")
    #expect(error.message.contains("it has no image"))
  }

  @Test func `pictures and poses of other times say so`() throws {
    let fixture = try CaptureFixture()
    try fixture.folder.write("lowres_wide.traj", "10.0 0 0 0 0 0 0\n")
    try fixture.folder.write("wide_intrinsics/1_10.200.pincam", "64 48 50 50 32 24")
    try fixture.writePicture(fixture.cameras[0], to: "wide/1_10.200.png")
    let error = try #require(throws: CaptureError.self) { try fixture.read() }
    #expect(error.message.contains("no pose of lowres_wide.traj is within"), "\(error.message)")
  }
}
