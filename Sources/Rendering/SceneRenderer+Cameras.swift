public import MeshpipeScene
import NativeLibraries
import POSIX

extension SceneRenderer {
  /// The default view of a scene: it shows most of it, and its front.
  public var defaultView: Viewpoint {
    .threeQuarter(isOpened: isOpened, facing: facing, in: coordinateSystem)
  }

  /// A camera that sees the whole scene from a viewpoint, or is inside it.
  public func camera(for view: Viewpoint, size: SIMD2<Int>) -> Camera {
    let lens = Lens(size: size, isWide: view.isInside)
    let axes = view.axes(in: coordinateSystem)
    let place = view.isInside ? standing : fit(axes, lens)
    return lens.camera(axes, at: place)
  }

  /// Cameras around the vertical axis of the scene at one distance, starting at a viewpoint, or
  /// rotating in place inside it.
  public func turntable(from view: Viewpoint, count: Int, size: SIMD2<Int>) -> [Camera] {
    let lens = Lens(size: size, isWide: view.isInside)
    let axes = view.axes(in: coordinateSystem)
    let first = view.isInside ? standing : orbit(axes, lens)
    let pivot = view.isInside ? first : center
    let up = coordinateSystem.up.vector
    // In a left-handed world the same numbers rotate the other way.
    let sense: Double = coordinateSystem.handedness == .right ? 1 : -1
    return (0..<count).map { index in
      let angle = sense * 2 * .pi * Double(index) / Double(count)
      let turn = Transform(rotationAbout: up, by: angle).about(pivot)
      return lens.camera(
        Transform(
          x: turn.apply(toVector: axes.x), y: turn.apply(toVector: axes.y),
          z: turn.apply(toVector: axes.z)), at: turn.apply(toPoint: first))
    }
  }

  private var center: SIMD3<Double> { SIMD3<Double>(box.center) }

  /// A position for a person in a room.
  private var standing: SIMD3<Double> {
    let surface = sampler.surface
    // Separate rays: those of the rendering may pass through back faces.
    guard surface.faceCount > 0,
      let tracer = try? RayTracer(positions: surface.positions, indices: surface.indices)
    else { return middle }
    return StandingPlace(tracer: tracer, surface: surface, box: box, system: coordinateSystem)
      .find()
      ?? middle
  }

  /// The centre of the scene, with the eyes slightly above half its height.
  private var middle: SIMD3<Double> {
    let up = coordinateSystem.up.vector
    return center + up * (0.05 * abs(SIMD3<Double>(box.size).dot(up)))
  }

  /// The nearest position from which a camera with these axes sees the whole scene.
  private func fit(_ axes: Transform, _ lens: Lens) -> SIMD3<Double> {
    let empty = Fit(axes, lens, around: box.center)
    let surface = sampler.surface
    var fits = Parallel.mapChunks(of: surface.indices.count) { corners in
      var fit = empty
      for corner in corners { fit.add(surface.positions[Int(surface.indices[corner])].simd) }
      return fit
    }
    var fit = empty
    for point in points?.positions ?? [] { fit.add(point.simd) }
    fits.append(fit)
    return place(axes, fits.reduce(empty) { $0.joined(with: $1) })
  }

  /// The position from which the scene fits into the image at any rotation about its vertical axis.
  private func orbit(_ axes: Transform, _ lens: Lens) -> SIMD3<Double> {
    let up = SIMD3<Float>(coordinateSystem.up.vector)
    let half = abs(box.size.dot(up)) / 2
    let radius = reach(from: up)
    let across = SIMD3<Float>(axes.x)
    let ahead = up.cross(across)
    // The scene's bounding cylinder; its rims suffice, since its sides are straight.
    var fit = Fit(axes, lens, around: box.center)
    for step in 0..<64 {
      let angle = Float(step) * .pi / 32
      let rim = box.center + (across * cosf(angle) + ahead * sinf(angle)) * radius
      fit.add(rim + up * half)
      fit.add(rim - up * half)
    }
    return place(axes, fit)
  }

