import Captures
import Formats
import MeshPipeline
import MeshTestSupport
import MeshpipeKit
import Testing

struct CaptureReaderTests {
  private let reader = CaptureReader.ofLayouts

  @Test func `a capture is found by its folder, a file in it, and a folder around it`() throws {
    let fixture = try CaptureFixture()
    try fixture.folder.write("scans/room/frames.jsonl", "{}")
    try fixture.folder.write("scans/room/mesh.obj", BoxRoom.obj)
    for name in ["scans/room", "scans/room/", "scans/room/frames.jsonl", "scans", ""] {
      let found = try reader.find(fixture.path + "/" + name)
      #expect(found.layout.id == FramesBundle.id)
      #expect(found.meshPath?.hasSuffix("/scans/room/mesh.obj") == true)
    }
    // Whatever lies in the folder stands for it, too.
    #expect(try reader.find(fixture.path + "/scans/room/mesh.obj").layout.id == FramesBundle.id)
    // Data of another name stands for a capture that has an index only.
    try fixture.folder.write("scans/room/other.jsonl", "{}")
    #expect(try reader.find(fixture.path + "/scans/room/other.jsonl").layout.id == FramesBundle.id)
    try fixture.folder.write("app/frame_00000.json", "{}")
    try fixture.folder.write("app/other.jsonl", "{}")
    #expect(throws: CaptureError.self) { try reader.find(fixture.path + "/app/other.jsonl") }
    #expect(reader.find(besideMesh: fixture.path + "/scans/room/other.obj") != nil)
    #expect(reader.find(besideMesh: fixture.path + "/scans/other.obj") == nil)
  }

  @Test func `of several captures in a folder a file decides`() throws {
    let fixture = try CaptureFixture()
    try fixture.folder.write("frames.jsonl", "{}")
    try fixture.folder.write("transforms.json", "{}")
    #expect(try reader.find(fixture.path).layout.id == FramesBundle.id)
    #expect(try reader.find(fixture.path + "/transforms.json").layout.id == TransformsFile.id)
  }

  @Test func `what is no capture is an error that says so`() throws {
    let fixture = try CaptureFixture()
    try fixture.folder.write("a/x.txt", "")
    try fixture.folder.write("b/x.txt", "")
    #expect(throws: CaptureError.self) { try reader.find(fixture.path) }
    #expect(throws: CaptureError.self) { try reader.find(fixture.path + "/a/x.txt") }
    #expect(throws: FileError.self) { try reader.find(fixture.path + "/c") }
  }

  @Test(arguments: [
    (["rgb.mp4", "camera_matrix.csv"], "stray-scanner", "odometry.csv"),
    (["odometry.csv"], "stray-scanner", "rgb.mp4"),
    (["manifest.sha256.json"], "frames-bundle", "frames.jsonl"),
    (["keyframes/images/1.jpg"], "polycam", "keyframes/cameras"),
    (["frame_00000.jpg"], "3d-scanner-app", "frame_00000.json"),
    (["rgbd/0.jpg"], "record3d", "metadata"),
    (["lowres_wide.traj", "wide/1.png"], "arkitscenes", "wide_intrinsics"),
    (["wide/1.png", "wide_intrinsics/1.pincam"], "arkitscenes", "lowres_wide.traj"),
    (["images.bin"], "colmap", "cameras.bin"),
  ])
  func `what lacks one file is told its layout and the file`(
    names: [String], layout: String, missing: String
  ) throws {
    let fixture = try CaptureFixture()
    for name in names { try fixture.folder.write("scan/" + name, "") }
    for path in [fixture.path, fixture.path + "/scan"] {
      let error = try #require(throws: CaptureError.self) { try reader.find(path) }
      #expect(
        error.message.contains("(\(layout)), but '\(missing)' is missing"), "\(error.message)")
    }
  }

  @Test func `several captures, and archives, are told of`() throws {
    let fixture = try CaptureFixture()
    try fixture.folder.write("two/a/frames.jsonl", "{}")
    try fixture.folder.write("two/b/transforms.json", "{}")
    var error = try #require(throws: CaptureError.self) { try reader.find(fixture.path + "/two") }
    #expect(error.message.contains("contains 2 captures ('a', 'b')"), "\(error.message)")
    try fixture.folder.write("beside/mesh.obj", "")
    try fixture.folder.write("beside/scan.r3d", "")
    error = try #require(throws: CaptureError.self) {
      try builtInCaptures.find(fixture.path + "/beside")
    }
    #expect(error.message.contains("archives in it ('scan.r3d')"), "\(error.message)")
  }

  @Test func `the mesh beside a reconstruction is its own`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeCOLMAP()
    try fixture.writeMesh("mesh.obj")
    for name in ["", "/sparse", "/sparse/0"] {
      let found = try reader.find(fixture.path + name)
      #expect(found.meshPath == fixture.path + "/mesh.obj")
    }
    let found = try #require(reader.find(besideMesh: fixture.path + "/mesh.obj"))
    #expect(found.layout.id == COLMAP.id)
    #expect(found.meshPath == fixture.path + "/mesh.obj")
  }

  @Test func `poses follow a mesh with other axes and another unit`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    // The same room in centimetres, Z up.
    try fixture.folder.write(
      "turned.obj",
      BoxRoom.obj.split(separator: "\n").map { line in
        let words = line.split(separator: " ")
        guard words[0] == "v" else { return String(line) }
        let p = words.dropFirst().compactMap { Double($0) }
        return "v \(p[0] * 100) \(-p[2] * 100) \(p[1] * 100)"
      }.joined(separator: "\n"))
    let source = ScanSource(
      path: fixture.path + "/turned.obj", format: OBJ.self, frames: try reader.find(fixture.path),
      reading: InputReading(up: .z, metersPerUnit: 0.01))
    var scene = try source.read(in: ReadingContext())
    scene.convert(to: .arkit)
    let frames = try #require(scene.capture?.frames)
    let truth = try fixture.read().scan.capture.frames
    #expect(frames.count == truth.count)
    for (frame, expected) in zip(frames, truth) {
      #expect(abs(frame.pose.translation - expected.pose.translation).max() < 1e-6)
      #expect(abs(frame.pose.z - expected.pose.z).max() < 1e-6)
      #expect(abs(frame.pose.x - expected.pose.x).max() < 1e-6)
    }
  }

  @Test func `the run knows every file of the capture`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle(manifest: "{}")
    let context = ReadingContext()
    let source = ScanSource(
      path: fixture.path + "/mesh.obj", format: OBJ.self, frames: try reader.find(fixture.path))
    _ = try source.read(in: context)
    let names = Set(context.openedFiles.map { $0.dropFirst(fixture.path.count + 1) })
    #expect(names.isSuperset(of: ["frames.jsonl", "manifest.json", "images/frame_000003.png"]))
    #expect(names.contains("depth/frame_000000.png"))
  }
}

extension SIMD3<Double> {
  func max() -> Double { Swift.max(x, y, z) }
}

private func abs(_ vector: SIMD3<Double>) -> SIMD3<Double> {
  SIMD3(Swift.abs(vector.x), Swift.abs(vector.y), Swift.abs(vector.z))
}
