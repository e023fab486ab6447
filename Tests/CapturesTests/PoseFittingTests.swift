import Captures
import Formats
import MeshPipeline
import MeshTestSupport
import Testing

struct PoseFittingTests {
  /// Reads a capture with a mesh, as a run does.
  private func read(
    _ fixture: CaptureFixture, mesh: String = "mesh.obj", up: SignedAxis? = nil,
    metersPerUnit: Double? = nil, convention: PoseConvention? = nil
  ) throws -> (scene: Scene, warnings: [String]) {
    var found = try builtInCaptures.find(fixture.path)
    found.convention = convention
    let source = ScanSource(
      path: fixture.path + "/" + mesh, format: OBJ.self, frames: found, up: up,
      metersPerUnit: metersPerUnit)
    let context = ReadingContext()
    return (try source.read(in: context), context.stage.warnings)
  }

  @Test(arguments: PoseConvention.all)
  func `poses in another convention than declared are noticed`(
    convention: PoseConvention
  ) throws {
    let fixture = try CaptureFixture()
    var other = fixture
    for index in fixture.cameras.indices {
      other.cameras[index].pose = convention.numbers(for: fixture.cameras[index].pose)
    }
    try other.writeFramesBundle()
    for (index, camera) in fixture.cameras.enumerated() {
      try fixture.writePicture(camera, to: "images/frame_00000\(index).png")
      try fixture.writeDepth(camera, to: "depth/frame_00000\(index).png")
    }
    let warnings = try read(other).warnings
    guard convention != PoseConvention() else {
      #expect(warnings == [])
      return
    }
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.contains("better with --frames-convention \(convention.text): ") == true,
      "\(warnings)")
    // Said so, they fit.
    let said = try read(other, convention: convention)
    #expect(said.warnings == [])
    let frames = try #require(said.scene.capture?.frames)
    for (frame, camera) in zip(frames, fixture.cameras) {
      #expect(abs((frame.pose.z - camera.pose.z).sum()) < 1e-9)
      #expect(abs((frame.pose.translation - camera.pose.translation).sum()) < 1e-9)
    }
  }

  @Test func `words of a convention are read and written`() {
    for convention in PoseConvention.all {
      #expect(PoseConvention(text: convention.text) == convention)
    }
    #expect(PoseConvention(text: "w2c") == PoseConvention(isWorldToCamera: true))
    for text in ["", "up", "gl,cv", "rows,rows", "cv w2c"] {
      #expect(PoseConvention(text: text) == nil)
    }
  }

  @Test func `a mesh in another unit or with another axis up is noticed`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    try fixture.folder.write(
      "cm.obj", BoxRoom.obj(x: [100, 0, 0], y: [0, 100, 0], z: [0, 0, 100]))
    try fixture.folder.write("z.obj", BoxRoom.obj(x: [1, 0, 0], y: [0, 0, -1], z: [0, 1, 0]))
    let unit = try read(fixture, mesh: "cm.obj").warnings
    #expect(unit.count == 1)
    #expect(unit.first?.contains("better with --input-unit cm: ") == true, "\(unit)")
    #expect(try read(fixture, mesh: "cm.obj", metersPerUnit: 0.01).warnings == [])
    let up = try read(fixture, mesh: "z.obj").warnings
    #expect(up.count == 1)
    #expect(up.first?.contains("better with --input-up z: ") == true, "\(up)")
    #expect(try read(fixture, mesh: "z.obj", up: .z).warnings == [])
  }

  @Test func `cameras that stand elsewhere are told of`() throws {
    var fixture = try CaptureFixture()
    for index in fixture.cameras.indices {
      fixture.cameras[index].pose.translation += SIMD3(100, 50, 30)
    }
    try fixture.writeFramesBundle()
    for (index, camera) in TestCamera.several.enumerated() {
      try fixture.writeDepth(camera, to: "depth/frame_00000\(index).png")
    }
    let warnings = try read(fixture).warnings
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("another scan") == true, "\(warnings)")
    // The same without anything measured.
    try FileSystem.removeFolder(fixture.path + "/depth")
    let blind = try read(fixture).warnings
    #expect(blind.last?.contains("no frame sees the mesh") == true, "\(blind)")
  }

  @Test func `frames that nerfstudio turned are turned back when the mesh was not`() throws {
    var fixture = try CaptureFixture()
    let truth = fixture.cameras
    let applied = Transform(
      x: SIMD3(1, 0, 0), y: SIMD3(0, 0, 1), z: SIMD3(0, -1, 0), translation: SIMD3(5, 6, 7))
    for index in fixture.cameras.indices {
      fixture.cameras[index].pose = applied * fixture.cameras[index].pose
    }
    try fixture.writeTransforms(extra: [
      .init(
        "applied_transform", .rows([[1, 0, 0, 5], [0, 0, -1, 6], [0, 1, 0, 7]])),
      .init("integer_depth_scale", 0.001), .init("camera_model", "OPENCV"),
    ])
    for (index, camera) in truth.enumerated() {
      try fixture.writePicture(camera, to: "images/\(index).png")
      try fixture.writeDepth(camera, to: "depth/\(index).png")
    }
    try fixture.writeMesh("mesh.obj")
    for hasDepth in [true, false] {
      if !hasDepth { try FileSystem.removeFolder(fixture.path + "/depth") }
      let (scene, warnings) = try read(fixture)
      if hasDepth {
        #expect(warnings == [])
      } else {
        // Depth maps that are named and not there are told of, and nothing else.
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("the depth map is missing") == true, "\(warnings)")
      }
      let frames = try #require(scene.capture?.frames)
      for (frame, camera) in zip(frames, truth) {
        #expect(abs((frame.pose.translation - camera.pose.translation).sum()) < 1e-9)
      }
    }
  }
}
