import Captures
import MeshPipeline
import MeshTestSupport
import MeshpipeKit
import NativeLibraries
import Photogrammetry
import Synchronization
import Testing

/// Captures of a room in which pictures, depth maps or cameras are wrong.
struct PictureCheckTests {
  /// Rendered once: the time goes into the pictures.
  private static let shared = Result {
    try SyntheticCapture {
      ($0.frameCount, $0.samples, $0.poseNoise) = (14, 1, (0.004, 0.002))
      $0.size = SIMD2(128, 96)
    }
  }

  /// What came of a check.
  private struct Outcome {
    var frames: [Capture.Frame] = []
    var warnings: [String] = []
    var error: CaptureError?
    /// Holds what was written for the check.
    var folder: TemporaryFolder
  }

  /// Checks the capture after a change, as the reading of a scan does.
  private func check(
    _ change: (inout [Capture.Frame], TemporaryFolder) throws -> Void = { _, _ in },
    scene changeScene: (inout Scene) -> Void = { _ in }, misfits: Misfits = .refused
  ) throws -> Outcome {
    let capture = try Self.shared.get()
    var scene = capture.scene
    var frames = capture.frames
    // Tests run at the same time.
    let folder = try TemporaryFolder()
    try change(&frames, folder)
    changeScene(&scene)
    var scan = CapturedScan(capture: Capture(frames: frames))
    let warnings = Mutex<[String]>([])
    let context = CaptureReadingContext { message in warnings.withLock { $0.append(message) } }
    var outcome = Outcome(folder: folder)
    do {
      try PoseFitting.fit(
        &scan, to: scene, path: "room", misfits: misfits, in: context)
    } catch let error as CaptureError {
      outcome.error = error
    }
    outcome.frames = scan.capture.frames
    outcome.warnings = warnings.withLock(\.self)
    return outcome
  }

  /// Gives a frame another picture: what `change` makes of its own.
  private func repaint(
    _ frame: inout Capture.Frame, _ folder: TemporaryFolder, _ change: (Image) -> Image
  ) throws {
    let name = "changed \(frame.name).png"
    try folder.write(name, PNG.encode(change(try frame.loadImage())))
    frame.image = .file(folder.path + "/" + name)
  }

  /// Gives a frame another depth map: what `change` makes of each number of its own.
  private func remeasure(
    _ frame: inout Capture.Frame, _ folder: TemporaryFolder, _ change: (Float) -> Float
  ) throws {
    let map = try #require(try frame.loadDepth())
    let name = "changed \(frame.name).depth.png"
    let depths = map.meters.map { UInt16(min(change($0 * 1000).rounded(), 65_535)) }
    try folder.write(
      name, PNG.encodeGray16(depths, width: map.width, height: map.height))
    frame.depth?.path = folder.path + "/" + name
  }

  private func turned(_ image: Image) -> Image {
    var turned = image
    let count = image.width * image.height
    for pixel in 0..<count {
      for channel in 0..<3 {
        turned.pixels[3 * pixel + channel] = image.pixels[3 * (count - 1 - pixel) + channel]
      }
    }
    return turned
  }

  private func mirrored(_ image: Image) -> Image {
    var mirrored = image
    for y in 0..<image.height {
      for x in 0..<image.width {
        for channel in 0..<3 {
          mirrored.pixels[3 * (y * image.width + x) + channel] =
            image.pixels[3 * (y * image.width + image.width - 1 - x) + channel]
        }
      }
    }
    return mirrored
  }

  // MARK: Right captures

  @Test(arguments: [true, false])
  func `a right capture passes in silence`(hasDepth: Bool) throws {
    let outcome = try check({ frames, _ in
      if !hasDepth { for index in frames.indices { frames[index].depth = nil } }
    })
    #expect(outcome.error?.message == nil)
    #expect(outcome.warnings == [])
    #expect(outcome.frames.count == 14)
  }

  @Test func `exposure, blur, a passer-by and a plain wall make no strangers`() throws {
    let capture = try SyntheticCapture {
      ($0.frameCount, $0.samples, $0.poseNoise) = (14, 1, (0.008, 0.004))
      $0.size = SIMD2(128, 96)
      ($0.exposureJitter, $0.whiteBalanceJitter, $0.hasPlainWall) = (0.4, 0.1, true)
      ($0.blurred, $0.framesWithPerson) = ([3: 2, 8: 2.5], [5, 6])
    }
    let outcome = try check({ frames, _ in frames = capture.frames })
    #expect(outcome.error?.message == nil)
    #expect(outcome.warnings == [])
    #expect(outcome.frames.count == 14)
  }

  // MARK: Wrong pictures

