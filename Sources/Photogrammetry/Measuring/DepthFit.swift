import MeshPipeline
import NativeLibraries

/// How well the depth map of each frame fits the mesh, where its rays meet it at all.
struct DepthFit {
  /// The frames that can be judged, and the share of their depths that lie on the mesh.
  private(set) var fits: [(frame: Int, share: Double)] = []
  /// By what measured depths are too large, when it is the same for nearly all of them.
  private(set) var constantRatio: Double?

  /// Depths on the mesh below which a frame is a stranger, and above which others show that it is.
  private static let poor = 0.25
  private static let good = 0.6
  /// Rays of a frame that have to meet the mesh before anything is said of it.
  private static let leastRays = 24
  /// How far ratios of depths may be apart to be the same one, and how many must be.
  private static let ratioTolerance: Float = 0.1
  private static let leastShareOfRatios = 0.6

  init(_ probe: MeshProbe, _ frames: [Capture.Frame], metersPerUnit: Double) {
    let counts = Parallel.map(count: probe.measured.count) { index in
      let view = probe.measured[index]
      return DepthCount(view, frames[view.frame].pose, probe.tracer, metersPerUnit)
    }
    for (view, count) in zip(probe.measured, counts) where count.ratios.count >= Self.leastRays {
      fits.append((view.frame, Double(count.near) / Double(count.ratios.count)))
    }
    constantRatio = Self.constantRatio(counts.flatMap(\.ratios))
  }

  private static func constantRatio(_ ratios: [Float]) -> Double? {
    guard ratios.count > 100 else { return nil }
    let median = ratios.sorted()[ratios.count / 2]
    func share(near value: Float) -> Double {
      Double(ratios.count { abs($0 / value - 1) < ratioTolerance }) / Double(ratios.count)
    }
    guard abs(median - 1) > 1.5 * ratioTolerance, median > 0, median.isFinite,
      share(near: median) > leastShareOfRatios, share(near: 1) < leastShareOfRatios / 3
    else { return nil }
    return Double(median)
  }

  /// The share that lies on the mesh in the middle one of all frames; nil when none can be judged.
  var median: Double? {
    fits.isEmpty ? nil : fits.map(\.share).sorted()[fits.count / 2]
  }

  /// Whether the depths of most frames lie elsewhere.
  var isBroken: Bool { median.map { $0 < Self.poor } ?? false }

  /// Frames whose depths lie elsewhere than the mesh, when those of others lie on it.
  var strangers: [Int] {
    guard fits.count(where: { $0.share >= Self.good }) >= 3 else { return [] }
    return fits.filter { $0.share < Self.poor }.map(\.frame)
  }

  /// The names of units of depth maps that are often mistaken for another, by what depths are too large by.
  private static let units: [(factor: Double, words: String)] = [
    (10, "a tenth of what was taken for its unit: 0.1 mm for 1 mm, say"),
    (0.1, "ten times what was taken for its unit: 1 cm for 1 mm, say"),
    (100, "a hundredth of what was taken for its unit"),
    (0.01, "a hundred times what was taken for its unit: 1 m for 1 cm, say"),
    (1000, "a thousandth of what was taken for its unit: 1 mm for 1 m, say"),
    (0.001, "a thousand times what was taken for its unit: 1 m for 1 mm, say"),
    (1 / 0.3048, "feet, taken for metres"), (0.3048, "metres, taken for feet"),
    (1 / 0.0254, "inches, taken for metres"), (0.0254, "metres, taken for inches"),
    (2, "half of what was taken for its unit"), (4, "1/4000 m, taken for 1 mm"),
    (5, "1/5000 m, taken for 1 mm"),
  ]

  /// The unit of which depth maps probably are, in words; nil when the ratio is that of none.
  static func unit(forRatio ratio: Double) -> (factor: Double, words: String)? {
    units.first { abs(ratio / $0.factor - 1) < 0.04 }
  }
}
