import MeshpipeBase

/// The drift of the cameras' path that pairs of images show, where no depth map does.
extension FitCheck {
  /// Neighbours are at most this many frames apart, and distant frames more than this part of all: errors of a path add
  /// up from frame to frame.
  private static let (nearest, distantPart) = (3, 0.25)
  /// The mean correlation of neighbours from which on mesh and images are good enough to show a drift, and the part of it
  /// that distant frames of a good path reach.
  ///
  /// A path that drifted by 25 cm around a room had 0.90 and 0.37, printed boards 0.84 and 0.65, a chair with half of
  /// its mesh missing 0.64 and 0.24.
  private static let (clear, leastPart) = (0.8, 0.5)
  /// The patches of distant frames of which the mean is not chance.
  private static let leastPatches = 200

  /// Warns of a path that drifts: frames agree with their neighbours, and not with those from another time.
  func reportDrift() {
    let strangers = Set(consensus.outliers)
    let pairs = pairs.filter { !strangers.contains($0.first) && !strangers.contains($0.second) }
    let far = Self.distantPart * Double(scan.capture.frames.count)
    let neighbors = pairs.filter { abs($0.first - $0.second) <= Self.nearest }
    let distant = pairs.filter { Double(abs($0.first - $0.second)) > far }
    guard !probe.isMeasured, let near = neighbors.meanCorrelation,
      let apart = distant.meanCorrelation, near >= Self.clear, apart < Self.leastPart * near,
      distant.reduce(0, { $0 + $1.patches }) >= Self.leastPatches
    else { return }
    func percent(_ share: Double) -> String { NumberText.fixed(100 * share, digits: 0) }
    context.warn(
      "\(path): the path of the frames drifts, or the mesh is bent: images taken one after another correlate "
        + "on it by \(percent(near)) %, and those taken far apart by \(percent(apart)) %; the texture will be blurred or "
        + "doubled"
    )
  }
}
