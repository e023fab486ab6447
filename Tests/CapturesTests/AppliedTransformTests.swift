import Captures
import Formats
import MeshPipeline
import MeshTestSupport
import MeshpipeKit
import Testing

/// Poses that nerfstudio moved, and a mesh that may have been moved with them.
struct AppliedTransformTests {
  /// nerfstudio's own for phones' captures: Y up becomes Z up.
  private static let turn = Transform(
    x: SIMD3(0, 1, 0), y: SIMD3(0, 0, 1), z: SIMD3(1, 0, 0), translation: SIMD3(0.2, -0.1, 0.3))
  /// What its data parser might do afterwards.
  private static let trained = (
    transform: Transform(
      x: SIMD3(0.8, 0.6, 0), y: SIMD3(-0.6, 0.8, 0), z: SIMD3(0, 0, 1),
      translation: SIMD3(-0.5, 0.25, 0.125)), scale: 0.4
  )

  private static func rows(_ map: Transform, _ count: Int = 3) -> JSONValue {
    let rows = (0..<3).map { [map.x[$0], map.y[$0], map.z[$0], map.translation[$0]] }
    return .rows(Array((rows + [[0, 0, 0, 1]]).prefix(count)))
  }

  /// A camera that turns on the spot: its images agree somewhat in any world.
  private static let capture = Result {
    try SyntheticCapture { options in
      options.size = SIMD2(160, 120)
      options.samples = 1
      options.depthSize = SIMD2(40, 30)
      options.cell = 1
      options.poses = (0..<12).map { index in
        let angle = 2 * Double.pi * Double(index) / 12
        let eye = SIMD3(0.2 * SIMD2.angle(2 * angle).x, 0.1, 0.3 * SIMD2.angle(angle).y)
        let toward = SIMD2.angle(angle)
        return SyntheticCapture.pose(
          at: eye, lookingAt: eye + SIMD3(toward.x, -0.2 * SIMD2.angle(3 * angle).x, toward.y))
      }
    }
  }

  /// Writes the capture with moved poses and a moved mesh.
  ///
  /// - Parameters:
  ///   - scale: Part of `applied_transform`, if `isInTransform`, else `applied_scale`.
  ///   - mesh: What became of the mesh.
  private static func write(
    to folder: TemporaryFolder, scale: Double = 1, isInTransform: Bool = false,
    hasDepth: Bool = false,
    hasTrained: Bool = false, rowCount: Int = 3, mesh: Transform = .identity
  ) throws -> SyntheticCapture {
    let capture = try Self.capture.get()
    let scaling = Transform(scale: SIMD3(repeating: scale))
    let applied = scaling * turn
    var frames: [JSONValue] = []
    for (index, frame) in capture.frames.enumerated() {
      var pose = applied * capture.truePoses[index]
      if !isInTransform {
        (pose.x, pose.y, pose.z) = (pose.x / scale, pose.y / scale, pose.z / scale)
      }
      let (focal, center) = (frame.intrinsics.focalLength, frame.intrinsics.principalPoint)
      var members: [JSONValue.Member] = [
        .init("file_path", frame.image.path.json), .init("transform_matrix", rows(pose, 4)),
        .init("fl_x", focal.x.json), .init("fl_y", focal.y.json),
        .init("cx", center.x.json), .init("cy", center.y.json),
        .init("w", Double(frame.imageSize.x).json), .init("h", Double(frame.imageSize.y).json),
      ]
      if hasDepth { members.append(.init("depth_file_path", (frame.depth?.path ?? "").json)) }
      frames.append(JSONValue(.object(members)))
    }
    var root: [JSONValue.Member] = [.init("camera_model", "OPENCV")]
    root.append(.init("applied_transform", rows(isInTransform ? applied : turn, rowCount)))
    if !isInTransform, scale != 1 { root.append(.init("applied_scale", scale.json)) }
    root.append(.init("frames", JSONValue(.array(frames))))
    try folder.write("transforms.json", JSONValue(.object(root)).prettyText)
    if hasTrained {
      let file: JSONValue = [
        "transform": rows(trained.transform * turn), "scale": trained.scale.json,
      ]
      try folder.write("dataparser_transforms.json", file.compactText)
    }
    let room = capture.scene.meshes[0]
    var text = ""
    for position in room.positions {
      let moved = mesh.apply(toPoint: SIMD3<Double>(position.simd))
      text += "v \(moved.x) \(moved.y) \(moved.z)\n"
    }
    for face in 0..<room.faceCount {
      let (a, b, c) = room.vertices(ofFace: face)
      text += "f \(a + 1) \(b + 1) \(c + 1)\n"
    }
    try folder.write("mesh.obj", text)
    return capture
  }

  private static func read(
    _ folder: TemporaryFolder, _ poses: PoseReading = PoseReading()
  ) throws -> (scene: Scene, context: ReadingContext) {
    var found = try builtInCaptures.find(folder.path)
    found.reading = poses
    let source = ScanSource(path: folder.path + "/mesh.obj", format: OBJ.self, frames: found)
    let context = ReadingContext(allowsExternalFiles: true)
    return (try source.read(in: context), context)
  }

  /// The greatest distance of a camera from where it should be, in units of the mesh.
  private static func error(
    _ scene: Scene, _ capture: SyntheticCapture, movedBy move: Transform
  ) throws -> Double {
    let frames = try #require(scene.capture?.frames)
    #expect(frames.count == capture.truePoses.count)
    return zip(frames, capture.truePoses).map { frame, truth in
      let expected = move * truth
      let turn = frame.pose.x - expected.x / expected.x.dot(expected.x).squareRoot()
      return (frame.pose.translation - expected.translation).length + turn.length
    }.max() ?? .infinity
  }

