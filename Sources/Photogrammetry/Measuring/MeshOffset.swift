import MeshpipeBase
import MeshpipeScene
import NativeLibraries

/// The offset of a mesh from where all depth maps together show it.
///
/// One motion of all cameras is found that brings what they measured onto the mesh, point to plane, as for single frames in
/// ``PoseOffsets``. It is exact to millimetres where those of single frames, and the median distance along rays, tell
/// nothing: a room that was moved has walls before and behind their depths.
struct MeshOffset {
  /// Moves all cameras, in the coordinates of the scene.
  let motion: Transform
  /// The distance that the motion moves the measured points, in metres: the root of the mean square.
  let meters: Double

  /// The minimum offset in metres: less is within the error of good meshes.
  private static let least = 0.01
  /// The share of the distance from the mesh that may be left in frames that were held out, and by how much their own motion
  /// may differ.
  private static let (greatestRest, greatestDifference) = (0.7, 0.5)

  /// The determinant of the normals' second moments, where 1 is that of normals in all directions and 0 that of a plane, on
  /// which a mesh could slide: a corridor has 0.3.
  private static let leastSpread: Float = 0.1

  /// Nil if the mesh is where the depths are, if its surface does not show motions in all directions, or if no motion brings
  /// them together.
  init?(_ probe: MeshProbe, _ frames: [Capture.Frame], metersPerUnit: Double) {
    guard let cameras = CommonMotion(probe, frames, metersPerUnit: metersPerUnit) else {
      return nil
    }
    let everywhere = Array(cameras.views.indices)
    let present = cameras.residuals(everywhere, .identity)
    guard present.spreadOfNormals > Self.leastSpread else { return nil }
    // Halves see the same points, so that each shows all directions that the other does.
    let halves = [0, 1].map { half in everywhere.filter { $0 % 2 == half } }
    var motions: [Transform] = []
    for (half, other) in zip(halves, halves.reversed()) {
      // Of good captures, the first half ends it.
      let found = cameras.motion(half)
      let before = other.map { present[$0] }.typicalDistance
      guard
        cameras.residuals(other, found).typicalDistance < Float(Self.greatestRest) * before
      else { return nil }
      motions.append(found)
    }
    let all = cameras.motion(everywhere)
    let places = present.flatMap(\.points)
    meters = all.distance(from: .identity, at: places) * metersPerUnit
    guard meters > Self.least,
      motions[0].distance(from: motions[1], at: places) * metersPerUnit
        < Self.greatestDifference * meters
    else { return nil }
    self.motion = all
  }
}

/// The motion of all cameras together that brings what their depth maps measured onto the mesh.
struct CommonMotion {
  /// Some of the views, evenly over the capture.
  let views: [MeshProbe.View]
  private let poses: [Transform]
  private let tracer: RayTracer
  private let metersPerUnit: Float
  /// The mean position of the cameras, around which they turn.
  private let center: SIMD3<Double>

  /// The robust scale in metres, step by step.
  private static let scales: [Float] = [0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.04, 0.03, 0.03]
  private static let stiffness = 0.001
  /// Depth maps by which it is judged: of more rays than these have, no one changes a millimetre.
  private static let mostViews = 64
  private static let fewestViews = 6

  /// Nil if too few depth maps were read.
  init?(_ probe: MeshProbe, _ frames: [Capture.Frame], metersPerUnit: Double) {
    views = probe.measured.evenly(atMost: Self.mostViews)
    guard views.count >= Self.fewestViews else { return nil }
    poses = views.map { frames[$0.frame].pose }
    tracer = probe.tracer
    self.metersPerUnit = Float(metersPerUnit)
    center = poses.reduce(SIMD3<Double>.zero) { $0 + $1.translation } / Double(views.count)
  }

  /// The residuals of what some of the views measured that hits the mesh, after a motion.
  func residuals(_ indices: [Int], _ motion: Transform) -> [DepthResiduals] {
    Parallel.map(count: indices.count) { index in
      DepthResiduals(
        of: views[indices[index]], from: motion * poses[indices[index]], on: tracer,
        unit: metersPerUnit)
    }
  }

  /// The motion that some of the views show, near `start`.
  ///
  /// - Parameter reach: How far from `start` it may be, in metres.
  func motion(_ indices: [Int], near start: Transform = .identity, within reach: Float = 0.15)
    -> Transform
  {
    Self.scales.lazy.filter { $0 <= reach }.reduce(start) { motion, scale in
      let center = motion.apply(toPoint: center)
      var equations = MotionEquations()
      for residuals in residuals(indices, motion) {
        residuals.add(to: &equations, scale, around: center)
      }
      return equations.motion(stiffness: Self.stiffness, around: center, metersPerUnit) * motion
    }
  }

  /// Where all of the views measured, in the scene as the cameras are recorded.
  var places: [SIMD3<Float>] {
    zip(views, poses).flatMap { view, pose in
      zip(view.rays, view.depths).map { ray, depth in
        SIMD3<Float>(pose.apply(toPoint: SIMD3<Double>(ray * (depth / metersPerUnit))))
      }
    }
  }
}

extension Transform {
  /// The distance between some points moved by two motions: the root of the mean square.
  func distance(from other: Transform, at points: [SIMD3<Double>]) -> Double {
    let squares = points.reduce(0) { sum, point in
      let step = apply(toPoint: point) - other.apply(toPoint: point)
      return sum + step.dot(step)
    }
    return (squares / Double(max(points.count, 1))).squareRoot()
  }
}

extension [DepthResiduals] {
  /// The median distance of measured points from the mesh, in metres; 0 without any.
  fileprivate var typicalDistance: Float {
    flatMap { $0.rays.map { abs($0.distance) } }.median() ?? 0
  }

  /// The evenness of the directions of hit normals, from 0 to 1.
  var spreadOfNormals: Float {
    var (x, y, z) = (SIMD3<Float>.zero, SIMD3<Float>.zero, SIMD3<Float>.zero)
    var count: Float = 0
    for ray in lazy.flatMap(\.rays) {
      x += ray.normal * ray.normal.x
      y += ray.normal * ray.normal.y
      z += ray.normal * ray.normal.z
      count += 1
    }
    let third = Swift.max(count, 1) / 3
    return (x / third).dot((y / third).cross(z / third))
  }
}

extension FitCheck {
  /// Moves all cameras onto a mesh that lies elsewhere as a whole.
  ///
  /// - Returns: The fit of the depth maps afterwards; nil if nothing was changed.
  mutating func moveOntoMesh() -> DepthFit? {
    let (frames, unit) = (scan.capture.frames, scene.coordinateSystem.metersPerUnit)
    guard let offset = MeshOffset(probe, frames, metersPerUnit: unit) else { return nil }
    // One of all that explains too little is none.
    var moved = scan
    moved.move(by: offset.motion)
    guard !PoseOffsets.mayBeOff(probe, moved.capture.frames, metersPerUnit: unit),
      let fit = changed({ $0 = moved })
    else { return nil }
    findings.meshOffset = offset.meters
    context.warn(
      "\(path): the mesh lies \(NumberText.fixed(1000 * offset.meters, digits: 0)) mm from where all depth maps "
        + "show it, and all frames \(misfits == .kept ? "should be" : "are") moved onto it: the mesh seems to have been "
        + "moved without them")
    return fit
  }
}
