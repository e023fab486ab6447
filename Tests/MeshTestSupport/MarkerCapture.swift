import Foundation
import MeshPipeline
import NativeLibraries

/// Photographs of printed markers on two planes, from known cameras, in files of a temporary folder.
///
/// Markers lie on a floor (z = 0, seen from above) and on a wall (y = 0.5, up to z = 0.6), in metres. What the scene says of it may
/// be of another size than the truth.
package struct MarkerCapture: Sendable {
  /// A print.
  package struct Print: Sendable {
    package var dictionary = MarkerDictionary.aruco6x6Of50
    package var identifier: Int
    /// The side of the black square.
    package var side = 0.05
    /// The middle, on the floor: x and y; on the wall: x and z.
    package var center: SIMD2<Double>
    package var isOnWall = false
    /// From this frame on the print lies elsewhere by so much.
    package var moves: (frame: Int, by: SIMD2<Double>)?

    package init(_ identifier: Int, at center: SIMD2<Double>) {
      (self.identifier, self.center) = (identifier, center)
    }
  }

  package struct Options: Sendable {
    package var prints = MarkerCapture.prints
    package var frameCount = 8
    package var size = SIMD2(640, 480)
    /// The scene's size relative to the true one.
    package var scale = 1.0
    /// The depths' size relative to the true one; nil for no depth maps.
    package var depthScale: Double?
    /// By how much the scene's mesh lies above the floor and before the wall, in true metres.
    package var meshOffset = 0.0
    /// The standard deviation of blur in pixels, and of noise in codes.
    package var blur = 0.8
    package var noise = 1.5
    package var distortion = Capture.Distortion.none
    /// All cameras are at the same place.
    package var isStill = false

    package init() {}
  }

  package let scene: Scene
  package let folder: TemporaryFolder

  /// Six on the floor, two on the wall.
  package static let prints: [Print] =
    (0..<6).map { Print($0, at: SIMD2(Double($0 % 3) * 0.15 - 0.15, Double($0 / 3) * 0.15)) }
    + (6..<8).map { identifier in
      var print = Print(identifier, at: SIMD2(Double(identifier - 6) * 0.2 - 0.1, 0.15))
      print.isOnWall = true
      return print
    }

  package init(_ change: (inout Options) -> Void = { _ in }) throws {
    var options = Options()
    change(&options)
    folder = try TemporaryFolder()
    var frames: [Capture.Frame] = []
    for index in 0..<options.frameCount {
      let angle = options.isStill ? 0.2 : 2.4 * (Double(index) / Double(options.frameCount) - 0.5)
      let eye = SIMD3(0.45 * sin(angle), -0.35 * cos(angle), 0.5 + 0.03 * Double(index % 3))
      let truth = Self.pose(at: eye, lookingAt: SIMD3(0, 0.15, 0.05))
      var frame = Capture.Frame(
        name: "frame_\(index)", image: .file("\(folder.path)/\(index).png"),
        imageSize: options.size,
        intrinsics: Capture.Intrinsics(
          focalLength: SIMD2(repeating: 0.75 * Double(options.size.x)),
          principalPoint: SIMD2<Double>(options.size) / 2 + SIMD2(1.5, -0.5)),
        distortion: options.distortion, pose: truth)
      try Self.picture(of: frame, index, options)
        .write(to: URL(fileURLWithPath: frame.image.path))
      if let scale = options.depthScale {
        let path = "\(folder.path)/depth_\(index).bin"
        try Self.depths(of: frame, scale).write(to: URL(fileURLWithPath: path))
        frame.depth = Capture.DepthSource(path: path, encoding: .float32(width: 64, height: 48))
      }
      frame.pose.translation *= options.scale
      frames.append(frame)
    }
    scene = Scene(
      name: "prints", meshes: [Self.mesh(options)], capture: Capture(frames: frames))
  }

  private static func pose(at eye: SIMD3<Double>, lookingAt target: SIMD3<Double>) -> Transform {
    let backward = (eye - target).normalized
    let right = SIMD3(0, 0, 1).cross(backward).normalized
    return Transform(x: right, y: backward.cross(right), z: backward, translation: eye)
  }

  /// The floor and the wall.
  private static func mesh(_ options: Options) -> Mesh {
    let lift = options.meshOffset
    let corners: [SIMD3<Double>] = [
      SIMD3(-0.6, -0.5, lift), SIMD3(0.6, -0.5, lift), SIMD3(0.6, 0.5 - lift, lift),
      SIMD3(-0.6, 0.5 - lift, lift), SIMD3(0.6, 0.5 - lift, 0.6), SIMD3(-0.6, 0.5 - lift, 0.6),
    ]
    return Mesh(
      name: "floor", positions: corners.map { Vector3(SIMD3<Float>($0 * options.scale)) },
      indices: [0, 1, 2, 0, 2, 3, 3, 2, 4, 3, 4, 5])
  }

  // MARK: Pictures

  /// The distance along a ray to the floor or the wall, and the place there.
  private static func hit(
    _ origin: SIMD3<Double>, _ ray: SIMD3<Double>
  ) -> (distance: Double, place: SIMD2<Double>, isOnWall: Bool) {
    let floor = ray.z < 0 ? -origin.z / ray.z : .infinity
    let wall = ray.y > 0 ? (0.5 - origin.y) / ray.y : .infinity
    let distance = min(floor, wall)
    let point = origin + ray * distance
    return wall < floor
      ? (distance, SIMD2(point.x, point.z), true) : (distance, SIMD2(point.x, point.y), false)
  }

  /// Linear light, with four rays a pixel.
  private static func picture(
    of frame: Capture.Frame, _ index: Int, _ options: Options
  ) throws -> Data {
    let camera = Camera(frame)
    let prints = options.prints.map { print in
      var print = print
      if let moves = print.moves, index >= moves.frame { print.center += moves.by }
      return (print, cells: print.dictionary.cells(of: print.identifier) ?? [])
    }
    let samples = 3
    var light = Parallel.map(count: options.size.y) { y -> [Float] in
      (0..<options.size.x).map { x in
        var sum: Float = 0
        for sample in 0..<samples * samples {
          let pixel =
            SIMD2(Double(x), Double(y))
            + (SIMD2(Double(sample % samples), Double(sample / samples)) + 0.5) / Double(samples)
          let ray = SIMD3<Double>(camera.ray(through: SIMD2<Float>(pixel)))
          let hit = hit(frame.pose.translation, ray)
          sum += paper(hit.place, hit.isOnWall, prints)
        }
        return sum / Float(samples * samples)
      }
    }
    blur(&light, by: options.blur)
    var generator = SeededGenerator(seed: UInt64(index))
    let codes = light.joined().map { value -> UInt8 in
      let noise =
        options.noise * (0..<3).reduce(0) { sum, _ in sum + .random(in: -1...1, using: &generator) }
      return UInt8(max(0, min(255, (255 * Double(SRGB.code(value)) + noise).rounded())))
    }
    let image = Image(
      width: options.size.x, height: options.size.y, pixels: codes.flatMap { [$0, $0, $0] })
    return Data(try PNG.encode(image, level: 1))
  }

  /// The light of the paper: the prints, with a white border, on grey.
  private static func paper(
    _ place: SIMD2<Double>, _ isOnWall: Bool, _ prints: [(Print, cells: [Bool])]
  ) -> Float {
    for (print, cells) in prints where print.isOnWall == isOnWall {
      // A marker's rows run towards the viewer on the floor, and down on the wall.
      let offset = (place - print.center) / print.side
      guard max(abs(offset.x), abs(offset.y)) < 0.65 else { continue }
      let side = print.dictionary.side
      let column = Int(((offset.x + 0.5) * Double(side)).rounded(.down))
      let row = Int(((0.5 - offset.y) * Double(side)).rounded(.down))
      guard (0..<side).contains(column), (0..<side).contains(row) else { return 0.75 }
      return cells[row * side + column] ? 0.75 : 0.03
    }
    return 0.35
  }

  /// A Gaussian blur of rows; the border is left as it is.
  private static func blur(_ light: inout [[Float]], by deviation: Double) {
    guard deviation > 0 else { return }
    let radius = Int((3 * deviation).rounded(.up))
    let weights = (-radius...radius).map {
      Float(exp(-Double($0 * $0) / (2 * deviation * deviation)))
    }
    let sum = weights.reduce(0, +)
    func across(_ rows: [[Float]]) -> [[Float]] {
      Parallel.map(count: rows.count) { y in
        let row = rows[y]
        return row.indices.map { x in
          guard x >= radius, x + radius < row.count else { return row[x] }
          var value: Float = 0
          for (index, weight) in weights.enumerated() { value += weight * row[x + index - radius] }
          return value / sum
        }
      }
    }
    func turned(_ rows: [[Float]]) -> [[Float]] {
      (rows.first ?? []).indices.map { x in rows.map { $0[x] } }
    }
    light = turned(across(turned(across(light))))
  }

  private static func depths(of frame: Capture.Frame, _ scale: Double) -> Data {
    let camera = Camera(frame, size: SIMD2(64, 48))
    var data = Data()
    for y in 0..<48 {
      for x in 0..<64 {
        let ray = SIMD3<Double>(camera.ray(through: SIMD2(Float(x) + 0.5, Float(y) + 0.5)))
        let depth = Float(hit(frame.pose.translation, ray).distance * scale)
        withUnsafeBytes(of: depth.bitPattern.littleEndian) { data.append(contentsOf: $0) }
      }
    }
    return data
  }
}
