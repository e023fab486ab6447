package import MeshpipeScene
import NativeLibraries

/// The agreement between the surface of a scan and the depth maps of its capture.
package struct DepthCoverage: Sendable, Equatable {
  /// The share of the measured depths that lie on the surface.
  ///
  /// What the surface lacks, such as thin parts, and what it has elsewhere take their share.
  package let depthsOnSurface: Double
  /// The share of the surface at which depths were measured.
  ///
  /// It is about what a surface made from the depth maps would keep.
  package let surfaceMeasured: Double

  /// Whether a mesh made from the depth maps may be better: these measured nearly all of the surface, and saw more, or
  /// something else.
  ///
  /// Pipelines ask for the same in their conditions.
  package var isImprovable: Bool {
    surfaceMeasured > Self.leastMeasured && depthsOnSurface < Self.enough
  }

  /// The share of a surface that must have been measured, so that a new one has what it has.
  package static let leastMeasured = 0.9
  /// The share of depths on a surface from which on none is better: some are always off at edges.
  private static let enough = 0.98

  /// Evenly spread depth maps beyond which no more are read.
  private static let mostMaps = 256
  /// The number of points on the surface that are looked for in depth maps.
  private static let pointCount = 2000
  /// The depths that count, in metres: phones measure nothing nearer, and mostly noise beyond, which `fuse-depth`
  /// leaves out, too.
  private static let range: ClosedRange<Float> = 0.1...5
  /// Metres and a share of the depth within which a depth is on the surface: twice the error of phones' depths.
  private static let noise: (meters: Float, share: Float) = (0.01, 0.01)
  /// Metres and a share of the depth within which a point of the surface was measured, wherever exactly it should be.
  private static let reach: (meters: Float, share: Float) = (0.1, 0.05)

  /// Measures a scene in its own depth maps; nil without them or without faces.
  package init?(_ scene: Scene) {
    guard let capture = scene.capture, capture.hasDepth, scene.faceCount > 0,
      let surface = try? ObservedSurface(scene)
    else { return nil }
    let samples = SurfaceSamples(of: surface, count: Self.pointCount)
    let frames = capture.allDepthFrames.evenly(atMost: Self.mostMaps)
    let views = Parallel.map(count: frames.count) { index -> View? in
      let frame = frames[index]
      guard let map = frame.depth.readable().map else { return nil }
      return View(of: map, from: Camera(frame, size: map.size), on: surface, samples: samples)
    }.compactMap(\.self)
    let measured = views.reduce(0) { $0 + $1.measured }
    guard measured > 0, samples.count > 0 else { return nil }
    depthsOnSurface = Double(views.reduce(0) { $0 + $1.onSurface }) / Double(measured)
    let seen = (0..<samples.count).count { point in views.contains { $0.points[point] } }
    surfaceMeasured = Double(seen) / Double(samples.count)
  }

  /// The measurements of one depth map.
  private struct View: Sendable {
    /// The number of depths, and of those that lie on the surface.
    var measured = 0
    var onSurface = 0
    /// Whether the depth map measured each point of the surface.
    var points: [Bool] = []

    init(
      of map: DepthMap, from camera: Camera, on surface: ObservedSurface, samples: SurfaceSamples
    ) {
      for pixel in FrameSamples.pixels(of: map.size) {
        guard let depth = Self.depth(in: map, at: pixel) else { continue }
        measured += 1
        let ray = camera.ray(through: SIMD2<Float>(pixel) + 0.5)
        guard let hit = surface.tracer.firstHit(from: camera.position, along: ray) else { continue }
        let distance = surface.scale.meters(hit.distance)
        if abs(distance - depth) < noise.meters + noise.share * depth { onSurface += 1 }
      }
      points = samples.positions.map { position in
        guard let pixel = camera.project(position.simd),
          camera.contains(SIMD2(pixel.x, pixel.y)),
          let depth = Self.depth(in: map, at: SIMD2(Int(pixel.x), Int(pixel.y)))
        else { return false }
        let offset = position.simd - camera.position
        let distance = surface.scale.meters(offset.dot(camera.forward))
        return abs(distance - depth) < reach.meters + reach.share * depth
          && !surface.tracer.isBlocked(
            from: camera.position, along: offset, near: 0, far: MeshProbe.freePart)
      }
    }

    /// A sure depth that is in range; nil where there is none.
    private static func depth(in map: DepthMap, at pixel: SIMD2<Int>) -> Float? {
      map.sureDepth(at: pixel).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}
