package import MeshpipeBase
import MeshpipeScene
import NativeLibraries

/// Rays of the frames, prepared for testing against the mesh from different camera positions.
struct MeshProbe {
  /// The tolerance for a measured depth to be on the mesh, in metres, and as a fraction of the depth: some times the
  /// error of phones' depths (0.5 to 0.9 % in the median) and of their meshes (5 to 20 mm).
  static let tolerance: (meters: Float, share: Float) = (0.05, 0.02)
  /// The number of frames tested for another interpretation of the poses, and of depth maps read: dozens of
  /// interpretations are tested, but each wrong depth map is looked for.
  private static let maximumViews = (trial: 16, depth: 1000)
  /// The number of vertices searched for in frames none of whose rays hits the mesh: it may fill less of an image than
  /// lies between two rays.
  private static let vertexCount = 500
  /// With no more measured depths than this, of up to 300 in each frame, they are not judged by.
  private static let fewDepths = 50
  /// The part of the way to a vertex that must be free: its end is excluded because the vertex is on the mesh itself.
  static let freePart: Float = 0.99

  /// Some rays of a frame.
  struct View: Sendable {
    /// The frame's index in the capture.
    var frame: Int
    /// The rays in OpenGL camera coordinates, scaled to depth 1.
    var rays: [SIMD3<Float>]
    /// The depth along each ray, in metres; empty if the frame has no depth map.
    var depths: [Float]

    /// Calls for each ray that hits the mesh from a pose, with its index, its direction in the world, and the surface.
    func forEachHit(
      from pose: Transform, on tracer: RayTracer,
      _ body: (
        _ ray: Int, _ direction: SIMD3<Float>, (distance: Float, normal: SIMD3<Float>)
      ) -> Void
    ) {
      let origin = SIMD3<Float>(pose.translation)
      let axes = (SIMD3<Float>(pose.x), SIMD3<Float>(pose.y), SIMD3<Float>(pose.z))
      for (index, ray) in rays.enumerated() {
        let direction = axes.0 * ray.x + axes.1 * ray.y + axes.2 * ray.z
        guard let surface = tracer.firstSurface(from: origin, along: direction) else { continue }
        body(index, direction, surface)
      }
    }

    /// The view's depths with another focal length.
    func scaledFocalLength(by factor: Float) -> View {
      var view = self
      view.rays = rays.map { SIMD3($0.x / factor, $0.y / factor, $0.z) }
      return view
    }
  }

  /// The fit of cameras to the mesh.
  struct Score: Sendable {
    /// The share of the measured depths on the mesh; nil if nothing was measured.
    var depth: Double?
    /// The share of the frames that see the mesh at all.
    var seeing: Double
    /// The share of the rays that hit the mesh.
    var hits: Double
    /// The agreement of the images on the mesh; 0 if not computed.
    var agreement = 0.0
    /// The agreement summed over all comparisons: an interpretation that compares little has
    /// little.
    var support = 0.0
  }

  /// A few frames, evenly over the capture; those with depth if there are any.
  private(set) var views: [View]
  /// All frames with a readable depth map.
  private(set) var measured: [View]
  let tracer: RayTracer
  private let vertices: [SIMD3<Float>]
  /// Used where depth maps can't be.
  private(set) var images: PhotoConsistency?

