import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Photogrammetry
@testable import Stages

/// A wall that eight cameras see, and a pole before it that the mesh lacks.
struct ForegroundVoteTests {
  private static let size = SIMD2(160, 120)
  private static let frameCount = 8

  private static func wall() -> Mesh {
    Mesh(
      positions: [Vector3(-1, -1, 0), Vector3(1, -1, 0), Vector3(1, 1, 0), Vector3(-1, 1, 0)],
      indices: [0, 1, 2, 0, 2, 3])
  }

  /// - Parameters:
  ///   - spacing: From one camera to the next.
  ///   - focalLength: In pixels.
  private static func camera(
    _ index: Int, _ folder: TemporaryFolder, spacing: Double = 0.1, focalLength: Double = 120
  ) -> Capture.Frame {
    Capture.Frame(
      name: "\(index)", image: .file("\(folder.path)/\(index).png"), imageSize: size,
      intrinsics: Capture.Intrinsics(
        focalLength: SIMD2(focalLength, focalLength), principalPoint: SIMD2(80, 60)),
      pose: SyntheticCapture.pose(
        at: SIMD3(spacing * (Double(index) - 3.5), 0.1, 1.5), lookingAt: SIMD3(0, 0, 0)))
  }

  /// The wall is bright, with stripes that poses don't quite match.
  private static func code(at point: SIMD3<Float>) -> UInt8 {
    UInt8(170 + 30 * sin(point.x * 25) * cos(point.y * 17))
  }

  /// Writes a frame's picture.
  ///
  /// - Parameter code: The grey that a ray from the camera shows.
  private static func photograph(
    _ frame: Capture.Frame, _ code: (SIMD3<Float>) -> UInt8
  ) throws {
    let camera = Camera(frame)
    var pixels: [UInt8] = []
    for pixel in 0..<size.x * size.y {
      let ray = camera.ray(
        through: SIMD2(Float(pixel % size.x) + 0.5, Float(pixel / size.x) + 0.5))
      pixels += Array(repeating: code(ray), count: 3)
    }
    let image = Image(width: size.x, height: size.y, pixels: pixels)
    try Data(PNG.encode(image, level: 1)).write(to: URL(fileURLWithPath: frame.image.path))
  }

  /// - Parameters:
  ///   - poles: The frames that show the pole, half a metre from the wall.
  ///   - radius: Half the pole's width.
  private static func scene(
    _ folder: TemporaryFolder, poles: Set<Int>, radius: Float = 0.02
  ) throws -> Scene {
    let frames = try (0..<frameCount).map { index in
      let frame = camera(index, folder)
      let position = Camera(frame).position
      try photograph(frame) { ray in
        let front = position - ray * ((position.z - 0.5) / ray.z)
        let isPole = poles.contains(index) && abs(front.x) < radius
        return isPole ? 20 : code(at: position - ray * (position.z / ray.z))
      }
      return frame
    }
    var scene = Scene(meshes: [wall()])
    scene.capture = Capture(frames: frames)
    return scene
  }

  private static func offCamera(_ index: Int, _ folder: TemporaryFolder) -> Capture.Frame {
    camera(index, folder, spacing: 0.5, focalLength: 300)
  }

  /// From far apart, a small dark disc on a wall that is seven centimetres before the mesh.
  private static func offScene(_ folder: TemporaryFolder) throws -> Scene {
    var scene = Scene(meshes: [wall()])
    let frames = try (0..<frameCount).map { index in
      let frame = offCamera(index, folder)
      let position = Camera(frame).position
      try photograph(frame) { ray in
        let hit = position - ray * ((position.z - 0.07) / ray.z)
        return hit.x * hit.x + hit.y * hit.y < 0.013 * 0.013 ? 40 : 180
      }
      return frame
    }
    scene.capture = Capture(frames: frames)
    return scene
  }

  private static func observations(
    _ scene: Scene, depthBoundsStep: Int = 2, reduction: Int = 2
  ) throws -> FrameObservations {
    let surface = try ObservedSurface(scene)
    var options = BakeOptions.ofTests
    options.analysis.depthBoundsStep = depthBoundsStep
    options.analysis.reduction = reduction
    return try FrameObservations(
      BakeMesh(surface, edgeLimit: 0.1), on: surface, frames: scene.capture?.frames ?? [],
      options: options
    ) { _ in }
  }

  private static func foregrounds(
    _ scene: Scene, depthBoundsStep: Int = 2, reduction: Int = 2
  ) throws -> [ForegroundMask?] {
    try observations(scene, depthBoundsStep: depthBoundsStep, reduction: reduction)
      .calibration.foregrounds
  }

  @Test func `a pole that two frames show is found in them alone`() throws {
    let folder = try TemporaryFolder()
    let foregrounds = try Self.foregrounds(Self.scene(folder, poles: [2, 6]))
    for (index, mask) in foregrounds.enumerated() {
      guard [2, 6].contains(index) else {
        #expect(mask == nil)
        continue
      }
      let mask = try #require(mask)
      let camera = Camera(Self.camera(index, folder), size: SIMD2(mask.width, mask.height))
      var (inside, outside) = (0, 0)
      for y in 2..<mask.height - 2 {
        for x in 0..<mask.width {
          let ray = camera.ray(through: SIMD2(Float(x) + 0.5, Float(y) + 0.5))
          let hit = camera.position - ray * (camera.position.z / ray.z)
          let front = camera.position - ray * ((camera.position.z - 0.5) / ray.z)
          guard abs(hit.x) < 0.9, abs(hit.y) < 0.6 else { continue }
          if abs(front.x) < 0.02, !mask.contains(x, y) { inside += 1 }
          // Two pixels of the map are 5 cm there.
          if abs(front.x) > 0.1, mask.contains(x, y) { outside += 1 }
        }
      }
      #expect(inside == 0 && outside == 0)
    }
  }

