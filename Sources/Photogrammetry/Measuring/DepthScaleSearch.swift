import MeshpipeScene
import NativeLibraries
import POSIX

/// Finds the one number by which all cameras are wrong, from their depth maps on the mesh.
struct DepthScaleSearch {
  /// The quantity that the number scales.
  enum Quantity: CaseIterable {
    case focalLength
    /// About the origin: those of poses from images alone have any scale.
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

  /// The greatest scale in logarithms.
  private static let greatest = 0.5
  private static let steps = 0.002...0.01
  /// The robust scale in metres: some times the error of depths.
  private static let reach: Float = 0.05

  init(_ probe: MeshProbe, _ frames: [Capture.Frame], metersPerUnit: Double) {
    self.probe = probe
    self.frames = frames
    self.metersPerUnit = Float(metersPerUnit)
  }

  /// The share without a scale.
  var present: Double { fit(.positions, 1).share }

  /// The scale with which the depths fit best; nil if there is none within the range.
  func best() -> Found? {
    let found = Quantity.allCases.compactMap(best)
    return found.dropFirst().reduce(found.first) { ($1.share > $0?.share ?? 0) ? $1 : $0 }
  }

  private func best(_ quantity: Quantity) -> Found? {
    let step = step(of: quantity)
    let count = Int((Self.greatest / step).rounded())
    let scales = (-count...count).map { exp(Double($0) * step) }
    let fits = scales.map { fit(quantity, $0).agreement }
    guard let place = fits.indices.max(by: { fits[$0] < fits[$1] }), place > 0,
      place + 1 < fits.count
    else { return nil }
    let part = LensSearch.vertex(fits[place - 1], fits[place], fits[place + 1])
    let scale = scales[place] * exp(part * step)
    return Found(quantity: quantity, scale: scale, share: fit(quantity, scale).share)
  }

  /// A step moves no camera much farther than depths are judged by.
  private func step(of quantity: Quantity) -> Double {
    guard quantity == .positions else { return Self.steps.upperBound }
    let farthest = probe.views.map { frames[$0.frame].pose.translation.length }.max() ?? 0
    let step = Double(Self.reach) / max(farthest * Double(metersPerUnit), 1e-9)
    return min(max(step, Self.steps.lowerBound), Self.steps.upperBound)
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
        of: view.scaledFocalLength(by: spread), from: pose, on: probe.tracer, unit: metersPerUnit)
      let near = residuals.rays.reduce(0) { $0 + squared / (squared + $1.beyond * $1.beyond) }
      return SIMD3(Double(residuals.nearCount), Double(residuals.rays.count), Double(near))
    }.reduce(SIMD3<Double>.zero, +)
    let measured = probe.views.reduce(0) { $0 + $1.depths.count }
    return (sums.x / max(sums.y, 1), sums.z / Double(max(measured, 1)))
  }
}