  private static func note(_ key: String, _ context: ReadingContext) -> String? {
    context.stage.notes.first { $0.key == key }?.value.text
  }

  @Test(arguments: [
    (1, false, false, 3), (0.25, false, false, 4), (3, true, true, 3), (0.5, true, false, 4),
  ])
  func `poses are moved back to a mesh that was not moved`(
    scale: Double, isInTransform: Bool, hasDepth: Bool, rowCount: Int
  ) throws {
    let folder = try TemporaryFolder()
    let capture = try Self.write(
      to: folder, scale: scale, isInTransform: isInTransform, hasDepth: hasDepth, rowCount: rowCount
    )
    let (scene, context) = try Self.read(folder)
    #expect(try Self.error(scene, capture, movedBy: .identity) < 1e-6)
    #expect(context.stage.warnings == [])
    #expect(Self.note("framesWorld", context) == "before applied_transform")
    #expect(Self.note("framesWorldReason", context)?.contains("%") == true)
  }

  @Test(arguments: [false, true])
  func `poses stay with a mesh that was moved with them, and that is told`(hasDepth: Bool) throws {
    let folder = try TemporaryFolder()
    let capture = try Self.write(to: folder, hasDepth: hasDepth, mesh: Self.turn)
    let (scene, context) = try Self.read(folder)
    #expect(try Self.error(scene, capture, movedBy: Self.turn) < 1e-6)
    #expect(context.stage.warnings.count == 1)
    #expect(
      context.stage.warnings.first?.contains("poses are used as their file has them") == true,
      "\(context.stage.warnings)")
    // A decision that nobody needs to act on is no error with --strict.
    #expect(context.stage.adviceCount == 1)
  }

  @Test(arguments: [false, true])
  func `poses follow a mesh that nerfstudio exported, and its scale is told`(hasDepth: Bool) throws
  {
    let folder = try TemporaryFolder()
    let move =
      Transform(scale: SIMD3(repeating: Self.trained.scale)) * Self.trained.transform * Self.turn
    let capture = try Self.write(to: folder, hasDepth: hasDepth, hasTrained: true, mesh: move)
    let (scene, context) = try Self.read(folder)
    #expect(try Self.error(scene, capture, movedBy: move) < 1e-6)
    #expect(Self.note("framesWorld", context) == "after dataparser_transforms.json")
    #expect(context.stage.warnings.count == 1)
    #expect(
      context.stage.warnings.first?.contains("'transform scale=2.5000'") == true,
      "\(context.stage.warnings)")
    guard hasDepth else { return }
    // Depths are in units of the mesh, too.
    let (own, truth) = (try #require(scene.capture?.frames[0]), capture.frames[0])
    let (map, expected) = (try #require(try own.loadDepth()), try #require(try truth.loadDepth()))
    let pixel = try #require(expected.meters.firstIndex { $0 > 0 })
    #expect(abs(map.meters[pixel] / expected.meters[pixel] - 0.4) < 1e-5)
  }

  @Test func `the scan's own mesh is found beside nerfstudio's second transform, too`() throws {
    let folder = try TemporaryFolder()
    let capture = try Self.write(to: folder, hasTrained: true)
    let (scene, context) = try Self.read(folder)
    #expect(try Self.error(scene, capture, movedBy: .identity) < 1e-6)
    #expect(context.stage.warnings == [])
  }

  @Test func `axes that the user gives take poses as they are`() throws {
    let folder = try TemporaryFolder()
    let capture = try Self.write(to: folder, mesh: Self.turn)
    let (scene, _) = try Self.read(folder, PoseReading(up: .y))
    #expect(try Self.error(scene, capture, movedBy: Self.turn) < 1e-6)
  }

  @Test func `a capture without a mesh is read as it was recorded`() throws {
    let folder = try TemporaryFolder()
    let capture = try Self.write(to: folder, hasDepth: true)
    try FileSystem.removeFile(folder.path + "/mesh.obj")
    let found = try builtInCaptures.find(folder.path)
    let scene = try ScanSource(path: folder.path, format: nil, frames: found)
      .read(in: ReadingContext(allowsExternalFiles: true))
    #expect(try Self.error(scene, capture, movedBy: .identity) < 1e-6)
  }

  @Test(arguments: [#"{"transform": [[1, 0], [0, 1]], "scale": 1}"#, #"{"scale": 2}"#, "nothing"])
  func `a second transform that can't be used is told of`(file: String) throws {
    let folder = try TemporaryFolder()
    _ = try Self.write(to: folder)
    try folder.write("dataparser_transforms.json", file)
    let warnings = try Self.read(folder).context.stage.warnings
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("has no 'transform' of three rows") == true, "\(warnings)")
  }
}

extension SIMD2<Double> {
  /// The direction at an angle.
  fileprivate static func angle(_ angle: Double) -> SIMD2<Double> {
    let turn = Transform(rotationAbout: SIMD3(0, 0, 1), by: angle)
    return SIMD2(turn.x.x, turn.x.y)
  }
}

extension Double {
  fileprivate var json: JSONValue { JSONValue(.number(self)) }
}

extension String {
  fileprivate var json: JSONValue { JSONValue(.string(self)) }
}