  /// Nil if there is no mesh or no frame.
  ///
  /// - Parameter mostDepths: Evenly spread depth maps beyond which no more are read.
  init?(
    _ capture: Capture, _ scene: Scene, _ context: any MeasuringContext,
    mostDepths: Int = maximumViews.depth
  ) throws {
    guard scene.faceCount > 0, !capture.frames.isEmpty else { return nil }
    let (positions, indices) = scene.meshes.joinedSurface
    guard positions.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }) else {
      return nil
    }
    measured = try Self.measuredViews(of: capture, atMost: mostDepths, context)
    views =
      measured.isEmpty
      ? Array(capture.frames.indices).evenly(atMost: Self.maximumViews.trial).map {
        Self.view(of: capture.frames[$0], $0, nil)
      } : measured.evenly(atMost: Self.maximumViews.trial)
    tracer = try RayTracer(positions: positions, indices: indices)
    vertices = indices.evenly(atMost: Self.vertexCount).map { positions[Int($0)].simd }
  }

  private static func measuredViews(
    of capture: Capture, atMost limit: Int, _ context: any MeasuringContext
  ) throws -> [View] {
    let withDepth = capture.frames.indices.filter { capture.frames[$0].depth != nil }
      .evenly(atMost: limit)
    let views = Parallel.map(count: withDepth.count) { place -> Result<View, any Error> in
      Result {
        try context.checkCancellation()
        let index = withDepth[place]
        return try view(of: capture.frames[index], index, capture.frames[index].loadDepth())
      }
    }
    try context.checkCancellation()
    var measured: [View] = []
    var faults: [(frame: String, reason: String)] = []
    for (index, result) in zip(withDepth, views) {
      switch result {
      case .success(let view): if !view.depths.isEmpty { measured.append(view) }
      case .failure(let error): faults.append((capture.frames[index].name, error.userMessage))
      }
    }
    if let fault = faults.first {
      let others = faults.count > 1 ? ", and of \(faults.count - 1) more," : ""
      context.warn(
        "the depth map of frame '\(fault.frame)'\(others) can't be read: \(fault.reason)")
    }
    if !withDepth.isEmpty, measured.isEmpty {
      context.warn("the depth maps contain no reliably measured depth and are ignored")
    }
    return measured
  }

  /// The rays through a grid of pixels, or those of them with a measured depth.
  private static func view(of frame: Capture.Frame, _ index: Int, _ map: DepthMap?) -> View {
    var local = frame
    local.pose = .identity
    let size = map?.size ?? frame.imageSize
    let camera = Camera(local, size: size)
    var view = View(frame: index, rays: [], depths: [])
    for pixel in FrameSamples.pixels(of: size) {
      if let map {
        guard let depth = map.sureDepth(at: pixel) else { continue }
        view.depths.append(depth)
      }
      view.rays.append(camera.ray(through: SIMD2<Float>(pixel) + 0.5))
    }
    return view
  }

  /// Whether a depth was measured in any view.
  var isMeasured: Bool { !measured.isEmpty }

  /// Scales the measured depths by a factor.
  mutating func scaleDepths(by factor: Double) {
    func scaled(_ views: [View]) -> [View] {
      views.map { view in
        var view = view
        view.depths = view.depths.map { $0 * Float(factor) }
        return view
      }
    }
    (views, measured) = (scaled(views), scaled(measured))
  }

  /// Changes the rays of all views to those of the same pixels through other lenses.
  mutating func changeLenses(from old: [Capture.Frame], to new: [Capture.Frame]) {
    func changed(_ view: View) -> View {
      var (before, after) = (old[view.frame], new[view.frame])
      (before.pose, after.pose) = (.identity, .identity)
      let (former, camera) = (Camera(before), Camera(after))
      var view = view
      view.rays = view.rays.map { ray in
        former.project(ray).map { camera.ray(through: SIMD2($0.x, $0.y)) } ?? ray
      }
      return view
    }
    (views, measured) = (views.map(changed), measured.map(changed))
  }

  /// Reads the images of the views; `excerpt` contains only their frames.
  mutating func readImages(of excerpt: CapturedScan) {
    images = PhotoConsistency(of: excerpt.capture.frames)
  }

  /// The fit of the cameras to the mesh with the poses of `excerpt`, which contains only the views' frames.
  func score(_ excerpt: CapturedScan, metersPerUnit: Double) -> Score {
    let frames = excerpt.capture.frames
    var score = score(frames, metersPerUnit: metersPerUnit)
    if let found = images?.measure(frames, self) {
      (score.agreement, score.support) = (found.agreement, found.support)
    }
    return score
  }

  private func score(_ frames: [Capture.Frame], metersPerUnit: Double) -> Score {
    let counts = Parallel.map(count: views.count) { index in
      var count = DepthCount(
        of: views[index], from: frames[index].pose, on: tracer, metersPerUnit: metersPerUnit)
      if count.hits == 0, sees(frames[index]) { count.hits = 1 }
      return count
    }
    let rays = views.reduce(0) { $0 + $1.rays.count }
    let measured = views.reduce(0) { $0 + $1.depths.count }
    let near = counts.reduce(0) { $0 + $1.near }
    return Score(
      depth: measured > Self.fewDepths ? Double(near) / Double(measured) : nil,
      seeing: Double(counts.count { $0.hits > 0 }) / Double(max(views.count, 1)),
      hits: Double(counts.reduce(0) { $0 + $1.hits }) / Double(max(rays, 1)))
  }

  /// Whether a frame sees a vertex, however small the mesh is in its image.
  private func sees(_ frame: Capture.Frame) -> Bool {
    let camera = Camera(frame)
    return vertices.contains { vertex in
      guard let pixel = camera.project(vertex), camera.contains(SIMD2(pixel.x, pixel.y)) else {
        return false
      }
      return !tracer.isBlocked(
        from: camera.position, along: vertex - camera.position, near: 0,
        far: Self.freePart)
    }
  }
}

/// The result of one view's rays.
struct DepthCount: Sendable {
  var hits = 0
  /// The number of rays whose measured depth is that of the mesh.
  var near = 0
  /// The depths in metres of each measured ray that hit the mesh.
  var depths: [(measured: Float, mesh: Float)] = []

  init(
    of view: MeshProbe.View, from pose: Transform, on tracer: RayTracer, metersPerUnit: Double
  ) {
    view.forEachHit(from: pose, on: tracer) { index, _, hit in
      hits += 1
      guard index < view.depths.count else { return }
      let (measured, expected) = (view.depths[index], hit.distance * Float(metersPerUnit))
      depths.append((measured, expected))
      let tolerance = MeshProbe.tolerance
      if abs(expected - measured) < tolerance.meters + tolerance.share * measured { near += 1 }
    }
  }
}

/// The caller of a measurement of a capture, which it informs while it works, and which may end it.
package protocol MeasuringContext: Cancellable {
  /// Warns the user of something suspicious that did not stop the measurement.
  func warn(_ message: String)
  /// Tells the user of a decision that needs no action.
  func advise(_ message: String)
}