  @Test func `a pole that two frames show is not painted`() throws {
    let folder = try TemporaryFolder()
    var scene = try Self.scene(folder, poles: [2, 6])
    let selection = ViewSelection(try Self.observations(scene), density: 80)
    let bakeMesh = selection.calibration.domain.mesh
    for vertex in 0..<bakeMesh.vertexCount {
      let point = bakeMesh.positions[vertex].simd
      guard abs(point.x) < 0.8, abs(point.y) < 0.6 else { continue }
      for index in selection.selected.range(of: vertex) {
        let frame = Int(selection.selected.contributions[index].frame)
        guard [2, 6].contains(frame) else { continue }
        let camera = Camera(Self.camera(frame, folder)).position
        let front = camera + (point - camera) * ((camera.z - 0.5) / camera.z)
        #expect(abs(front.x) > 0.02, "frame \(frame) at \(point)")
      }
    }
    var parameters = BakeTexture.Parameters()
    (parameters.size, parameters.format) = (128, .png)
    scene = try BakeTexture(parameters).run(scene, in: StageContext())
    let page = try Image.decoded(from: scene.textures[0].bytes, path: "page")
    #expect(try #require(page.pixels.min()) > 100)
  }

  @Test func `frames that show the wall alone have no foreground`() throws {
    let folder = try TemporaryFolder()
    let foregrounds = try Self.foregrounds(Self.scene(folder, poles: []))
    #expect(foregrounds.allSatisfy { $0 == nil })
  }

  @Test func `what is on a surface that is off is no foreground`() throws {
    let folder = try TemporaryFolder()
    let foregrounds = try Self.foregrounds(Self.offScene(folder), depthBoundsStep: 1)
    for (index, mask) in foregrounds.enumerated() {
      guard let mask else { continue }
      // The middle of the disc; its rim mixes with the wall.
      let camera = Camera(Self.offCamera(index, folder), size: SIMD2(mask.width, mask.height))
      let place = try #require(camera.project(SIMD3(0, 0, 0.07)))
      let isMasked = mask.contains(near: SIMD2(place.x, place.y), within: 1)
      #expect(!isMasked, "frame \(index)")
    }
  }

  @Test func `a mask keeps what hangs together and grows by a pixel`() throws {
    var doubts = [ForegroundMask.Doubt](repeating: .none, count: 40 * 30)
    for y in 5..<25 { doubts[y * 40 + 10 + y % 2] = y % 2 == 0 ? .strong : .weak }
    // Specks, weak things and what fills the picture are none.
    for x in 20..<23 { doubts[(4 + x % 2) * 40 + x] = .strong }
    for y in 10..<20 { for x in 20..<24 { doubts[y * 40 + x] = .weak } }
    let mask = try #require(ForegroundMask(width: 40, height: 30, doubts: doubts))
    for y in 0..<30 {
      for x in 0..<40 {
        let isFar = y < 4 || y > 25 || x < 9 || x > 12
        if (10...11).contains(x), (5...24).contains(y) { #expect(mask.contains(x, y)) }
        if isFar { #expect(!mask.contains(x, y)) }
      }
    }
    #expect(mask.contains(near: SIMD2(13.5, 10.5), within: 2))
    #expect(!mask.contains(near: SIMD2(15.5, 10.5), within: 2))
    #expect(
      ForegroundMask(width: 4, height: 4, doubts: Array(repeating: .strong, count: 16)) == nil)
  }

  @Test func `a mask is scaled to the pixels of another size`() throws {
    var doubts = [ForegroundMask.Doubt](repeating: .none, count: 40 * 30)
    for y in 8..<22 { doubts[y * 40 + 10] = .strong }
    let mask = try #require(ForegroundMask(width: 40, height: 30, doubts: doubts))
    let larger = mask.scaled(width: 60, height: 45)
    #expect(larger.width == 60 && larger.height == 45)
    for y in 0..<45 {
      for x in 0..<60 {
        // The middle of a pixel, in pixels of the mask.
        let (column, row) = (Int((Double(x) + 0.5) / 1.5), Int((Double(y) + 0.5) / 1.5))
        #expect(larger.contains(x, y) == mask.contains(column, row))
      }
    }
  }

  @Test func `a pole is found in pictures larger than the vote photometry at`() throws {
    let folder = try TemporaryFolder()
    var scene = try Self.scene(folder, poles: [3], radius: 0.01)
    // The same pictures, of which the frames say that they are three times as wide.
    let frames = scene.capture?.frames ?? []
    scene.capture?.frames = frames.map { frame in
      var frame = frame
      frame.intrinsics = frame.intrinsics.scaled(from: frame.imageSize, to: frame.imageSize &* 3)
      frame.imageSize = frame.imageSize &* 3
      return frame
    }
    let foregrounds = try Self.foregrounds(scene, depthBoundsStep: 1, reduction: 1)
    let mask = try #require(foregrounds[3])
    #expect(mask.width == 480 && mask.height == 360)
    let camera = Camera(Self.camera(3, folder), size: SIMD2(mask.width, mask.height))
    for height: Float in [-0.2, 0, 0.2] {
      let place = try #require(camera.project(SIMD3(0, height, 0.5)))
      let isFound = mask.contains(Int(place.x), Int(place.y))
      let beside = try #require(camera.project(SIMD3(0.06, height, 0.5)))
      let isBeside = mask.contains(Int(beside.x), Int(beside.y))
      #expect(isFound && !isBeside, "at \(height)")
    }
    let others = foregrounds.indices.filter { foregrounds[$0] != nil }
    #expect(others == [3])
  }
}
