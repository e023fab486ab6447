import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Photogrammetry

/// On pictures of a slanted wall and a bar before it, computed from their formulas.
struct StereoDepthTests {
  private static let size = SIMD2(160, 120)
  private static let bar = (depth: Float(1.2), left: Float(-0.06), right: Float(0.06))

  /// A smooth pattern of speckles some centimetres wide, from 0 to 1.
  private static func texture(_ x: Float, _ y: Float, cell: Float = 0.035) -> Float {
    let (u, v) = (x / cell, y / cell)
    let (left, top) = (u.rounded(.down), v.rounded(.down))
    func corner(_ dx: Float, _ dy: Float) -> Float {
      var hash = UInt64(bitPattern: Int64(left + dx)) &* 0x9E37_79B9_7F4A_7C15
      hash ^= UInt64(bitPattern: Int64(top + dy)) &* 0xC2B2_AE3D_27D4_EB4F
      hash = (hash ^ hash >> 29) &* 0xBF58_476D_1CE4_E5B9
      return Float((hash >> 40) & 0xFFFF) / 65_535
    }
    let (s, t) = (u - left, v - top)
    let upper = corner(0, 0) * (1 - s) + corner(1, 0) * s
    let lower = corner(0, 1) * (1 - s) + corner(1, 1) * s
    return upper * (1 - t) + lower * t
  }

  private static func frame(at x: Double, turned angle: Double = 0) -> Capture.Frame {
    var pose = Transform(rotationAbout: SIMD3(0, 1, 0), by: angle)
    pose.translation = SIMD3(x, 0, 0)
    return Capture.Frame(
      name: "\(x)", image: .file(""), imageSize: size,
      intrinsics: Capture.Intrinsics(
        focalLength: SIMD2(140, 140), principalPoint: SIMD2(81, 59)), pose: pose)
  }

  /// The depth of the wall, 2 m away in the middle, or of the bar, and the point there.
  private static func hit(
    _ camera: Camera, _ pixel: SIMD2<Float>, hasBar: Bool
  ) -> (depth: Float, point: SIMD3<Float>, isBar: Bool) {
    let ray = camera.ray(through: pixel)
    let near = camera.position + ray * (bar.depth / -ray.z)
    if hasBar, near.x > bar.left, near.x < bar.right {
      return (bar.depth / -ray.z, near, true)
    }
    // The wall z = −2 + 0.4 x.
    let depth = (2 - 0.4 * camera.position.x) / (0.4 * ray.x - ray.z)
    return (depth, camera.position + ray * depth, false)
  }

  private static func photograph(
    _ frame: Capture.Frame, gain: Float = 1, hasBar: Bool = false, isPlain: Bool = false
  ) -> StereoPhotograph {
    let camera = Camera(frame)
    var pixels: [UInt8] = []
    for y in 0..<size.y {
      for x in 0..<size.x {
        let hit = hit(camera, SIMD2(Float(x), Float(y)) + 0.5, hasBar: hasBar)
        let shift: Float = hit.isBar ? 7 : 0
        let value =
          isPlain ? 0.5 : texture(hit.point.x + shift, hit.point.y, cell: hit.isBar ? 0.02 : 0.035)
        let code = UInt8(min(255, (30 + 180 * value) * gain))
        pixels += [code, code, code]
      }
    }
    return StereoPhotograph(
      Image(width: size.x, height: size.y, pixels: pixels), of: frame, size: size)
  }

  private static let places = [-0.3, 0, 0.3]

  /// The depths of the middle one of three photographs.
  private static func depths(
    hasBar: Bool = false, isPlain: Bool = false
  ) throws -> StereoDepth.Depths {
    let photographs = zip(places, [0.7, 1, 1.1] as [Float]).map { place, gain in
      photograph(frame(at: place), gain: gain, hasBar: hasBar, isPlain: isPlain)
    }
    let landmarks = (0..<100).map { SIMD3<Float>(Float($0 % 10) * 0.1 - 0.45, 0, -2) }
    let pairing = StereoPairing(
      photographs, priors: [nil, nil, nil], landmarks: landmarks)
    var stereo = StereoDepth(
      photographs.indices.map {
        StereoView(photographs[$0], pairing, $0, atMost: 4, prior: nil)
      })
    for index in places.indices { stereo.begin(index) }
    for index in places.indices { stereo.finish(index) }
    return try #require(stereo.depths(1))
  }

