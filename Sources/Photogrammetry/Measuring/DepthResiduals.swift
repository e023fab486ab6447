import MeshpipeScene
import NativeLibraries

/// Measured depths that hit the mesh from a pose.
struct DepthResiduals {
  struct Ray {
    /// The vector from the camera to the measured point, in metres.
    var offset: SIMD3<Float>
    var normal: SIMD3<Float>
    /// The distance along the ray, in metres, by which the mesh is farther than measured.
    var beyond: Float
    var depth: Float

    /// The distance from the measured point to the plane of the mesh along its normal, in metres.
    var distance: Float { (normal * (offset / depth * beyond)).sum() }
  }

  /// Metres and a share of the depth within which a depth is on the mesh.
  private static let tolerance: (meters: Float, share: Float) = (0.02, 0.01)

  private(set) var rays: [Ray] = []
  private let unit: Float
  /// The camera's position in the world.
  private let camera: SIMD3<Double>

  init(of view: MeshProbe.View, from pose: Transform, on tracer: RayTracer, unit: Float) {
    self.unit = unit
    camera = pose.translation
    view.forEachHit(from: pose, on: tracer) { index, direction, hit in
      guard index < view.depths.count else { return }
      let depth = view.depths[index]
      rays.append(
        Ray(
          offset: direction * depth, normal: hit.normal, beyond: hit.distance * unit - depth,
          depth: depth))
    }
  }

  /// The number of rays whose measured depth is that of the mesh.
  var nearCount: Int {
    rays.count { abs($0.beyond) < Self.tolerance.meters + Self.tolerance.share * $0.depth }
  }

  /// Their share of all rays that hit the mesh.
  var share: Double { Double(nearCount) / Double(max(rays.count, 1)) }

  /// Where was measured, in the world, in units of the scene.
  var points: [SIMD3<Double>] {
    rays.map { camera + SIMD3<Double>($0.offset) / Double(unit) }
  }

  /// The motion of the camera, in units of the scene, that brings the measured points nearest to the planes they hit.
  func step(_ scale: Float, stiffness: Double) -> PoseChange {
    var equations = MotionEquations()
    add(to: &equations, scale, around: camera)
    return equations.step(stiffness: stiffness, unit)
  }

  /// Adds to the equations of a motion around a point in the world.
  func add(to equations: inout MotionEquations, _ scale: Float, around center: SIMD3<Double>) {
    let arm = SIMD3<Float>(camera - center) * unit
    for ray in rays {
      let falloff = scale * scale / (scale * scale + ray.distance * ray.distance)
      equations.add(
        at: ray.offset + arm, normal: ray.normal, distance: ray.distance, weight: falloff * falloff)
    }
  }
}

/// The normal equations of a small motion that brings points onto planes.
struct MotionEquations {
  private var block = SymmetricBlock()
  private var right = [Double](repeating: 0, count: 6)
  private var (weights, squares) = (0.0, 0.0)

  /// - Parameters:
  ///   - point: The point, from the centre of the turn, in metres.
  ///   - distance: To the plane along its normal, in metres.
  mutating func add(
    at point: SIMD3<Float>, normal: SIMD3<Float>, distance: Float, weight: Float
  ) {
    let turn = point.cross(normal)
    block.addSquare(of: turn, normal, weight)
    for axis in 0..<3 {
      right[axis] += Double(weight * distance * turn[axis])
      right[3 + axis] += Double(weight * distance * normal[axis])
    }
    weights += Double(weight)
    squares += Double(weight * (point * point).sum())
  }

  /// The solution, with a translation in units of the scene.
  ///
  /// - Parameter stiffness: Against motions that nothing shows, as a share of all weights.
  func step(stiffness: Double, _ unit: Float) -> PoseChange {
    var block = block
    let (turning, moving) = (stiffness * squares + 1e-12, stiffness * weights + 1e-12)
    block.addDiagonal([turning, turning, turning, moving, moving, moving][...])
    block.factor()
    var solution = [Double](repeating: 0, count: 6)
    block.solve(right, at: 0, into: &solution)
    return PoseChange(
      rotation: SIMD3(solution[0], solution[1], solution[2]),
      translation: SIMD3(solution[3], solution[4], solution[5]) / Double(unit))
  }

  /// The solution as a motion of the world.
  func motion(stiffness: Double, around center: SIMD3<Double>, _ unit: Float) -> Transform {
    let change = step(stiffness: stiffness, unit)
    return Transform(translation: center)
      * Transform.identity.moved(by: change) * Transform(translation: -center)
  }
}
