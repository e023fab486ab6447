public import MeshPipeline
import NativeLibraries

/// How much of the mesh the frames of a capture see.
public struct MeshCoverage: Sendable, Equatable {
  /// The share of the area that at least one frame sees.
  public var seen = 0.0
  /// The share of the area that at least three frames see.
  public var seenThrice = 0.0

  /// Samples the mesh evenly by area, the same points each time.
  ///
  /// - Complexity: A ray for each frame in whose picture a sample lies.
  /// - Returns: Nil when there is no area, or no frame.
  public init?(_ scene: Scene, samples: Int = 4000) throws {
    guard let frames = scene.capture?.frames, !frames.isEmpty else { return nil }
    let (positions, indices) = scene.joinedSurface
    let centers = Self.centers(positions, indices, count: samples)
    guard !centers.isEmpty else { return nil }
    let tracer = try RayTracer(positions: positions, indices: indices)
    let cameras = frames.map { Camera($0) }
    let counts = Parallel.mapChunks(of: centers.count, chunkSize: 256) { range in
      var (once, thrice) = (0, 0)
      for center in centers[range] {
        let count = cameras.count { Self.sees($0, center, tracer) }
        if count > 0 { once += 1 }
        if count > 2 { thrice += 1 }
      }
      return SIMD2(once, thrice)
    }
    let sum = counts.reduce(SIMD2(0, 0)) { $0 &+ $1 }
    seen = Double(sum.x) / Double(centers.count)
    seenThrice = Double(sum.y) / Double(centers.count)
  }

  private static func sees(
    _ camera: Camera, _ point: SIMD3<Float>, _ tracer: RayTracer
  ) -> Bool {
    guard let pixel = camera.project(point), camera.contains(SIMD2(pixel.x, pixel.y)) else {
      return false
    }
    // The last hundredth of the way is left out: the point's own face, and noise of the mesh.
    return !tracer.isBlocked(
      from: camera.position, along: point - camera.position, near: 0, far: 0.99)
  }

  /// The centres of faces at even steps of the area.
  private static func centers(
    _ positions: [Vector3], _ indices: [UInt32], count: Int
  ) -> [SIMD3<Float>] {
    func corners(_ face: Int) -> [SIMD3<Float>] {
      (0..<3).map { positions[Int(indices[3 * face + $0])].simd }
    }
    var areas: [Double] = []
    areas.reserveCapacity(indices.count / 3)
    for face in 0..<indices.count / 3 {
      let p = corners(face)
      let normal = (p[1] - p[0]).cross(p[2] - p[0])
      let area = Double(normal.dot(normal).squareRoot())
      areas.append(area.isFinite ? area : 0)
    }
    let total = areas.reduce(0, +)
    guard total > 0 else { return [] }
    var centers: [SIMD3<Float>] = []
    var sum = 0.0
    for (face, area) in areas.enumerated() where area > 0 {
      sum += area
      let p = corners(face)
      while centers.count < count, (Double(centers.count) + 0.5) * total < sum * Double(count) {
        centers.append(point(p, number: centers.count))
      }
    }
    return centers
  }

  /// A point of a face: another one for each number, so that large faces are not asked at one place.
  private static func point(_ p: [SIMD3<Float>], number: Int) -> SIMD3<Float> {
    // The golden ratio and the square root of two fill the square evenly.
    var u = (Float(number % 4096) * 0.618034).truncatingRemainder(dividingBy: 1)
    var v = (Float(number % 4096) * 0.414214).truncatingRemainder(dividingBy: 1)
    if u + v > 1 { (u, v) = (1 - u, 1 - v) }
    return p[0] + (p[1] - p[0]) * u + (p[2] - p[0]) * v
  }
}
