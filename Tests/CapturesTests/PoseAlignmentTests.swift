import Captures
import Formats
import MeshPipeline
import MeshTestSupport
import MeshpipeKit
import POSIX
import Testing

/// Poses that are off the mesh, which depth maps of a room whose walls are known show.
struct PoseAlignmentTests {
  /// Eight cameras that look around, each at two or three walls and the floor or the ceiling.
  private static let cameras = (0..<8).map { index in
    let angle = Double(index) * .pi / 4 + 0.2
    let eye = SIMD3(0.5 + 0.3 * cos(2 * angle), 1.2 + 0.05 * Double(index), -0.5)
    let down = index % 2 == 0 ? -0.6 : 0.6
    return TestCamera.looking(
      from: eye, to: eye + SIMD3(cos(angle), down, sin(angle)), roll: 0)
  }

  private struct Reading {
    var frames: [Capture.Frame]
    var warnings: [String]
    var notes: [String: JSONValue]
  }

  /// Reads a capture whose files say something else of its cameras than what they recorded.
  private func read(
    changing change: (Int, inout TestCamera) -> Void, misfits: Misfits = .refused
  ) throws -> Reading {
    var fixture = try CaptureFixture()
    fixture.cameras = Self.cameras
    for index in fixture.cameras.indices { change(index, &fixture.cameras[index]) }
    try fixture.writeFramesBundle()
    for (index, camera) in Self.cameras.enumerated() {
      try fixture.writePicture(camera, to: "images/frame_00000\(index).png")
      try fixture.writeDepth(camera, to: "depth/frame_00000\(index).png")
    }
    var found = try builtInCaptures.find(fixture.path)
    found.reading.misfits = misfits
    let source = ScanSource(path: fixture.path + "/mesh.obj", format: OBJ.self, frames: found)
    let context = ReadingContext()
    let scene = try source.read(in: context)
    return Reading(
      frames: scene.capture?.frames ?? [], warnings: context.stage.warnings,
      notes: Dictionary(context.stage.notes.map { ($0.key, $0.value) }) { first, _ in first })
  }

  /// The greatest distance of the cameras from the true ones.
  private func error(_ reading: Reading) -> Double {
    #expect(reading.frames.count == Self.cameras.count)
    return zip(reading.frames, Self.cameras)
      .map { ($0.pose.translation - $1.pose.translation).length }.max() ?? .nan
  }

  @Test func `right poses stay as they are`() throws {
    let reading = try read { _, _ in }
    #expect(reading.warnings == [])
    #expect(error(reading) < 1e-9)
  }

  @Test func `poses that drift are moved onto the mesh`() throws {
    let reading = try read { index, camera in
      camera.pose.translation += SIMD3(0.2, -0.05, 0.1) * Double(index) / 7
    }
    #expect(reading.warnings.count == 1)
    #expect(
      reading.warnings.first?.contains("the tracking seems to have drifted") == true,
      "\(reading.warnings)")
    // Of 23 cm.
    #expect(error(reading) < 0.02)
    #expect(reading.notes["framesOffMesh"] != nil)
  }

  @Test func `poses that are to be used as they are stay, with a warning`() throws {
    func drift(_ index: Int) -> SIMD3<Double> { SIMD3(0.2, -0.05, 0.1) * Double(index) / 7 }
    let reading = try read(
      changing: { index, camera in camera.pose.translation += drift(index) }, misfits: .kept)
    #expect(
      reading.warnings.contains { $0.contains("should be moved onto it") }, "\(reading.warnings)")
    #expect(abs(error(reading) - drift(7).length) < 1e-9)
  }

  @Test func `poses beside a mesh that was moved are moved, too`() throws {
    let reading = try read { _, camera in camera.pose.translation += SIMD3(0.08, 0, -0.06) }
    #expect(
      reading.warnings.first?.contains("the mesh seems to have been moved") == true,
      "\(reading.warnings)")
    #expect(error(reading) < 0.01)
  }

  @Test(arguments: [SIMD3(0.8, 0, 0.6), SIMD3(2.4, -1.3, -3.1), SIMD3(40, -20, 100)])
  func `poses far from a mesh that was moved follow it`(shift: SIMD3<Double>) throws {
    for misfits in [Misfits.refused, .shown] {
      let reading = try read(
        changing: { _, camera in camera.pose.translation += shift }, misfits: misfits)
      #expect(
        reading.warnings.first?.contains("the mesh was moved without its frames, by ") == true
          && reading.warnings.count == 1, "\(reading.warnings)")
      #expect(error(reading) < 0.01)
    }
    let reading = try read(
      changing: { _, camera in camera.pose.translation += shift }, misfits: .kept)
    #expect(reading.warnings.count == 1, "\(reading.warnings)")
    #expect(abs(error(reading) - shift.length) < 1e-9)
  }

  @Test(arguments: [0.96, 1.05]) func `poses of another size than the mesh are scaled`(
    size: Double
  ) throws {
    let reading = try read { _, camera in camera.pose.translation *= size }
    #expect(
      reading.warnings.first?.contains("poses and mesh differ in scale") == true,
      "\(reading.warnings)")
    #expect(error(reading) < 0.01)
  }

  @Test func `depth maps tell a wrong focal length from wrong poses`() throws {
    let reading = try read { _, camera in camera.focalLength *= 1.1 }
    #expect(
      reading.warnings.first?.contains("the focal length of the frames is wrong: the depth maps")
        == true, "\(reading.warnings)")
    let focal = try #require(reading.frames.first).intrinsics.focalLength
    #expect(abs(focal.x / Self.cameras[0].focalLength.x - 1) < 0.02)
    #expect(error(reading) < 1e-9)
  }

  @Test(arguments: [(SignedAxis.z, 1.0, "--frames-up z"), (.y, 0.3048, "--frames-unit ft")])
  func `the option for poses with other axes or another unit is named`(
    up: SignedAxis, metersPerUnit: Double, option: String
  ) throws {
    let system = CoordinateSystem.arkit.reread(up: up, metersPerUnit: metersPerUnit)
    let transform = CoordinateSystem.arkit.transform(to: system)
    let error = #expect(throws: CaptureError.self) {
      try read { _, camera in
        let turned = transform.apply(toVector:)
        camera.pose = Transform(
          x: turned(camera.pose.x).normalized, y: turned(camera.pose.y).normalized,
          z: turned(camera.pose.z).normalized,
          translation: transform.apply(toPoint: camera.pose.translation)
        )
      }
    }
    #expect(error?.message.contains("better with \(option): ") == true, "\(error?.message ?? "")")
  }
}
