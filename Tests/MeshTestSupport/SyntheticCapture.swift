import Foundation
import MeshPipeline
import NativeLibraries

/// Pictures and depth maps of a ``SyntheticRoom`` from known cameras, in files of a temporary folder.
///
/// What is wrong with real captures can be switched on, one by one, and the truth stays known.
package struct SyntheticCapture: Sendable {
  /// The room's mesh, and the frames with their recorded poses.
  package let scene: Scene
  /// Where the cameras really were, frame by frame.
  package let truePoses: [Transform]
  /// What each frame's linear red, green and blue were multiplied by.
  package let gains: [SIMD3<Float>]
  package let room: SyntheticRoom
  /// Holds the files, and removes them when the last copy of the capture is gone.
  package let folder: TemporaryFolder

  /// The frames with their recorded poses.
  package var frames: [Capture.Frame] { scene.capture?.frames ?? [] }

  package struct Options: Sendable {
    package var frameCount = 12
    package var size = SIMD2(160, 120)
    /// Rays for each pixel are the square of it.
    package var samples = 2
    /// Of the width of the picture, in degrees.
    package var fieldOfView = 75.0
    package var distortion = Capture.Distortion.none
    /// Where the cameras are; on an ellipse in the middle of the room when empty.
    package var poses: [Transform] = []
    /// Standard deviations of the error of the recorded poses, in metres and radians.
    package var poseNoise = (meters: 0.0, radians: 0.0)
    /// Standard deviation of the logarithm of each frame's exposure; also written into the frame.
    package var exposureJitter = 0.0
    /// Standard deviation of the logarithm of each channel's gain; written nowhere.
    package var whiteBalanceJitter = 0.0
    /// Frames out of focus, with the standard deviation of the blur in pixels.
    package var blurred: [Int: Float] = [:]
    /// Frames in which the person stands.
    package var framesWithPerson: Set<Int> = []
    package var hasPlainWall = false
    /// The size of depth maps, with confidences (2, and 1 beyond 3 m); nil for none.
    package var depthSize: SIMD2<Int>? = SIMD2(40, 30)
    /// The quality of JPEG files; PNG files when nil.
    package var jpegQuality: Int?
    /// The largest edge of the mesh's quads, in metres.
    package var cell: Float = 0.5
    package var seed: UInt64 = 1

    package init() {}
  }

  /// Renders all frames.
  package init(_ change: (inout Options) -> Void = { _ in }) throws {
    var options = Options()
    change(&options)
    try self.init(options)
  }

  package init(_ options: Options) throws {
    folder = try TemporaryFolder()
    room = SyntheticRoom(hasPlainWall: options.hasPlainWall)
    truePoses =
      options.poses.isEmpty ? Self.poses(count: options.frameCount) : options.poses
    var noise = Noise(seed: options.seed)
    var frames: [Capture.Frame] = []
    var gains: [SIMD3<Float>] = []
    for index in truePoses.indices {
      let exposure = exp(noise.next() * options.exposureJitter)
      let balance = noise.vector() * options.whiteBalanceJitter
      gains.append(
        SIMD3(
          Float(exposure * exp(balance.x)), Float(exposure * exp(balance.y)),
          Float(exposure * exp(balance.z))))
      var frame = Self.frame(index, options, in: folder)
      frame.exposure = Capture.Exposure(duration: exposure / 60, iso: 100)
      frame.pose = noise.moved(truePoses[index], by: options.poseNoise)
      frames.append(frame)
    }
    self.gains = gains
    scene = Scene(
      name: "room", meshes: [SyntheticRoom.mesh(cell: options.cell)],
      capture: Capture(frames: frames))
    try writePictures(options)
  }

  /// The true colour of a point of the room as a picture with a gain of 1 shows it: sRGB, 0 to 255.
  package func code(at point: SIMD3<Float>) -> SIMD3<Float> {
    let color = room.color(at: point)
    return SIMD3(SRGB.code(color.x), SRGB.code(color.y), SRGB.code(color.z)) * 255
  }

  /// Cameras on an ellipse who look across the room, up and down in turns.
  package static func poses(count: Int) -> [Transform] {
    (0..<count).map { index in
      let angle = 2 * Double.pi * (Double(index) + 0.5) / Double(count)
      let eye = SIMD3(0.9 * cos(angle), 0.2 + 0.15 * sin(5 * angle), 0.7 * sin(angle))
      let height = [-0.9, 0.1, -0.4, 0.8][index % 4]
      return pose(
        at: eye, lookingAt: SIMD3(-1.6 * cos(angle + 0.4), height, -1.4 * sin(angle + 0.4)))
    }
  }

  /// The upright camera at a point that looks at another.
  package static func pose(at eye: SIMD3<Double>, lookingAt target: SIMD3<Double>) -> Transform {
    let backward = (eye - target).normalized
    let right = SIMD3(0, 1, 0).cross(backward).normalized
    return Transform(x: right, y: backward.cross(right), z: backward, translation: eye)
  }

  private static func frame(
    _ index: Int, _ options: Options, in folder: TemporaryFolder
  ) -> Capture.Frame {
    let size = SIMD2<Double>(options.size)
    let focalLength = size.x / 2 / tan(options.fieldOfView * .pi / 360)
    let name = "frame_" + String(repeating: "0", count: 5 - String(index).count) + String(index)
    let image = "\(folder.path)/\(name).\(options.jpegQuality == nil ? "png" : "jpg")"
    return Capture.Frame(
      name: name, image: .file(image), imageSize: options.size,
      intrinsics: Capture.Intrinsics(
        focalLength: SIMD2(focalLength, focalLength),
        principalPoint: size / 2 + SIMD2(1.25, -0.75)),
      distortion: options.distortion, pose: .identity,
      depth: options.depthSize.map { _ in
        Capture.DepthSource(
          path: "\(folder.path)/depth_\(index).png", encoding: .png16(metersPerUnit: 0.001),
          confidence: Capture.DepthSource.Confidence(path: "\(folder.path)/conf_\(index).png"))
      },
      timestamp: Double(index) * 0.5, tracking: .normal)
  }
}

/// Normally distributed numbers that are the same for the same seed.
private struct Noise {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// By Box and Muller.
  mutating func next() -> Double {
    let radius = Double.random(in: 1e-12..<1, using: &generator)
    let angle = Double.random(in: 0..<2 * .pi, using: &generator)
    return (-2 * log(radius)).squareRoot() * cos(angle)
  }

  mutating func vector() -> SIMD3<Double> { SIMD3(next(), next(), next()) }

  /// A pose with an error; the camera turns about its own centre.
  mutating func moved(
    _ pose: Transform, by deviation: (meters: Double, radians: Double)
  ) -> Transform {
    let (shift, turn) = (vector() * deviation.meters, vector() * deviation.radians)
    guard turn.length > 0 else {
      return Transform(translation: shift) * pose
    }
    let rotation = Transform(rotationAbout: turn, by: turn.length)
    return Transform(translation: shift) * rotation.about(pose.translation) * pose
  }
}

/// The transfer function of sRGB.
enum SRGB {
  /// The code, 0 to 1, of linear light, which is cut off at 0 and 1.
  static func code(_ light: Float) -> Float {
    let light = min(max(light, 0), 1)
    return light <= 0.003_130_8 ? 12.92 * light : 1.055 * powf(light, 1 / 2.4) - 0.055
  }
}
