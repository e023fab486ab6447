import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries

/// Captures of the sample's living room, as the 3D Scanner App exports "All data".
///
/// They belong to nobody and are the same on each run, so the documentation's pictures can be made again.
final class RoomPhotographs: Sendable {
  static let size = SIMD2(400, 300)
  static let focalLength = 300.0

  private let scan: Scan
  private let normals: [SIMD3<Float>]
  private let tracer: RayTracer

  init(of scan: Scan) throws {
    self.scan = scan
    normals = Self.smoothNormals(of: scan)
    tracer = try RayTracer(
      positions: scan.positions.map { Vector3(SIMD3<Float>($0)) },
      indices: scan.faces.flatMap { $0.map(UInt32.init) })
  }

  /// Writes `export.obj`, and a photograph with its camera for each pose.
  ///
  /// - Parameters:
  ///   - target: What the cameras go around; nil for a walk round the room.
  ///   - error: How far the recorded poses are off, in metres; also in radians, a third as much.
  ///   - shaken: The frames that are blurred along the rows.
  func write(
    to folder: String, count: Int, around target: SIMD3<Double>? = nil, error: Double = 0,
    shaken: Set<Int> = []
  ) throws {
    try FileSystem.createFolder(folder)
    try FileManager.default.copyItem(atPath: Checkout.sample, toPath: folder + "/export.obj")
    var generator = SeededGenerator(seed: 5)
    let poses = target.map { Self.poses(count: count, around: $0) } ?? Self.poses(count: count)
    for (index, pose) in poses.enumerated() {
      let name = folder + String(format: "/frame_%05d", index)
      let picture = photograph(from: pose, isShaken: shaken.contains(index))
      try Data(JPEG.encode(picture, quality: 82)).write(to: URL(filePath: name + ".jpg"))
      let recorded = Self.moved(pose, by: error, &generator)
      try Self.camera(recorded, time: Double(index) / 2)
        .write(toFile: name + ".json", atomically: true, encoding: .utf8)
    }
  }

  /// Writes photographs from cameras around a place, and nothing that says where these were.
  func writePhotographs(to folder: String, count: Int, around target: SIMD3<Double>) throws {
    try FileSystem.createFolder(folder)
    for (index, pose) in Self.poses(count: count, around: target).enumerated() {
      let name = folder + String(format: "/photo_%05d.jpg", index)
      try Data(JPEG.encode(photograph(from: pose, isShaken: false), quality: 60))
        .write(to: URL(filePath: name))
    }
  }

  /// Writes depth maps and their cameras, without a photograph or a mesh, and `depth.jpg` beside the
  /// folder: the first map as an image.
  func writeDepths(to folder: String, count: Int) throws {
    try FileSystem.createFolder(folder)
    for (index, pose) in Self.poses(count: count).enumerated() {
      let number = String(format: "_%05d", index)
      let depths = depths(from: pose)
      try Data(PNG.encodeGray16(depths, width: Self.size.x, height: Self.size.y))
        .write(to: URL(filePath: folder + "/depth\(number).png"))
      try Self.camera(pose, time: Double(index) / 2)
        .write(toFile: folder + "/frame\(number).json", atomically: true, encoding: .utf8)
      guard index == 0 else { continue }
      let farthest = max(depths.max() ?? 1, 1)
      let pixels = depths.flatMap { depth in
        [UInt8](repeating: depth == 0 ? 0 : UInt8(255 - 200 * Int(depth) / Int(farthest)), count: 3)
      }
      let picture = Image(width: Self.size.x, height: Self.size.y, pixels: pixels)
      try Data(JPEG.encode(picture, quality: 82))
        .write(to: URL(filePath: FileSystem.folder(of: folder) + "/depth.jpg"))
    }
  }

  /// Millimetres, 0 for what is not there.
  private func depths(from pose: Transform) -> [UInt16] {
    let origin = SIMD3<Float>(pose.translation)
    return (0..<Self.size.x * Self.size.y).map { pixel in
      let offset =
        SIMD2(Double(pixel % Self.size.x), Double(pixel / Self.size.x)) + 0.5
        - SIMD2<Double>(Self.size) / 2
      let ray = Self.ray(of: pose, through: offset / Self.focalLength)
      guard let hit = tracer.firstHit(from: origin, along: ray) else { return 0 }
      return UInt16(min(hit.distance * 1000, 65_535))
    }
  }

  // MARK: Cameras

  /// A ray to depth 1, through a point of the image right of and below its centre.
  private static func ray(of pose: Transform, through point: SIMD2<Double>) -> SIMD3<Float> {
    SIMD3<Float>(pose.x * point.x - pose.y * point.y - pose.z)
  }

  /// A walk round the room at the height of the eyes, looking across it, up and down in turns.
  private static func poses(count: Int) -> [Transform] {
    (0..<count).map { index in
      let angle = 2 * Double.pi * (Double(index) + 0.5) / Double(count)
      let eye = SIMD3(0.95 * cos(angle), 0.12 * sin(5 * angle), 0.75 * sin(angle))
      let height = [-1.3, -0.4, -0.9, 0.3][index % 4]
      return SyntheticCapture.pose(
        at: eye,
        lookingAt: SIMD3(-2 * cos(angle + 0.5), height, -1.6 * sin(angle + 0.5)))
    }
  }

