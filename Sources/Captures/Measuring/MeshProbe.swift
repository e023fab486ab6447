import MeshPipeline
import NativeLibraries

/// Rays of some frames, ready to be shot at the mesh from wherever the cameras may have stood.
struct MeshProbe {
  /// How near to the mesh a measured depth counts as on it, in metres, and in parts of the depth.
  static let tolerance: (meters: Float, share: Float) = (0.05, 0.02)
  private static let maximumViews = 16
  private static let grid = SIMD2(20, 15)

  /// Some rays of a frame.
  struct View: Sendable {
    /// The frame's index in the capture.
    var frame: Int
    /// In the camera's axes, OpenGL's, with a depth of 1.
    var rays: [SIMD3<Float>]
    /// In metres, for each ray; empty when the frame has no depth map.
    var depths: [Float]
  }

  /// How well cameras fit the mesh.
  struct Score: Sendable {
    /// The share of the measured depths that lie on the mesh; nil when nothing was measured.
    var depth: Double?
    /// The share of the frames that see the mesh at all.
    var seeing: Double
    /// The share of the rays that meet the mesh.
    var hits: Double
    /// How well the pictures agree on what is on the mesh; 0 when they were not asked.
    var agreement = 0.0
  }

  let views: [View]
  let tracer: RayTracer
  /// To be asked where depth maps can't be.
  private(set) var pictures: PictureAgreement?

  /// Nil when there is no mesh, or no frame to ask.
  init?(_ capture: Capture, _ scene: Scene, _ context: CaptureReadingContext) throws {
    guard scene.faceCount > 0, !capture.frames.isEmpty else { return nil }
    let (positions, indices) = scene.joinedSurface
    guard positions.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }) else {
      return nil
    }
    views = try Self.views(of: capture, context)
    tracer = try RayTracer(positions: positions, indices: indices)
  }

  /// Some frames, evenly over the capture; those with depth when there are any.
  private static func views(
    of capture: Capture, _ context: CaptureReadingContext
  ) throws -> [View] {
    let withDepth = capture.frames.indices.filter { capture.frames[$0].depth != nil }
    let candidates = withDepth.isEmpty ? Array(capture.frames.indices) : withDepth
    let count = min(maximumViews, candidates.count)
    var views: [View] = []
    for place in 0..<count {
      try context.checkCancellation()
      let index = candidates[place * candidates.count / count]
      views.append(view(of: capture.frames[index], index, context))
    }
    let measured = views.filter { !$0.depths.isEmpty }
    if !withDepth.isEmpty, measured.isEmpty {
      context.warn("the depth maps hold no depth that was surely measured; they are no use")
    }
    return measured.isEmpty ? views : measured
  }

  private static func view(
    of frame: Capture.Frame, _ index: Int, _ context: CaptureReadingContext
  ) -> View {
    var local = frame
    local.pose = .identity
    var map: DepthMap?
    do {
      map = try frame.loadDepth()
    } catch {
      let reason = error.userMessage
      context.warn("the depth map of frame '\(frame.name)' can't be read: \(reason)")
    }
    if let map {
      let view = view(of: local, index, through: map.size, map)
      if !view.rays.isEmpty { return view }
    }
    return view(of: local, index, through: frame.imageSize, nil)
  }

  /// The rays through a grid of pixels, or those of them at which a depth was measured.
  private static func view(
    of local: Capture.Frame, _ index: Int, through size: SIMD2<Int>, _ map: DepthMap?
  ) -> View {
    let camera = Camera(local, size: size)
    var view = View(frame: index, rays: [], depths: [])
    for row in 0..<grid.y {
      for column in 0..<grid.x {
        let pixel = SIMD2(
          (2 * column + 1) * size.x / (2 * grid.x), (2 * row + 1) * size.y / (2 * grid.y))
        if let map {
          let place = pixel.y * map.width + pixel.x
          let isSure = map.confidences.map { $0[place] > 0 } ?? true
          guard map.meters[place] > 0, isSure else { continue }
          view.depths.append(map.meters[place])
        }
        view.rays.append(camera.ray(through: SIMD2<Float>(pixel) + 0.5))
      }
    }
    return view
  }

  /// Whether a depth was measured in any view.
  var isMeasured: Bool { views.contains { !$0.depths.isEmpty } }

  /// Reads the pictures of the views, of whose frames alone `excerpt` is.
  mutating func readPictures(of excerpt: CapturedScan) {
    pictures = PictureAgreement(of: excerpt.capture.frames)
  }

  /// How well the cameras fit the mesh when they stand as in `excerpt`, which has the views' frames alone.
  func score(_ excerpt: CapturedScan, metersPerUnit: Double) -> Score {
    let frames = excerpt.capture.frames
    var score = score(frames.map(\.pose), metersPerUnit: metersPerUnit)
    score.agreement = pictures?.measure(frames, self) ?? 0
    return score
  }

  private func score(_ poses: [Transform], metersPerUnit: Double) -> Score {
    let counts = Parallel.map(count: views.count) { index in
      count(views[index], poses[index], Float(metersPerUnit))
    }
    let rays = views.map(\.rays.count)
    let seeing = zip(counts, rays).count { $0.hits * 20 > $1 }
    let measured = views.reduce(0) { $0 + $1.depths.count }
    let near = counts.reduce(0) { $0 + $1.near }
    return Score(
      depth: measured > 50 ? Double(near) / Double(measured) : nil,
      seeing: Double(seeing) / Double(max(views.count, 1)),
      hits: Double(counts.reduce(0) { $0 + $1.hits }) / Double(max(rays.reduce(0, +), 1)))
  }

  private func count(
    _ view: View, _ pose: Transform, _ metersPerUnit: Float
  ) -> (hits: Int, near: Int) {
    let origin = SIMD3<Float>(pose.translation)
    let axes = (SIMD3<Float>(pose.x), SIMD3<Float>(pose.y), SIMD3<Float>(pose.z))
    var (hits, near) = (0, 0)
    for (index, ray) in view.rays.enumerated() {
      let direction = axes.0 * ray.x + axes.1 * ray.y + axes.2 * ray.z
      guard let hit = tracer.firstHit(from: origin, along: direction) else { continue }
      hits += 1
      guard index < view.depths.count else { continue }
      let depth = view.depths[index]
      let miss = abs(hit.distance * metersPerUnit - depth)
      if miss < Self.tolerance.meters + Self.tolerance.share * depth { near += 1 }
    }
    return (hits, near)
  }
}
