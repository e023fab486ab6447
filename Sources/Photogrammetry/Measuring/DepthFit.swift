import MeshpipeBase
import MeshpipeScene
import NativeLibraries

/// The fit of each frame's depth map to the mesh, where its rays hit the mesh at all.
struct DepthFit {
  /// The frames that can be judged, and the share of their depths on the mesh.
  private(set) var fits: [(frame: Int, share: Double)] = []
  /// The share of depths on the mesh of all rays that hit it; nil if they are too few.
  private var pooledShare: Double?
  /// The factor by which measured depths are too large, if nearly all of them agree.
  private(set) var constantRatio: Double?
  /// The distance of the mesh as a whole from the measured depths; nil if few of their rays hit it.
  let offset: DepthOffset?

  /// The share of depths on the mesh below which a frame is an outlier, and above which other
  /// frames prove that it is.
  ///
  /// A wrong pose in a room still puts some depths on the mesh by chance, and things that the mesh lacks take a part
  /// of a right one's. Between the two nothing is said: a false accusation leaves out a good frame.
  private static let poor = 0.25
  private static let good = 0.6
  /// The number of such frames that prove it: fewer may be wrong together.
  private static let leastGoodFrames = 3
  /// The minimum number of a frame's rays, of 300, that must hit the mesh to judge it: of fewer, all may pass an edge.
  private static let leastRays = 24
  /// The tolerance within which depth ratios count as equal, and the share of them that must be.
  ///
  /// Poses and mesh make ratios differ by some percent; units that are confused, by a factor of at least two.
  private static let ratioTolerance: Float = 0.1
  private static let leastShareOfRatios = 0.6
  /// The minimum number of ratios, of all frames, for a median.
  private static let leastRatios = 100
  /// The minimum distance of the median from 1, in tolerances, so that ratios near it are not also near 1.
  private static let distinctTolerances: Float = 1.5
  /// The share that may be near 1 is less than ``leastShareOfRatios`` over this: else only some frames are off.
  private static let sharePerShareNearOne = 3.0
  /// The tolerance of the median of all ratios for a known unit: the median is more exact than its parts.
  private static let unitTolerance = 0.04

  init(_ probe: MeshProbe, _ frames: [Capture.Frame], metersPerUnit: Double) {
    let counts = Parallel.map(count: probe.measured.count) { index in
      let view = probe.measured[index]
      return DepthCount(
        of: view, from: frames[view.frame].pose, on: probe.tracer, metersPerUnit: metersPerUnit)
    }
    offset = DepthOffset(counts.flatMap(\.depths))
    for (view, count) in zip(probe.measured, counts) where count.depths.count >= Self.leastRays {
      fits.append((view.frame, Double(count.near) / Double(count.depths.count)))
    }
    let hits = counts.reduce(0) { $0 + $1.depths.count }
    if hits >= Self.leastRays {
      pooledShare = Double(counts.reduce(0) { $0 + $1.near }) / Double(hits)
    }
    constantRatio = Self.constantRatio(counts.flatMap { $0.depths.map { $0.measured / $0.mesh } })
  }

  private static func constantRatio(_ ratios: [Float]) -> Double? {
    guard ratios.count > leastRatios, let median = ratios.median() else { return nil }
    func share(near value: Float) -> Double {
      Double(ratios.count { abs($0 / value - 1) < ratioTolerance }) / Double(ratios.count)
    }
    guard abs(median - 1) > distinctTolerances * ratioTolerance, median > 0, median.isFinite,
      share(near: median) > leastShareOfRatios,
      share(near: 1) < leastShareOfRatios / sharePerShareNearOne
    else { return nil }
    return Double(median)
  }

  /// The median share of depths on the mesh over all frames; nil if none can be judged.
  var median: Double? { fits.map(\.share).median() }

  /// Whether the depths of most frames are off the mesh, or all together where no frame sees much of it.
  var isBroken: Bool { (median ?? pooledShare).map { $0 < Self.poor } ?? false }

  /// Whether depths show that the frames see the mesh.
  var isConfirmed: Bool { pooledShare != nil && !isBroken }

  /// Frames whose depths are off the mesh, if those of others are on it.
  var outliers: [Int] {
    guard fits.count(where: { $0.share >= Self.good }) >= Self.leastGoodFrames else { return [] }
    return fits.filter { $0.share < Self.poor }.map(\.frame)
  }

  /// Units of depth maps that are often confused, by the factor by which depths are too large.
  private static let units: [(factor: Double, description: String)] = [
    (10, "a tenth of the assumed unit: 0.1 mm instead of 1 mm, for example"),
    (0.1, "ten times the assumed unit: 1 cm instead of 1 mm, for example"),
    (100, "a hundredth of the assumed unit"),
    (0.01, "a hundred times the assumed unit: 1 m instead of 1 cm, for example"),
    (1000, "a thousandth of the assumed unit: 1 mm instead of 1 m, for example"),
    (0.001, "a thousand times the assumed unit: 1 m instead of 1 mm, for example"),
    (1 / 0.3048, "feet instead of metres"), (0.3048, "metres instead of feet"),
    (1 / 0.0254, "inches instead of metres"), (0.0254, "metres instead of inches"),
    (2, "half of the assumed unit"), (4, "1/4000 m instead of 1 mm"),
    (5, "1/5000 m instead of 1 mm"),
  ]

  /// The probable unit of depth maps; nil if the ratio matches none.
  static func unit(forRatio ratio: Double) -> (factor: Double, description: String)? {
    units.first { abs(ratio / $0.factor - 1) < unitTolerance }
  }
}