  @Test func `a picture that was turned is left out by name`() throws {
    let outcome = try check({ frames, folder in
      try repaint(&frames[4], folder, turned)
    })
    #expect(outcome.error?.message == nil)
    #expect(outcome.frames.map(\.name).contains("frame_00004") == false)
    #expect(outcome.frames.count == 13)
    #expect(outcome.warnings.count == 1)
    #expect(
      outcome.warnings.first?.hasPrefix("room: frame 'frame_00004' is left out: ") == true,
      "\(outcome.warnings)")
    #expect(outcome.warnings.first?.contains("when rotated by 180 degrees") == true)
  }

  @Test func `a stranger is kept when misfits are`() throws {
    let outcome = try check(
      { frames, folder in try repaint(&frames[4], folder, turned) }, misfits: .kept)
    #expect(outcome.frames.count == 14)
    #expect(
      outcome.warnings.first?.hasPrefix("room: frame 'frame_00004' should be left out: ") == true,
      "\(outcome.warnings)")
  }

  @Test func `pictures that were all turned or mirrored are refused, with what would help`() throws
  {
    for (change, words) in [
      (turned, "when rotated by 180 degrees"), (mirrored, "when mirrored left to right"),
    ] {
      let outcome = try check({ frames, folder in
        for index in frames.indices {
          try repaint(&frames[index], folder, change)
        }
      })
      let error = try #require(outcome.error, "\(outcome.warnings)")
      #expect(error.exitCode == .data)
      #expect(error.message.hasPrefix("room: the images don't fit: "))
      #expect(error.message.contains("they fit \(words); --force-poses"), "\(error.message)")
    }
  }

  @Test func `pictures out of order are refused, with the shift`() throws {
    let outcome = try check({ frames, _ in
      let images = frames.map(\.image)
      for index in frames.indices { frames[index].image = images[max(index - 1, 0)] }
    })
    let error = try #require(outcome.error, "\(outcome.warnings)")
    #expect(error.exitCode == .data)
    #expect(
      error.message.contains("they fit when shifted by 1 frame, to the pose 1 frame earlier"),
      "\(error.message)")
  }

  @Test func `pictures of another place are left out, and refused when they are most`() throws {
    func swap(_ places: [Int]) -> (inout [Capture.Frame], TemporaryFolder) -> Void {
      { frames, _ in
        let images = frames.map(\.image)
        for (number, place) in places.enumerated() {
          // No order that a shift would mend.
          frames[place].image = images[places[(5 * number + 2) % places.count]]
        }
      }
    }
    let few = try check(swap([2, 5, 9, 12]))
    #expect(few.error == nil)
    #expect(few.frames.count == 10, "\(few.warnings)")
    #expect(few.warnings.first?.contains("4 frames ('frame_00002', 'frame_00005'") == true)
    let all = try check(swap(Array(0..<14)))
    #expect(all.error?.exitCode == .data)
    #expect(all.error?.message.contains("are they images of another scan?") == true)
  }

  // MARK: Wrong depths

  @Test func `whole frames from elsewhere are left out by their depths`() throws {
    // They stand in the other half of the room, turned by a right angle.
    let turn = Transform(rotationAbout: SIMD3(0, 1, 0), by: 2)
    let outcome = try check({ frames, _ in
      for index in frames.indices where index % 3 == 1 {
        frames[index].pose = turn * frames[index].pose
      }
    })
    #expect(outcome.error?.message == nil)
    #expect(outcome.frames.count == 9, "\(outcome.warnings)")
  }

  @Test(arguments: [10.0, 0.1, 1 / 0.3048])
  func `depth maps in another unit are told of and read in it`(factor: Float) throws {
    let outcome = try check({ frames, folder in
      for index in frames.indices {
        try remeasure(&frames[index], folder) { $0 * factor }
      }
    })
    #expect(outcome.error?.message == nil)
    #expect(outcome.warnings.count == 1, "\(outcome.warnings)")
    #expect(outcome.warnings.first?.contains("the unit of the depth maps is probably") == true)
    let truth = try #require(try Self.shared.get().frames[3].loadDepth())
    let read = try #require(try outcome.frames[3].loadDepth())
    for (a, b) in zip(truth.meters, read.meters) { #expect(abs(a - b) < 0.02) }
  }

  @Test func `depth maps that fit nothing are not used when the pictures fit`() throws {
    let outcome = try check({ frames, folder in
      for index in frames.indices {
        var number: Float = 0
        try remeasure(&frames[index], folder) { _ in
          number = (number + 377).truncatingRemainder(dividingBy: 5000)
          return 100 + number
        }
      }
    })
    #expect(outcome.error?.message == nil)
    #expect(outcome.warnings.count == 1)
    #expect(outcome.warnings.first?.contains("the depth maps are not used") == true)
    #expect(outcome.frames.allSatisfy { $0.depth == nil })
  }

  // MARK: Wrong cameras

  @Test(arguments: [1.08, 0.95])
  func `a wrong focal length is found within a hundredth`(factor: Double) throws {
    let outcome = try check({ frames, _ in
      for index in frames.indices { frames[index].intrinsics.focalLength *= factor }
    })
    #expect(outcome.error?.message == nil)
    #expect(outcome.warnings.count == 1)
    #expect(outcome.warnings.first?.contains("the focal length of the frames is wrong") == true)
    let truth = try Self.shared.get().frames[0].intrinsics.focalLength.x
    #expect(abs(outcome.frames[0].intrinsics.focalLength.x / truth - 1) < 0.01)
  }

  @Test(arguments: [-0.1, 0.1])
  func `a distortion that files don't record is found`(k1: Double) throws {
    let capture = try SyntheticCapture {
      ($0.frameCount, $0.samples, $0.poseNoise) = (14, 1, (0.004, 0.002))
      $0.size = SIMD2(128, 96)
      $0.distortion = .radialTangential(
        numerator: SIMD3(k1, 0, 0), denominator: .zero, tangential: .zero)
    }
    var frames = capture.frames
    for index in frames.indices { frames[index].distortion = .none }
    var scan = CapturedScan(capture: Capture(frames: frames))
    let warnings = Mutex<[String]>([])
    let context = CaptureReadingContext { message in warnings.withLock { $0.append(message) } }
    try PoseFitting.fit(
      &scan, to: capture.scene, path: "room", misfits: .refused, in: context)
    let said = warnings.withLock(\.self)
    #expect(said.contains { $0.contains("lens distortion") }, "\(said)")
    let frame = try #require(scan.capture.frames.first)
    #expect(scan.capture.frames.allSatisfy { $0.distortion == frame.distortion })
    guard case .radialTangential(let numerator, _, _) = frame.distortion else {
      Issue.record("\(frame.distortion)")
      return
    }
    #expect(abs(numerator.x - k1) < 0.02)
    // Focal length is not traded for distortion.
    let focal = frame.intrinsics.focalLength.x / capture.frames[0].intrinsics.focalLength.x
    #expect(abs(focal - 1) < 0.015, "\(focal), \(numerator.x)")
  }

  @Test func `the mesh of another scene is refused`() throws {
    let turn = Transform(rotationAbout: SIMD3(1, 2, 3), by: 1.1)
    let stretched = Transform(
      x: turn.x * 0.7, y: turn.y * 1.1, z: turn.z * 2.5, translation: SIMD3(0.2, 0.1, -0.3))
    let outcome = try check(scene: { scene in
      let frames = scene.capture
      scene.apply(stretched)
      scene.capture = frames
    })
    let error = try #require(outcome.error, "\(outcome.warnings)")
    #expect(error.exitCode == .data)
    #expect(error.message.contains("of another scan?"), "\(error.message)")
  }

  // MARK: Small and incomplete meshes

  /// The faces of the room that lie in a box.
  private func crop(_ scene: inout Scene, to box: Box) {
    let mesh = scene.meshes[0]
    let kept = (0..<mesh.faceCount).filter { face in
      let (a, b, c) = mesh.vertices(ofFace: face)
      return [a, b, c].allSatisfy { vertex in
        let place = mesh.positions[Int(vertex)].simd
        return (0..<3).allSatisfy {
          place[$0] >= box.minimum[$0] && place[$0] <= box.maximum[$0]
        }
      }
    }
    scene.meshes[0] = Mesh(
      positions: mesh.positions, indices: kept.flatMap { mesh.indices[3 * $0..<3 * $0 + 3] })
  }

  @Test func `a mesh that fills little of every picture is seen`() throws {
    let small = Box(minimum: SIMD3(0.2, -0.7, -0.9), maximum: SIMD3(0.8, -0.5, -0.3))
    let outcome = try check(
      { frames, _ in for index in frames.indices { frames[index].depth = nil } },
      scene: { self.crop(&$0, to: small) })
    #expect(outcome.error?.message == nil)
    #expect(outcome.warnings == [])
    #expect(outcome.frames.count == 14)
  }

  @Test func `what the mesh lacks makes no other reading better`() throws {
    // The floor and walls alone, at a scale of its own; table and cabinet are in all pictures.
    let capture = try Self.shared.get()
    var scene = capture.scene
    scene.capture = Capture(frames: capture.frames)
    for index in capture.frames.indices { scene.capture?.frames[index].depth = nil }
    crop(
      &scene,
      to: Box(minimum: SIMD3(-3, -1.3, -3), maximum: SIMD3(3, -1.2, 3)))
    scene.apply(Transform(scale: SIMD3(repeating: 7.3)))
    var scan = CapturedScan(capture: try #require(scene.capture), coordinateSystem: nil)
    let warnings = Mutex<[String]>([])
    let context = CaptureReadingContext { message in warnings.withLock { $0.append(message) } }
    try PoseFitting.fit(&scan, to: scene, path: "table", misfits: .refused, in: context)
    #expect(warnings.withLock(\.self) == [])
    #expect(scan.capture.frames.count == 14)
  }
}
