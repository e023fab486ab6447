import MeshPipeline

/// The frames that each vertex takes its fine detail from, and their local exposure there: the second
/// of the three steps of a bake, between ``FrameObservations`` and ``TextureComposition``.
package struct ViewSelection: Sendable {
  package let calibration: FrameCalibration
  let chosen: ChosenViews

  /// Chooses frames, and levels them where they are chosen.
  ///
  /// - Parameters:
  ///   - observations: Consumed, since they take much memory: few of them are needed any more.
  ///   - density: Texels per metre: a finer resolution does not count.
  package init(_ observations: consuming FrameObservations, density: Float) {
    let (calibration, table) = (observations.calibration, observations.table)
    let (domain, options) = (calibration.domain, calibration.options)
    var shareOptions = options.shares
    shareOptions.density = density
    let shares = ViewShares.choose(
      table, calibration.looks, doubts: calibration.consensus.doubts(), offsets: domain.offsets,
      neighbors: domain.neighbors, options: shareOptions)
    var chosen = ChosenViews(table, shares: shares)
    if let leveling = options.leveling {
      FrameLeveling.level(
        &chosen, table, calibration.looks, calibration.consensus, offsets: domain.offsets,
        neighbors: domain.neighbors, options: leveling)
    }
    self.calibration = calibration
    self.chosen = chosen
  }
}
