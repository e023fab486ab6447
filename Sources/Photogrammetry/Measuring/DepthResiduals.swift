import MeshPipeline
import NativeLibraries

/// Measured depths that hit the mesh from a pose.
struct DepthResiduals {
  struct Ray {
    /// From the camera to the measured place, in metres.
    var place: SIMD3<Float>
    var normal: SIMD3<Float>
    /// The distance along the ray, in metres, by which the mesh is farther than measured.
    var beyond: Float
    var depth: Float
  }

  /// Metres and a share of the depth within which a depth is on the mesh.
  private static let tolerance: (meters: Float, share: Float) = (0.02, 0.01)

  private(set) var rays: [Ray] = []
  private let unit: Float

  init(_ view: MeshProbe.View, _ pose: Transform, _ tracer: RayTracer, _ unit: Float) {
    self.unit = unit
    view.forEachHit(from: pose, on: tracer) { index, direction, hit in
      guard index < view.depths.count else { return }
      let depth = view.depths[index]
      rays.append(
        Ray(
          place: direction * depth, normal: hit.normal, beyond: hit.distance * unit - depth,
          depth: depth))
    }
  }

  /// The number of rays whose measured depth is that of the mesh.
  var nearCount: Int {
    rays.count { abs($0.beyond) < Self.tolerance.meters + Self.tolerance.share * $0.depth }
  }

  /// Their share of all rays that hit the mesh.
  var share: Double { Double(nearCount) / Double(max(rays.count, 1)) }

  /// The motion of the camera, in units of the scene, that brings the places nearest to the planes they hit.
  func step(_ scale: Float, stiffness: Double) -> PoseChange {
    var block = SymmetricBlock()
    var right = [Double](repeating: 0, count: 6)
    var (weights, squares) = (0.0, 0.0)
    for ray in rays {
      let along = ray.place / ray.depth * ray.beyond
      let distance = (ray.normal * along).sum()
      let falloff = scale * scale / (scale * scale + distance * distance)
      let weight = falloff * falloff
      let turn = ray.place.cross(ray.normal)
      block.addSquare(of: turn, ray.normal, weight)
      for axis in 0..<3 {
        right[axis] += Double(weight * distance * turn[axis])
        right[3 + axis] += Double(weight * distance * ray.normal[axis])
      }
      weights += Double(weight)
      squares += Double(weight * (ray.place * ray.place).sum())
    }
    let (turning, moving) = (stiffness * squares + 1e-12, stiffness * weights + 1e-12)
    block.addDiagonal([turning, turning, turning, moving, moving, moving][...])
    block.factor()
    var solution = [Double](repeating: 0, count: 6)
    block.solve(right, at: 0, into: &solution)
    return PoseChange(
      rotation: SIMD3(solution[0], solution[1], solution[2]),
      translation: SIMD3(solution[3], solution[4], solution[5]) / Double(unit))
  }
}