  /// The maximum distance of the scene from the vertical line through its centre.
  private func reach(from up: SIMD3<Float>) -> Float {
    let origin = box.center
    @Sendable func square(_ point: SIMD3<Float>) -> Float {
      let p = point - origin
      return (p - up * up.dot(p)).lengthSquared
    }
    let surface = sampler.surface
    let faces = Parallel.mapChunks(of: surface.indices.count) { corners in
      corners.reduce(Float(0)) {
        max($0, square(surface.positions[Int(surface.indices[$1])].simd))
      }
    }
    let cloud = (points?.positions ?? []).reduce(Float(0)) { max($0, square($1.simd)) }
    return max(cloud, faces.max() ?? 0).squareRoot()
  }

  private func place(_ axes: Transform, _ fit: Fit) -> SIMD3<Double> {
    // A single point would be fitted by a camera inside it.
    let gap = box.extent > 0 ? 0.01 * box.extent : 1
    let position = fit.place(gap: gap)
    return center + axes.x * Double(position.x) + axes.y * Double(position.y) + axes.z
      * Double(position.z)
  }
}

/// How far out the four sides of an image must be to contain points.
private struct Fit: Sendable {
  private let x: SIMD3<Float>
  private let y: SIMD3<Float>
  private let z: SIMD3<Float>
  private let origin: SIMD3<Float>
  private let slopes: SIMD2<Float>
  /// The planes through the camera along right, left, upper and lower side, at the depth of the
  /// origin.
  private var planes = SIMD4<Float>(repeating: -.infinity)
  private var nearest = -Float.infinity

  init(_ axes: Transform, _ lens: Lens, around origin: SIMD3<Float>) {
    (x, y, z) = (SIMD3<Float>(axes.x), SIMD3<Float>(axes.y), SIMD3<Float>(axes.z))
    self.origin = origin
    slopes = lens.slopes
  }

  mutating func add(_ point: SIMD3<Float>) {
    let p = point - origin
    let (across, upward, near) = (x.dot(p), y.dot(p), z.dot(p))
    let sides = SIMD4(across, -across, upward, -upward)
    planes = pointwiseMax(planes, sides + SIMD4(slopes.x, slopes.x, slopes.y, slopes.y) * near)
    nearest = max(nearest, near)
  }

  func joined(with other: Fit) -> Fit {
    var result = self
    result.planes = pointwiseMax(planes, other.planes)
    result.nearest = max(nearest, other.nearest)
    return result
  }

  /// The camera's position along the axes, relative to the origin, at least `gap` in front of the
  /// nearest point.
  func place(gap: Float) -> SIMD3<Float> {
    let far = max((planes.x + planes.y) / (2 * slopes.x), (planes.z + planes.w) / (2 * slopes.y))
    return SIMD3(
      (planes.x - planes.y) / 2, (planes.z - planes.w) / 2, max(far, nearest + gap))
  }
}

/// The size and field of view of an image.
private struct Lens {
  let size: SIMD2<Int>
  let focalLength: Double

  /// A field of view of 35° over the shorter side of the image, or 80°.
  init(size: SIMD2<Int>, isWide: Bool) {
    self.size = size
    focalLength = Double(min(size.x, size.y)) * (isWide ? 0.6 : 1.6)
  }

  /// Half of the image at a distance of 1, without a narrow margin.
  var slopes: SIMD2<Float> { SIMD2<Float>(SIMD2<Double>(size) * (0.5 * 0.95 / focalLength)) }

  func camera(_ axes: Transform, at position: SIMD3<Double>) -> Camera {
    var pose = axes
    pose.translation = position
    return Camera(
      Capture.Frame(
        name: "view", image: .file(""), imageSize: size,
        intrinsics: .init(
          focalLength: SIMD2(repeating: focalLength), principalPoint: SIMD2<Double>(size) / 2),
        pose: pose))
  }
}