  /// A circle above something, from which all cameras look at it.
  private static func poses(count: Int, around target: SIMD3<Double>) -> [Transform] {
    (0..<count).map { index in
      let angle = 2 * Double.pi * (Double(index) + 0.5) / Double(count)
      let eye = target + SIMD3(1.1 * cos(angle), 1, 1.1 * sin(angle))
      return SyntheticCapture.pose(at: eye, lookingAt: target)
    }
  }

  private static func moved(
    _ pose: Transform, by error: Double, _ generator: inout SeededGenerator
  ) -> Transform {
    guard error > 0 else { return pose }
    var numbers: [Double] = []
    for _ in 0..<6 { numbers.append(Double.random(in: -error...error, using: &generator)) }
    let turn = SIMD3(numbers[0], numbers[1], numbers[2]) / 3
    let shift = SIMD3(numbers[3], numbers[4], numbers[5])
    return Transform(translation: shift)
      * Transform(rotationAbout: turn, by: turn.length).about(pose.translation) * pose
  }

  private static func camera(_ pose: Transform, time: Double) -> String {
    // In the app's files the centre of the first pixel is (0, 0).
    let center = SIMD2<Double>(size) / 2 - 0.5
    let scale = 2 * focalLength / SIMD2<Double>(size)
    let rows = (0..<3).map {
      "\(pose.x[$0]), \(pose.y[$0]), \(pose.z[$0]), \(pose.translation[$0])"
    }
    return """
      {
        "time": \(time), "exposureDuration": 0.01,
        "intrinsics": [\(focalLength), 0, \(center.x), 0, \(focalLength), \(center.y), 0, 0, 1],
        "projectionMatrix": [\(scale.x), 0, 0, 0, 0, \(scale.y), 0, 0, 0, 0, -1, 0, 0, 0, -1, 0],
        "cameraPoseARFrame": [\(rows.joined(separator: ", ")), 0, 0, 0, 1]
      }

      """
  }

  // MARK: Photographs

  private func photograph(from pose: Transform, isShaken: Bool) -> Image {
    let (width, height) = (Self.size.x, Self.size.y)
    let rows = Parallel.map(count: height) { self.row($0, from: pose) }
    let pixels = rows.flatMap { isShaken ? Self.smeared($0) : $0 }
    return Image(width: width, height: height, pixels: pixels.map { UInt8(min(max($0, 0), 255)) })
  }

  /// Red, green and blue of a row, from two rays a pixel.
  private func row(_ y: Int, from pose: Transform) -> [Float] {
    let origin = SIMD3<Float>(pose.translation)
    var row: [Float] = []
    row.reserveCapacity(3 * Self.size.x)
    for x in 0..<Self.size.x {
      var sum: RoomPaint.Color = (0, 0, 0)
      for offset in [0.25, 0.75] {
        let column = (Double(x) + offset - Double(Self.size.x) / 2) / Self.focalLength
        let line = (Double(y) + offset - Double(Self.size.y) / 2) / Self.focalLength
        let ray = Self.ray(of: pose, through: SIMD2(column, line))
        let color = color(from: origin, along: ray)
        sum = (sum.red + color.red, sum.green + color.green, sum.blue + color.blue)
      }
      row += [sum.red / 2, sum.green / 2, sum.blue / 2]
    }
    return row
  }

  private func color(from origin: SIMD3<Float>, along ray: SIMD3<Float>) -> RoomPaint.Color {
    // Through the holes one sees daylight.
    guard let hit = tracer.firstHit(from: origin, along: ray) else { return (214, 224, 232) }
    let place = origin + ray * hit.distance
    let face = scan.faces[Int(hit.face)]
    let (u, v) = (hit.barycentric.x, hit.barycentric.y)
    var normal = normals[face[0]] * (1 - u - v)
    normal += normals[face[1]] * u
    normal += normals[face[2]] * v
    let light = 0.64 + 0.36 * max(0, normal.x * 0.1 + normal.y * 0.75 + normal.z * 0.65)
    let paint = RoomPaint.color(place.x, place.y, place.z, class: scan.classes[Int(hit.face)])
    return (light * paint.red, light * paint.green, light * paint.blue)
  }

  /// A row as a hand that moves sideways makes it.
  private static func smeared(_ row: [Float]) -> [Float] {
    let (width, reach) = (row.count / 3, 6)
    return row.indices.map { index in
      var sum: Float = 0
      for step in -reach...reach {
        sum += row[3 * min(max(index / 3 + step, 0), width - 1) + index % 3]
      }
      return sum / Float(2 * reach + 1)
    }
  }

  private static func smoothNormals(of scan: Scan) -> [SIMD3<Float>] {
    var normals = [SIMD3<Double>](repeating: .zero, count: scan.positions.count)
    for face in scan.faces {
      let normal = scan.normal(of: face)
      for vertex in face { normals[vertex] += normal }
    }
    return normals.map { SIMD3<Float>($0.normalized) }
  }
}
