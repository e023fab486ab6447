import MeshpipeBase
import MeshpipeScene

/// Robust planes through the patches around one (moving least squares; Fleishman and others 2005).
struct SurfelFit {
  private let surfels: Surfels
  private let tolerance: Float
  /// Coordinates in the tangent plane in cells, height in metres, and weight of each neighbour.
  private var neighbors: [SIMD4<Float>] = []
  private var limits: [Float] = []
  /// The radius of the window in cells.
  private static let radius: Int32 = 2
  /// Heights beyond the limit times these don't count: wide at first, as a tilted plane has them.
  private static let widths: [Float] = [3, 2, 1]
  /// The limit of heights in standard deviations: 99.7 % of normal noise is within it.
  private static let deviations: Float = 3
  /// Cells with their corner farther from the plane than this, in cells, don't touch it: their
  /// diagonal is √3, and a patch is not in their corner.
  private static let farthest: Float = 2
  /// The terms of a plane, and of a quadric.
  private static let (flat, bent) = (3, 6)
  /// The turns of a surface within a cell, in radians, between which the fit loses its reliability: up to the first it
  /// is what the quadric says, beyond the second what lies in the window is too little of the surface.
  private static let turns: (full: Float, none: Float) = (0.3, 0.6)
  /// A term whose pivot is less than this share of all weights is not determined by the points.
  private static let leastPivot: Float = 1e-3

  init(_ surfels: Surfels, tolerance: Float) {
    self.surfels = surfels
    self.tolerance = tolerance
  }

  /// - Parameter spread: The variance of the points that a patch is the mean of, along each axis, as
  ///   a share of the square of a cell: on a curved surface their mean is beside it.
  mutating func plane(at index: Int, spread: Float) -> SurfelPlane {
    let patch = surfels.patches[index]
    // The axis that is not along the normal.
    let first = patch.normal.cross(
      abs(patch.normal.x) < 0.7 ? SIMD3(1, 0, 0) : SIMD3(0, 1, 0))
    let right = first / first.length
    let up = patch.normal.cross(right)
    collect(patch, right, up)
    let (surface, sagitta) = fitted(variance: patch.variance)
    let normal = patch.normal - (right * surface[1] + up * surface[2]) / surfels.cell
    let height = surface[0] - spread * (surface[3] + surface[5])
    return SurfelPlane(
      position: patch.position + patch.normal * height, normal: normal / normal.length,
      right * right * surface[3] + right * up * surface[4] + up * up * surface[5],
      right * right.yzx * (2 * surface[3]) + (right * up.yzx + up * right.yzx) * surface[4]
        + up * up.yzx * (2 * surface[5]), cell: surfels.cell,
      reliability: reliability(turn: 2 * sagitta / surfels.cell))
  }

  /// The coefficients of the quadric through the neighbours, in which a curvature within the noise is
  /// none, and the height of what it bends over a cell, in metres.
  private func fitted(variance: Float) -> (surface: SIMD8<Float>, sagitta: Float) {
    var surface = SIMD8<Float>.zero
    for width in Self.widths { surface = solved(surface, width, terms: Self.bent) }
    let (xx, xy, yy) = (surface[3], surface[4], surface[5])
    let square = xx * xx + xy * xy / 2 + yy * yy
    let noise = SurfaceDenoising.threshold * SurfaceDenoising.threshold * variance
    let kept = max(0, 1 - noise / max(square, .leastNormalMagnitude))
    for term in Self.flat..<Self.bent { surface[term] *= kept }
    if kept < 1 { surface = solved(surface, 1, terms: Self.flat) }
    return (surface, kept * square.squareRoot())
  }

  /// The reliability of the fit for finer details, from 0 to 1, by the angle that the surface turns within a cell.
  ///
  /// A window that ends where the normals turn away, or holds fewer patches than the quadric has
  /// terms, shows a part only: smoothing small balls and thin poles by it would make them thicker.
  private func reliability(turn: Float) -> Float {
    guard neighbors.count >= Self.bent else { return 0 }
    return min(max((Self.turns.none - turn) / (Self.turns.none - Self.turns.full), 0), 1)
  }

