import MeshPipeline
import NativeLibraries
import Testing

@testable import Photogrammetry

/// A camera at the origin looks along −Z at a wall 4 m away, of which a board 2 m away hides a part.
struct FrameObserverTests {
  static let frame = Capture.Frame(
    name: "0", image: .file("0.jpg"), imageSize: SIMD2(640, 480),
    intrinsics: .init(focalLength: SIMD2(500, 500), principalPoint: SIMD2(320, 240)),
    pose: .identity)

  static func surface() throws -> ObservedSurface {
    func square(_ half: Float, _ center: SIMD2<Float>, _ z: Float) -> [Vector3] {
      [(-1, -1), (1, -1), (1, 1), (-1, 1)].map {
        Vector3(center.x + half * $0.0, center.y + half * $0.1, z)
      }
    }
    return try ObservedSurface(
      positions: square(5, .zero, -4) + square(0.5, SIMD2(0.5, 0), -2),
      indices: [0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7])
  }

  static let toCamera = SIMD3<Float>(0, 0, 1)

  @Test func `a point in view is seen where it projects`() throws {
    let observer = FrameObserver(Camera(Self.frame), observing: try Self.surface())
    let seen = try #require(observer.visibleProjection(of: SIMD3(-1, 1, -4), normal: Self.toCamera))
    // 500 px · (−1, −1) / 4 from the centre; image rows go down.
    #expect(seen.pixel == SIMD2(320 - 125, 240 - 125) && seen.depth == 4)
    #expect(abs(seen.cosine - 4 / Float(18).squareRoot()) < 1e-6)
  }

  @Test func `what is hidden, turned away, behind or outside is not seen`() throws {
    let observer = FrameObserver(Camera(Self.frame), observing: try Self.surface())
    #expect(observer.visibleProjection(of: SIMD3(1, 0, -4), normal: Self.toCamera) == nil)
    #expect(observer.visibleProjection(of: SIMD3(-1, 1, -4), normal: -Self.toCamera) == nil)
    #expect(observer.visibleProjection(of: SIMD3(-1, 1, 4), normal: -Self.toCamera) == nil)
    #expect(observer.visibleProjection(of: SIMD3(-4.9, 0, -4), normal: Self.toCamera) == nil)
    #expect(observer.visibleProjection(of: SIMD3(0.5, 0, -2), normal: Self.toCamera) != nil)
  }

  @Test func `what the depth map shows before the mesh hides it`() throws {
    var meters = [Float](repeating: 4, count: 64 * 48)
    for row in 0..<48 { for column in 0..<16 { meters[row * 64 + column] = 1.5 } }
    var depth = DepthMap(width: 64, height: 48, meters: meters)
    func sees(_ point: SIMD3<Float>) throws -> Bool {
      FrameObserver(Camera(Self.frame), observing: try Self.surface(), depth: depth)
        .visibleProjection(of: point, normal: Self.toCamera) != nil
    }
    // Column 16 of the depth map is pixel 160: x = −1.28 at 4 m.
    #expect(try !sees(SIMD3(-1.6, 0, -4)))
    #expect(try sees(SIMD3(-1.0, 0, -4)))
    depth.confidences = [UInt8](repeating: 0, count: 64 * 48)
    #expect(try sees(SIMD3(-1.6, 0, -4)))
  }

  @Test func `where depths lie behind the mesh it is not there`() throws {
    var meters = [Float](repeating: 4, count: 64 * 48)
    for row in 0..<48 { for column in 0..<16 { meters[row * 64 + column] = 4.5 } }
    var depth = DepthMap(width: 64, height: 48, meters: meters)
    func isSeenThrough(_ x: Float) throws -> Bool {
      let observer = FrameObserver(Camera(Self.frame), observing: try Self.surface(), depth: depth)
      return observer.isSeenThrough(
        try #require(observer.projection(of: SIMD3(x, 0, -4), normal: Self.toCamera)))
    }
    #expect(try isSeenThrough(-1.6))
    #expect(try !isSeenThrough(-1.0))
    // Between the middles of columns 15 and 16, what lies behind begins near by.
    #expect(try isSeenThrough(-1.28))
    // What lies farther by less than the error of the mesh and the scatter of depths is the mesh itself.
    depth.meters = meters.map { $0 == 4 ? 4 : 4.06 }
    #expect(try !isSeenThrough(-1.6))
    depth.meters = meters.map { $0 == 4 ? 4 : 4.2 }
    #expect(try isSeenThrough(-1.6))
  }

  @Test(arguments: [
    (0.003, 4.04, false), (0.003, 4.06, true), (0.015, 4.09, false), (0.5, 4.2, true),
  ])
  func `how far behind counts depends on how depths scatter`(
    scatter: Float, behind: Float, isSeenThrough: Bool
  ) throws {
    // Three times the scatter is 0.036 m at 4 m, and 0.048 m the slope between depths; no more than
    // 0.1 m, of mesh and depth together.
    var limits = FrameObserver.Limits()
    limits.depthScatter = scatter
    let depth = DepthMap(
      width: 64, height: 48, meters: [Float](repeating: behind, count: 64 * 48))
    let observer = FrameObserver(
      Camera(Self.frame), observing: try Self.surface(), depth: depth, limits: limits)
    let projection = try #require(
      observer.projection(of: SIMD3(-1.6, 0, -4), normal: Self.toCamera))
    #expect(observer.isSeenThrough(projection) == isSeenThrough)
  }

  @Test func `the scatter of depths is their median miss, whatever moved`() throws {
    let traced = TracedDepths(Self.frame, size: SIMD2(64, 48), of: try Self.surface())
    // A share of ±1 % everywhere, and half again as far where somebody took something away.
    var meters = traced.depths.indices.map { index in
      let depth = traced.depths[index]
      return depth.isFinite ? depth * (index % 3 == 0 ? 1.01 : 0.99) : 0
    }
    for index in 0..<meters.count / 4 { meters[index] *= 1.5 }
    var depth = DepthMap(width: 64, height: 48, meters: meters)
    let scatter = try #require(traced.scatter(of: depth, MetricScale.meters))
    #expect(abs(scatter - 0.01) < 1e-4)
    depth.confidences = [UInt8](repeating: 0, count: 64 * 48)
    #expect(traced.scatter(of: depth, MetricScale.meters) == nil)
  }

  @Test func `traced depths are those of the planes`() throws {
    let surface = try Self.surface()
    let traced = TracedDepths(Self.frame, size: SIMD2(64, 48), of: surface)
    #expect(abs(traced.depths[24 * 64 + 10] - 4) < 1e-5 && traced.faces[24 * 64 + 10] < 2)
    #expect(abs(traced.depths[24 * 64 + 40] - 2) < 1e-5 && traced.faces[24 * 64 + 40] >= 2)
    // The board begins at column 32.
    let nearest = traced.nearest(within: 3)
    #expect(abs(nearest[24 * 64 + 28] - 4) < 1e-5 && abs(nearest[24 * 64 + 29] - 2) < 1e-5)
  }
}
