import MeshpipeBase
import MeshpipeScene

/// Which photographs each one is compared with, and between which depths.
///
/// Good ones see the same points at angles of about ten degrees, from a similar distance: at less, a pixel is a large
/// step of depth, and at more the same thing looks different.
package struct StereoPairing: Sendable {
  let cameras: [StereoCamera]
  let sizes: [SIMD2<Int>]
  /// Points that each photograph shows, in the axes of the scene.
  let points: [[SIMD3<Float>]]
  /// Whether ``points`` are a guess.
  private let isGuess: [Bool]

  /// The best angle, in degrees, and how fast others are worse; less than the least tells nothing.
  private static let angle = (
    best: Float(10), below: Float(4), above: Float(10), least: Float(1), most: Float(45)
  )
  /// The least share of the points, each at the best angle, that two photographs must both show.
  private static let leastOverlap: Float = 0.03
  /// How far depths may be outside of those known, and of a guess.
  private static let margins = (near: Float(0.4), far: Float(6))
  private static let guessMargins = (near: Float(0.12), far: Float(20))
  private static let mostPoints = 200
  private static let fewestPoints = 12

  /// - Parameters:
  ///   - priors: What is known of each photograph's depths.
  ///   - landmarks: Points of the scene, such as those of structure from motion.
  package init(
    _ photographs: [StereoPhotograph], priors: [StereoPrior?], landmarks: [SIMD3<Float>]
  ) {
    let cameras = photographs.map(\.camera)
    let sizes = photographs.map(\.size)
    let known = Parallel.map(count: cameras.count) { index -> [SIMD3<Float>] in
      let (camera, size) = (cameras[index], sizes[index])
      let own = priors[index]?.points(camera, size).evenly(atMost: Self.mostPoints) ?? []
      if own.count >= Self.fewestPoints { return own }
      return landmarks.filter { Self.sees($0, camera, size) }.evenly(atMost: Self.mostPoints)
    }
    isGuess = known.map { $0.count < Self.fewestPoints }
    points = Parallel.map(count: cameras.count) { [isGuess] index in
      isGuess[index] ? Self.guessed(index, cameras, sizes[index]) : known[index]
    }
    (self.cameras, self.sizes) = (cameras, sizes)
  }

  @inline(__always)
  private static func sees(
    _ point: SIMD3<Float>, _ camera: StereoCamera, _ size: SIMD2<Int>
  ) -> Bool {
    let local = camera.local(point)
    guard local.z > 0 else { return false }
    let pixel = camera.pixel(local)
    return pixel.x >= 0 && pixel.y >= 0 && pixel.x <= Float(size.x - 1)
      && pixel.y <= Float(size.y - 1)
  }

  /// Points where the photograph's axis passes those of others, and nearer and farther ones.
  private static func guessed(
    _ index: Int, _ cameras: [StereoCamera], _ size: SIMD2<Int>
  ) -> [SIMD3<Float>] {
    let camera = cameras[index]
    var depths: [Float] = []
    for (place, other) in cameras.enumerated() where place != index {
      let offset = other.position - camera.position
      let cosine = camera.forward.dot(other.forward)
      let square = 1 - cosine * cosine
      // Three degrees: more parallel axes pass each other anywhere.
      guard square > 0.003 else { continue }
      let (own, others) = (camera.forward.dot(offset), other.forward.dot(offset))
      let depth = (own - others * cosine) / square
      if depth > 0, (own * cosine - others) / square > 0 { depths.append(depth) }
    }
    guard let depth = depths.median(), depth > 0 else { return [] }
    let columns = 5
    var points: [SIMD3<Float>] = []
    for factor: Float in [0.6, 1, 1.6] {
      for cell in 0..<columns * columns {
        let x = (Float(cell % columns) + 0.5) / Float(columns) * Float(size.x)
        let y = (Float(cell / columns) + 0.5) / Float(columns) * Float(size.y)
        points.append(camera.point(x, y, depth: depth * factor))
      }
    }
    return points
  }

  /// The inverse depths of a photograph that may be; nil if nothing is known of them.
  package func range(of index: Int) -> ClosedRange<Float>? {
    let depths = points[index].map { cameras[index].local($0).z }.filter { $0 > 0 }.sorted()
    guard !depths.isEmpty else { return nil }
    let margins = isGuess[index] ? Self.guessMargins : Self.margins
    let near = depths[depths.count / 50] * margins.near
    let far = depths[depths.count - 1 - depths.count / 50] * margins.far
    guard near > 0, far.isFinite else { return nil }
    return 1 / far...1 / near
  }

  /// The photographs that one is compared with, the best first.
  ///
  /// - Parameter count: Their number, at most.
  package func sources(of index: Int, atMost count: Int) -> [Int] {
    var scores = cameras.indices.map { $0 == index ? 0 : score(index, $0) }
    let least = Self.leastOverlap * Float(points[index].count)
    let camera = cameras[index]
    let directions = cameras.map { ($0.position - camera.position).normalized }
    var chosen: [Int] = []
    while chosen.count < count,
      let best = scores.indices.max(by: { (scores[$0], $1) < (scores[$1], $0) }),
      scores[best] > least
    {
      chosen.append(best)
      scores[best] = 0
      // What one side hides another may see.
      for other in scores.indices {
        let cosine = max(0, directions[other].dot(directions[best]))
        scores[other] *= 1 - 0.5 * cosine * cosine * cosine * cosine
      }
    }
    return chosen
  }

  /// How well another photograph tells the depths of one.
  private func score(_ index: Int, _ other: Int) -> Float {
    let (camera, source) = (cameras[index], cameras[other])
    guard camera.position != source.position else { return 0 }
    let limits = Self.angle
    var sum: Float = 0
    for point in points[index] where Self.sees(point, source, sizes[other]) {
      let (a, b) = (camera.position - point, source.position - point)
      let (near, far) = (a.length, b.length)
      guard near > 0, far > 0 else { continue }
      // Of small angles the sine is more exact.
      let sine = a.cross(b).length / (near * far)
      guard a.dot(b) > 0 else { continue }
      let degrees = SmallAngle.degrees(sine: min(sine, 1))
      guard degrees >= limits.least, degrees <= limits.most else { continue }
      let off = (degrees - limits.best) / (degrees < limits.best ? limits.below : limits.above)
      sum += 1 / (1 + off * off) * min(near / far, far / near)
    }
    return sum
  }
}

/// Angles below a right one.
private enum SmallAngle {
  /// By its series; exact to half a degree up to 50°.
  static func degrees(sine: Float) -> Float {
    let square = sine * sine
    return sine * (1 + square * (1 / 6 + square * (0.075 + square * 0.1))) * 180 / .pi
  }
}
