import Captures
import Formats
import MeshPipeline
import MeshTestSupport
import MeshpipeKit
import NativeLibraries
import Photogrammetry
import Stages
import Testing

struct PoseFittingTests {
  /// Reads a capture with a mesh, as a run does.
  private func read(
    _ fixture: CaptureFixture, mesh: String = "mesh.obj", up: SignedAxis? = nil,
    metersPerUnit: Double? = nil, poses: PoseReading = PoseReading(misfits: .kept)
  ) throws -> (scene: Scene, warnings: [String]) {
    var found = try builtInCaptures.find(fixture.path)
    found.reading = poses
    let source = ScanSource(
      path: fixture.path + "/" + mesh, format: OBJ.self, frames: found,
      reading: InputReading(up: up, metersPerUnit: metersPerUnit))
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
    if convention != PoseConvention() {
      #expect(throws: CaptureError.self) { try read(other, poses: PoseReading()) }
    }
    guard convention != PoseConvention() else {
      #expect(warnings == [])
      return
    }
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.contains("better with --frames-convention \(convention.text): ") == true,
      "\(warnings)")
    // Said so, they fit.
    let said = try read(other, poses: PoseReading(convention: convention))
    #expect(said.warnings == [])
    let frames = try #require(said.scene.capture?.frames)
    for (frame, camera) in zip(frames, fixture.cameras) {
      #expect(abs((frame.pose.z - camera.pose.z).sum()) < 1e-9)
      #expect(abs((frame.pose.translation - camera.pose.translation).sum()) < 1e-9)
    }
  }

  @Test func `poses in a national grid stay with their mesh`() throws {
    let fixture = try CaptureFixture()
    let grid = SIMD3(500_000.0, 0, -5_400_000)
    var far = fixture
    for index in far.cameras.indices { far.cameras[index].pose.translation += grid }
    try far.writeFramesBundle()
    for (index, camera) in fixture.cameras.enumerated() {
      try fixture.writePicture(camera, to: "images/frame_00000\(index).png")
      try fixture.writeDepth(camera, to: "depth/frame_00000\(index).png")
    }
    let lines = BoxRoom.obj.split(separator: "\n").map { line in
      let numbers = line.split(separator: " ").dropFirst().compactMap { Double($0) }
      guard line.hasPrefix("v "), numbers.count >= 3 else { return String(line) }
      return "v \(numbers[0] + grid.x) \(numbers[1] + grid.y) \(numbers[2] + grid.z)"
    }
    try fixture.folder.write("far.obj", lines.joined(separator: "\n") + "\n")
    let (scene, warnings) = try read(fixture, mesh: "far.obj", poses: PoseReading())
    #expect(scene.origin == grid && warnings == [])
    let frames = try #require(scene.capture?.frames)
    for (frame, camera) in zip(frames, fixture.cameras) {
      #expect((frame.pose.translation - camera.pose.translation).length < 1e-6)
    }
  }

  @Test func `a mesh that floats before its depth maps is reported`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    let right = try read(fixture)
    #expect(right.warnings == [])
    #expect(try #require(DepthOffset(right.scene)).median.magnitude < 0.002)
    // A room of 94 % of its size lies centimetres nearer.
    let size = 0.94
    try fixture.folder.write(
      "small.obj", BoxRoom.obj(x: [size, 0, 0], y: [0, size, 0], z: [0, 0, size]))
    let (scene, warnings) = try read(fixture, mesh: "small.obj")
    let offset = try #require(DepthOffset(scene))
    #expect((0.03...0.2).contains(offset.median) && offset.isContradiction)
    #expect(
      warnings.contains { $0.contains("mm before the measured depths") }, "\(warnings)")
    let condition = try Condition(parsing: "depthOffset > 2cm", measures: builtInMeasures)
    #expect(condition.holds(for: scene) && !condition.holds(for: right.scene))
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

  // MARK: Poses that don't say their axes and unit

  /// A `transforms.json` whose poses have an axis up and are in a unit, beside the room in some others.
  private func undeclared(
    up: SignedAxis = .y, metersPerUnit: Double = 1, hasDepth: Bool = true
  ) throws -> CaptureFixture {
    let fixture = try CaptureFixture()
    var other = fixture
    let turn = CoordinateSystem.arkit.transform(
      to: CoordinateSystem.arkit.reread(up: up, metersPerUnit: metersPerUnit))
    for index in fixture.cameras.indices {
      let pose = fixture.cameras[index].pose
      other.cameras[index].pose = Transform(
        x: turn.apply(toVector: pose.x) * metersPerUnit,
        y: turn.apply(toVector: pose.y) * metersPerUnit,
        z: turn.apply(toVector: pose.z) * metersPerUnit,
        translation: turn.apply(toVector: pose.translation))
    }
    try other.writeTransforms(extra: [
      .init("integer_depth_scale", 0.001), .init("camera_model", "OPENCV"),
    ])
    for (index, camera) in fixture.cameras.enumerated() {
      try fixture.writePicture(camera, to: "images/\(index).png")
      try fixture.writeDepth(camera, to: "depth/\(index).png")
    }
    if !hasDepth {
      try FileSystem.removeFolder(fixture.path + "/depth")
      let text = try FileSystem.contents(of: fixture.path + "/transforms.json")
      try fixture.folder.write(
        "transforms.json",
        String(decoding: text, as: UTF8.self).replacing("depth_path", with: "no_path"))
    }
    try fixture.writeMesh("mesh.obj")
    try fixture.folder.write("z.obj", BoxRoom.obj(x: [1, 0, 0], y: [0, 0, -1], z: [0, 1, 0]))
    try fixture.folder.write(
      "mm.obj", BoxRoom.obj(x: [1000, 0, 0], y: [0, 0, -1000], z: [0, 1000, 0]))
    return fixture
  }

  /// Expects that every camera stands where it truly stood, in the axes and unit of the scene.
  private func expectTruth(
    _ scene: Scene, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var scene = scene
    scene.convert(to: .arkit)
    for (frame, camera) in zip(try #require(scene.capture?.frames), TestCamera.several) {
      let miss = frame.pose.translation - camera.pose.translation
      #expect((miss * miss).sum() < 1e-12, sourceLocation: sourceLocation)
      let turn = frame.pose.z - camera.pose.z
      #expect((turn * turn).sum() < 1e-12, sourceLocation: sourceLocation)
    }
  }

  @Test func `poses go with the numbers of a mesh that is declared`() throws {
    let z = try undeclared(up: .z)
    let scene = try read(z, mesh: "z.obj", up: .z)
    #expect(scene.warnings == [])
    try expectTruth(scene.scene)
    let mm = try read(
      try undeclared(up: .z, metersPerUnit: 0.001), mesh: "mm.obj", up: .z, metersPerUnit: 0.001)
    #expect(mm.warnings == [])
    try expectTruth(mm.scene)
  }

  @Test func `poses that are as ARKit gave them are found to be so by depths`() throws {
    let fixture = try undeclared()
    for (mesh, unit) in [("z.obj", 1), ("mm.obj", 0.001)] {
      let (scene, warnings) = try read(fixture, mesh: mesh, up: .z, metersPerUnit: unit)
      #expect(warnings == [])
      try expectTruth(scene)
    }
    // Those that are only in another unit, too.
    let scene = try read(
      try undeclared(up: .z), mesh: "mm.obj", up: .z, metersPerUnit: 0.001)
    #expect(scene.warnings == [])
    try expectTruth(scene.scene)
  }

  @Test func `without depths what was taken is told, and an option says it`() throws {
    let fixture = try undeclared(hasDepth: false)
    let (scene, warnings) = try read(fixture, mesh: "mm.obj", up: .z, metersPerUnit: 0.001)
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.contains("assuming '--frames-up y --frames-unit m'") == true,
      "\(warnings)")
    try expectTruth(scene)
    let turned = try read(fixture, mesh: "z.obj", up: .z)
    #expect(turned.warnings.first?.contains("assuming '--frames-up y'") == true)
    try expectTruth(turned.scene)
    let plain = try read(fixture)
    #expect(plain.warnings == [])
    try expectTruth(plain.scene)
    let same = try read(try undeclared(up: .z, hasDepth: false), mesh: "z.obj", up: .z)
    #expect(same.warnings == [])
    try expectTruth(same.scene)
    let said = try read(
      fixture, mesh: "mm.obj", up: .z, metersPerUnit: 0.001,
      poses: PoseReading(up: .y, metersPerUnit: 1))
    #expect(said.warnings == [])
    try expectTruth(said.scene)
  }

  @Test func `pictures that tell nothing leave the poses with the mesh, with a warning`() throws {
    let fixture = try undeclared(hasDepth: false)
    for index in fixture.cameras.indices {
      let pixels = [UInt8](repeating: 200, count: 3 * 64 * 48)
      try fixture.folder.write(
        "images/\(index).png", PNG.encode(Image(width: 64, height: 48, pixels: pixels)))
    }
    #expect(try read(fixture).warnings == [])
    let turned = try read(fixture, mesh: "z.obj", up: .z).warnings
    #expect(turned.count == 1)
    #expect(turned.first?.contains("assuming the mesh's ('--frames-up z' only)") == true)
  }

  @Test func `poses with another axis up than the mesh are noticed`() throws {
    let fixture = try undeclared(up: .z)
    let found = try read(fixture)
    #expect(found.warnings == [])
    try expectTruth(found.scene)
    let odd = try undeclared(up: .z, metersPerUnit: 0.01)
    let warnings = try read(odd).warnings
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.contains("better with --frames-up z --frames-unit cm: ") == true,
      "\(warnings)")
    let said = try read(odd, poses: PoseReading(up: .z, metersPerUnit: 0.01))
    #expect(said.warnings == [])
    try expectTruth(said.scene)
    // And a mesh with another axis up than the poses: what is advised helps.
    let turned = try read(try undeclared(), mesh: "z.obj").warnings
    #expect(turned.count == 1)
    #expect(turned.first?.contains("better with --input-up z: ") == true, "\(turned)")
  }

  @Test func `pictures alone tell of another convention, and of a mesh that is not as it seems`()
    throws
  {
    let up = try read(try undeclared(hasDepth: false), mesh: "z.obj").warnings
    #expect(up.count == 1)
    #expect(up.first?.contains("better with --input-up z: then the images") == true, "\(up)")
    let fixture = try undeclared(hasDepth: false)
    let cv = PoseConvention(axes: .openCV)
    let turned = try read(fixture, poses: PoseReading(convention: cv)).warnings
    #expect(turned.count == 1)
    #expect(
      turned.first?.contains("better with --frames-convention gl,rows,c2w: ") == true, "\(turned)")
  }

  // MARK: Other worlds

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
    #expect(throws: CaptureError.self) { try read(fixture, poses: PoseReading()) }
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
