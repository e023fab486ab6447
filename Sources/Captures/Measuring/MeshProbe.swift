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
    /// The share of the rays that meet the mesh, of which those that meet it from behind count half.
    var hits: Double

    /// The figure that tells more.
    var value: Double { depth ?? seeing }

    /// What tells one world from another: who stands in the wrong one sees less of a room, for he may
    /// stand outside it, and the backs of an object, for he may stand in it.
    var fit: Double { depth ?? hits }
  }

  let views: [View]
  private let tracer: RayTracer
  private let positions: [Vector3]
  private let indices: [UInt32]

  /// Nil when there is no mesh, or no frame to ask.
  init?(_ capture: Capture, _ scene: Scene, _ context: CaptureReadingContext) throws {
    guard scene.faceCount > 0, !capture.frames.isEmpty else { return nil }
    let (positions, indices) = scene.joinedSurface
    guard positions.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }) else {
      return nil
    }
    (self.positions, self.indices) = (positions, indices)
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

  /// How well the cameras fit the mesh when they stand at `poses`, one for each view.
  func score(_ poses: [Transform], metersPerUnit: Double) -> Score {
    let counts = Parallel.map(count: views.count) { index in
      count(views[index], poses[index], Float(metersPerUnit))
    }
    let rays = views.map(\.rays.count)
    let seeing = zip(counts, rays).count { ($0.fronts + $0.backs) * 20 > $1 }
    let measured = views.reduce(0) { $0 + $1.depths.count }
    let near = counts.reduce(0) { $0 + $1.near }
    return Score(
      depth: measured > 50 ? Double(near) / Double(measured) : nil,
      seeing: Double(seeing) / Double(max(views.count, 1)),
      hits: counts.reduce(0) { $0 + Double($1.fronts) + Double($1.backs) / 2 }
        / Double(max(rays.reduce(0, +), 1)))
  }

  private func count(
    _ view: View, _ pose: Transform, _ metersPerUnit: Float
  ) -> (fronts: Int, backs: Int, near: Int) {
    let origin = SIMD3<Float>(pose.translation)
    let axes = (SIMD3<Float>(pose.x), SIMD3<Float>(pose.y), SIMD3<Float>(pose.z))
    var (fronts, backs, near) = (0, 0, 0)
    for (index, ray) in view.rays.enumerated() {
      let direction = axes.0 * ray.x + axes.1 * ray.y + axes.2 * ray.z
      guard let hit = tracer.firstHit(from: origin, along: direction) else { continue }
      if isFront(Int(hit.face), along: direction) { fronts += 1 } else { backs += 1 }
      guard index < view.depths.count else { continue }
      let depth = view.depths[index]
      let miss = abs(hit.distance * metersPerUnit - depth)
      if miss < Self.tolerance.meters + Self.tolerance.share * depth { near += 1 }
    }
    return (fronts, backs, near)
  }

  /// Whether a ray meets a face from where its corners go round counter-clockwise.
  private func isFront(_ face: Int, along direction: SIMD3<Float>) -> Bool {
    let (a, b, c) = (
      positions[Int(indices[3 * face])].simd, positions[Int(indices[3 * face + 1])].simd,
      positions[Int(indices[3 * face + 2])].simd
    )
    return (b - a).cross(c - a).dot(direction) < 0
  }

  /// Whether cameras stand in one place, measured by the mesh.
  ///
  /// Millimetres taken for metres do that to all cameras, and from there a room looks like a room.
  func areInOnePlace(_ poses: [Transform]) -> Bool {
    var box = Box()
    for pose in poses { box.add(SIMD3<Float>(pose.translation)) }
    return poses.count > 1 && box.extent < 0.02 * Box(positions).extent
  }
}