  private mutating func collect(
    _ patch: Surfels.Patch, _ right: SIMD3<Float>, _ up: SIMD3<Float>
  ) {
    neighbors.removeAll(keepingCapacity: true)
    limits.removeAll(keepingCapacity: true)
    let radius = Self.radius
    for z in -radius...radius {
      for y in -radius...radius {
        for x in -radius...radius {
          let step = SIMD3<Float>(Float(x), Float(y), Float(z))
          // Cells that the plane doesn't touch.
          guard abs(step.dot(patch.normal)) < Self.farthest else { continue }
          for other in surfels.patches(in: patch.cell &+ SIMD3(x, y, z)) {
            add(surfels.patches[other], to: patch, right: right, up: up)
          }
        }
      }
    }
  }

  @inline(__always)
  private mutating func add(
    _ other: Surfels.Patch, to patch: Surfels.Patch, right: SIMD3<Float>, up: SIMD3<Float>
  ) {
    guard other.normal.dot(patch.normal) > SurfaceDenoising.leastCosine else { return }
    let offset = other.position - patch.position
    let scaled = offset / (surfels.cell * Float(Self.radius))
    let inside = 1 - scaled.dot(scaled)
    guard inside > 0 else { return }
    neighbors.append(
      SIMD4(
        offset.dot(right) / surfels.cell, offset.dot(up) / surfels.cell, offset.dot(patch.normal),
        inside * inside * other.mass / other.variance))
    limits.append(
      Self.deviations * (patch.variance + other.variance).squareRoot() + tolerance)
  }

  /// One step of iteratively reweighted least squares, with Tukey's weights: the height in metres by
  /// 1, x, y, x², xy and y².
  ///
  /// - Parameter terms: The number of coefficients that are solved for; the others stay.
  private func solved(_ surface: SIMD8<Float>, _ width: Float, terms: Int) -> SIMD8<Float> {
    var rows = (
      SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero,
      SIMD8<Float>.zero, SIMD8<Float>.zero
    )
    for index in neighbors.indices {
      let point = neighbors[index]
      let basis = SIMD8(
        1, point.x, point.y, point.x * point.x, point.x * point.y, point.y * point.y, 0, 0)
      let height = point.z - (basis * surface).sum()
      let ratio = height / (limits[index] * width)
      let inside = 1 - ratio * ratio
      guard inside > 0 else { continue }
      var weighted = basis
      weighted[6] = height
      weighted *= point.w * inside * inside
      rows.0 += weighted
      rows.1 += weighted * point.x
      rows.2 += weighted * point.y
      rows.3 += weighted * basis[3]
      rows.4 += weighted * basis[4]
      rows.5 += weighted * basis[5]
    }
    guard rows.0[0] > 0 else { return surface }
    var system = [rows.0, rows.1, rows.2, rows.3, rows.4, rows.5]
    return surface + Self.solution(&system, terms: terms)
  }

  /// Gauss and Jordan's elimination; terms that the points don't determine are 0.
  private static func solution(_ rows: inout [SIMD8<Float>], terms: Int) -> SIMD8<Float> {
    let least = leastPivot * rows[0][0]
    var isSolved = SIMD8<Float>.zero
    for term in 0..<terms {
      guard rows[term][term] > least else { continue }
      isSolved[term] = 1
      let pivot = rows[term] / rows[term][term]
      rows[term] = pivot
      for other in 0..<terms where other != term { rows[other] -= pivot * rows[other][term] }
    }
    var result = SIMD8<Float>.zero
    for term in 0..<terms where isSolved[term] > 0 { result[term] = rows[term][6] }
    return result
  }
}

extension SIMD3<Float> {
  fileprivate var yzx: SIMD3<Float> { SIMD3(y, z, x) }
}
