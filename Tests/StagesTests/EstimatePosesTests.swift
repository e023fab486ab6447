import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Stages
import Testing

/// Poses found by the real COLMAP in rendered photographs of a box on a floor.
struct EstimatePosesTests {
  /// A box of random cells on a floor of random cells, from cameras on an arc.
  private struct Pictures {
    let folder: TemporaryFolder
    let poses: [Transform]
    var photographs: [Capture.Photograph] = []
    static let size = SIMD2(480, 360)
    static let focalLength = 400.0
    /// On the floor, which is y = 0.
    static let box = Box(minimum: SIMD3(-0.4, 0, -0.4), maximum: SIMD3(0.4, 0.6, 0.4))

    init(count: Int = 10) throws {
      folder = try TemporaryFolder()
      poses = (0..<count).map { index in
        let angle = 1.6 * (Double(index) / Double(count - 1) - 0.5)
        let eye = SIMD3(1.9 * sin(angle), 1.1 + 0.1 * Double(index % 3), 1.9 * cos(angle))
        return SyntheticCapture.pose(at: eye, lookingAt: SIMD3(0, 0.2, 0))
      }
      for (index, pose) in poses.enumerated() {
        let image = Self.picture(from: pose)
        let path = "\(folder.path)/\(index).png"
        try Data(PNG.encode(image, level: 1)).write(to: URL(fileURLWithPath: path))
        photographs.append(
          Capture.Photograph(name: "\(index).png", path: path, imageSize: Self.size))
      }
    }

    private static func picture(from pose: Transform) -> Image {
      var pixels: [UInt8] = []
      pixels.reserveCapacity(3 * size.x * size.y)
      for y in 0..<size.y {
        for x in 0..<size.x {
          var sum = 0
          for sample in 0..<4 {
            let column = Double(x) + 0.25 + 0.5 * Double(sample % 2)
            let row = Double(y) + 0.25 + 0.5 * Double(sample / 2)
            let ray = pose.apply(
              toVector: SIMD3(
                (column - Double(size.x) / 2) / focalLength,
                (Double(size.y) / 2 - row) / focalLength, -1))
            sum += shade(from: pose.translation, along: ray)
          }
          let shade = UInt8(sum / 4)
          pixels += [shade, shade, shade]
        }
      }
      return Image(width: size.x, height: size.y, pixels: pixels)
    }

    /// Of the first thing on a ray, 40 to 220; of the sky 128.
    private static func shade(from eye: SIMD3<Double>, along ray: SIMD3<Double>) -> Int {
      var (near, far) = (0.0, Double.infinity)
      for axis in 0..<3 {
        let one = (Double(box.minimum[axis]) - eye[axis]) / ray[axis]
        let other = (Double(box.maximum[axis]) - eye[axis]) / ray[axis]
        (near, far) = (max(near, min(one, other)), min(far, max(one, other)))
      }
      let floor = ray.y < 0 ? -eye.y / ray.y : .infinity
      let distance = near < far ? min(near, floor) : floor
      guard distance < 20 else { return 128 }
      let place = eye + ray * distance
      return (value(place, cell: 0.11, seed: 1) * 2 + value(place, cell: 0.037, seed: 2)) / 3
    }

    private static func value(_ place: SIMD3<Double>, cell: Double, seed: UInt64) -> Int {
      // Just inside faces, so that rounding does not decide.
      let cells = (place * 0.999 + 100.0013) / cell
      var state = seed
      for axis in 0..<3 {
        var random = SeededGenerator(seed: state ^ UInt64(cells[axis]) &* 0x9E37_79B9)
        state = random.next()
      }
      return 40 + Int(state % 181)
    }

    var scene: Scene {
      var capture = Capture()
      capture.photographs = photographs
      return Scene(name: "box", capture: capture)
    }
  }

  @Test func `poses of rendered photographs are the true ones but for a similarity`() throws {
    #if os(Linux)
      _ = try Checkers.program("colmap")
    #else
      guard FileSystem.program(named: "colmap") != nil else { return }
    #endif
    let pictures = try Pictures()
    let context = StageContext()
    let scene = try EstimatePoses(.init()).run(pictures.scene, in: context)
    let frames = try #require(scene.capture?.frames)
    #expect(frames.map(\.name) == pictures.photographs.map(\.name))
    #expect(scene.capture?.photographs == [])
    #expect(context.warnings == [])
    let fit = Similarity(
      from: frames.map(\.pose.translation), to: pictures.poses.map(\.translation))
    for (frame, truth) in zip(frames, pictures.poses) {
      let place = fit.apply(frame.pose.translation)
      // A hundredth of the arc of cameras, which is 2.7 m long.
      #expect((place - truth.translation).length < 0.027)
      let pairs = [(frame.pose.x, truth.x), (frame.pose.y, truth.y), (frame.pose.z, truth.z)]
      for (found, expected) in pairs {
        let cosine = fit.turned(found).dot(expected)
        #expect(acos(min(1, cosine)) < 0.2 * .pi / 180)
      }
      #expect(abs(frame.intrinsics.focalLength.x / Pictures.focalLength - 1) < 0.02)
    }
    // The floor shows where up is, and is at 0.
    #expect(fit.turned(SIMD3(0, 1, 0)).y > cos(0.5 * .pi / 180))
    let points = try #require(scene.pointClouds.first)
    #expect(points.positions.count > 300)
    let heights = points.positions.map { fit.apply(SIMD3<Double>($0.simd)).y }
    #expect(heights.count { abs($0) < 0.02 } > points.positions.count / 3)
    #expect(scene.interpretation.isAssumed(.unit))
    #expect(scene.interpretation[.unit]?.isDoubtful == true)
    #expect(scene.interpretation[.axes]?.source == .numbers)
  }

  @Test func `a scene with a mesh has no place for photographs`() throws {
    var scene = Scene(name: "both", meshes: [MeshFixtures.grid(columns: 1, rows: 1)])
    var capture = Capture()
    capture.photographs = [.init(name: "a.jpg", path: "a.jpg", imageSize: SIMD2(4, 3))]
    scene.capture = capture
    #expect(throws: EstimatePoses.Failure.notAlone) {
      try EstimatePoses(.init()).run(scene, in: StageContext())
    }
  }
}

/// The similarity that moves points onto others with the least squares (Umeyama 1991, by an iteration for the rotation).
private struct Similarity {
  private var rotation = Transform.identity
  private var scale = 1.0
  private var (source, target) = (SIMD3<Double>.zero, SIMD3<Double>.zero)

  init(from points: [SIMD3<Double>], to others: [SIMD3<Double>]) {
    source = points.reduce(.zero, +) / Double(points.count)
    target = others.reduce(.zero, +) / Double(others.count)
    var covariance = Transform(x: .zero, y: .zero, z: .zero)
    var spread = 0.0
    for (point, other) in zip(points, others) {
      let (a, b) = (point - source, other - target)
      covariance.x += b * a.x
      covariance.y += b * a.y
      covariance.z += b * a.z
      spread += a.dot(a)
    }
    rotation = PrincipalAxes(covariance).nearestIsometry
    let product =
      covariance.x.dot(rotation.x) + covariance.y.dot(rotation.y) + covariance.z.dot(rotation.z)
    scale = product / spread
  }

  func turned(_ direction: SIMD3<Double>) -> SIMD3<Double> { rotation.apply(toVector: direction) }
  func apply(_ point: SIMD3<Double>) -> SIMD3<Double> { target + turned(point - source) * scale }
}
