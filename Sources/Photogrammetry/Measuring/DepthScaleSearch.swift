import MeshPipeline
import NativeLibraries
import POSIX

/// Finds the one number by which all cameras are wrong, from their depth maps on the mesh.
struct DepthScaleSearch {
  /// What the number scales.
  enum Quantity: CaseIterable {
    case focalLength
    /// About the origin: of a mesh, or of poses, in another unit or of another size.
    case positions
  }

  /// A number, and the share of depths on the mesh with it, of all rays that hit it.
  struct Found {
    var quantity: Quantity
    var scale: Double
    var share: Double
  }

  private let probe: MeshProbe
  private let frames: [Capture.Frame]
  private let metersPerUnit: Float

  /// The greatest scale, and the finest step, in logarithms.
  private static let (greatest, step) = (0.4, 0.01)
  /// The robust scale in metres: some times the error of depths.
  private static let reach: Float = 0.05

  init(_ probe: MeshProbe, _ frames: [Capture.Frame], metersPerUnit: Double) {
    self.probe = probe
    self.frames = frames
    self.metersPerUnit = Float(metersPerUnit)
  }

  /// The scale with which the depths fit best.
  func best() -> Found {
    let found = Quantity.allCases.map(best)
    return found.dropFirst().reduce(found[0]) { $1.share > $0.share ? $1 : $0 }
  }

  private func best(_ quantity: Quantity) -> Found {
    let count = Int((Self.greatest / Self.step).rounded())
    let scales = (-count...count).map { exp(Double($0) * Self.step) }
    let fits = scales.map { fit(quantity, $0).agreement }
    let place = fits.indices.max { fits[$0] < fits[$1] } ?? count
    var scale = scales[place]
    if place > 0, place + 1 < fits.count {
      // The maximum of a parabola through three values.
      let bend = fits[place - 1] + fits[place + 1] - 2 * fits[place]
      let part = bend < 0 ? (fits[place - 1] - fits[place + 1]) / (2 * bend) : 0
      scale *= exp(min(max(part, -0.5), 0.5) * Self.step)
    }
    return Found(quantity: quantity, scale: scale, share: fit(quantity, scale).share)
  }

  /// The share of depths on the mesh of all rays that hit it, and how near all measured ones are, which has no steps.
  private func fit(_ quantity: Quantity, _ scale: Double) -> (share: Double, agreement: Double) {
    let squared = Self.reach * Self.reach
    let sums = Parallel.map(count: probe.views.count) { index in
      let view = probe.views[index]
      var pose = frames[view.frame].pose
      if quantity == .positions { pose.translation *= scale }
      let spread = quantity == .focalLength ? Float(scale) : 1
      let residuals = DepthResiduals(
        view.scaledFocalLength(by: spread), pose, probe.tracer, metersPerUnit)
      let near = residuals.rays.reduce(0) { $0 + squared / (squared + $1.beyond * $1.beyond) }
      return SIMD3(Double(residuals.nearCount), Double(residuals.rays.count), Double(near))
    }.reduce(SIMD3<Double>.zero, +)
    let measured = probe.views.reduce(0) { $0 + $1.depths.count }
    return (sums.x / max(sums.y, 1), sums.z / Double(max(measured, 1)))
  }
}