  private static func errors(
    _ depths: StereoDepth.Depths, hasBar: Bool, where isCounted: (Bool) -> Bool
  ) -> (share: Double, median: Float) {
    let camera = Camera(frame(at: 0))
    var (count, errors) = (0, [Float]())
    for index in depths.depths.indices {
      let pixel = SIMD2(Float(index % size.x), Float(index / size.x)) + 0.5
      let hit = hit(camera, pixel, hasBar: hasBar)
      guard isCounted(hit.isBar) else { continue }
      count += 1
      if depths.confidences[index] == 2 {
        errors.append(abs(depths.depths[index] - hit.depth) / hit.depth)
      }
    }
    return (Double(errors.count) / Double(count), errors.median() ?? .infinity)
  }

  @Test func `a slanted wall is measured to a thousandth, whatever the exposure`() throws {
    let found = Self.errors(try Self.depths(), hasBar: false) { _ in true }
    #expect(found.share > 0.6, "\(found)")
    #expect(found.median < 0.002, "\(found)")
  }

  @Test func `a bar before the wall is found at its own depth`() throws {
    let depths = try Self.depths(hasBar: true)
    let bar = Self.errors(depths, hasBar: true) { $0 }
    #expect(bar.share > 0.5 && bar.median < 0.005, "\(bar)")
    let wall = Self.errors(depths, hasBar: true) { !$0 }
    #expect(wall.median < 0.003, "\(wall)")
  }

  @Test func `the result does not depend on the number of threads`() throws {
    let one = try Parallel.withThreads(1) { try Self.depths(hasBar: true) }
    let three = try Parallel.withThreads(3) { try Self.depths(hasBar: true) }
    #expect(one.depths == three.depths && one.confidences == three.confidences)
  }

  @Test func `plain photographs tell nothing`() throws {
    let depths = try Self.depths(isPlain: true)
    #expect(depths.confidences.allSatisfy { $0 == 0 })
    #expect(depths.depths.allSatisfy { $0 == 0 })
  }

  @Test func `photographs from one place are not compared`() {
    let photographs = [-0.2, 0, 0.2].map { Self.photograph(Self.frame(at: 0, turned: $0)) }
    let pairing = StereoPairing(
      photographs, priors: [nil, nil, nil],
      landmarks: [SIMD3<Float>](repeating: SIMD3(0, 0, -2), count: 20))
    #expect(pairing.sources(of: 1, atMost: 4).isEmpty)
  }

  @Test func `inverse depths are seen where the camera projects their points`() {
    let (frame, other) = (Self.frame(at: 0), Self.frame(at: 0.4, turned: 0.3))
    let (camera, seen) = (Camera(frame), Camera(other))
    let projection = StereoProjection(from: StereoCamera(camera), to: StereoCamera(seen))
    for (x, y, depth) in [(20, 30, 1.0), (130, 90, 2.5), (80, 60, 40)] as [(Float, Float, Float)] {
      let point = camera.position + camera.ray(through: SIMD2(x, y) + 0.5) * depth
      let truth = seen.project(point)
      let found = projection.homogeneous(SIMD2(x, y), inverseDepth: 1 / depth)
      #expect(truth.map { abs($0.x - 0.5 - found.x / found.z) < 0.01 } == true)
      #expect(truth.map { abs($0.y - 0.5 - found.y / found.z) < 0.01 } == true)
      #expect(truth.map { abs($0.z - found.z * depth) < 1e-3 * depth } == true)
    }
  }

  @Test func `a sensor's depths stay where photographs tell less`() {
    let stereo = StereoDepth.Depths(
      size: SIMD2(4, 1), depths: [2, 2, 0, 0], confidences: [2, 1, 0, 0])
    let sensor = DepthMap(width: 4, height: 1, meters: [1, 1, 1, 0], confidences: [2, 2, 0, 2])
    let map = stereo.map(metersPerUnit: 1, sensor: sensor)
    #expect(map.meters == [2, 1, 1, 0])
    #expect(map.confidences == [2, 1, 0, 0])
    #expect(stereo.map(metersPerUnit: 0.5, sensor: nil).meters == [1, 1, 0, 0])
  }
}
