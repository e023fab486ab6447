import MeshpipeScene

/// The frames that each vertex takes its fine detail from, and their local exposure there: the second
/// of the three steps of a bake, between ``FrameObservations`` and ``TextureComposition``.
///
/// From the observations of n vertices by m frames, each with a resolution in pixels per metre and a confidence, to
/// at most ``BlendWeights/Options/maximumViews`` frames a vertex, each with a blend weight (``BlendWeights``) and a
/// factor of its linear light per channel (``LocalExposure``).
package struct ViewSelection: Sendable {
  package let calibration: FrameCalibration
  let selected: SelectedObservations

  /// Chooses frames, and levels them where they are chosen.
  ///
  /// - Parameters:
  ///   - observations: Consumed, since they take much memory: few of them are needed any more.
  ///   - density: Texels per metre: a finer resolution does not count.
  package init(_ observations: consuming FrameObservations, density: Float) {
    let (calibration, table) = (observations.calibration, observations.table)
    let (domain, options) = (calibration.domain, calibration.options)
    var weightOptions = options.blendWeights
    weightOptions.density = density
    let weights = BlendWeights.choose(
      table, calibration.photometry, disagreements: calibration.consensus.disagreements(),
      offsets: domain.offsets,
      neighbors: domain.neighbors, options: weightOptions)
    var selected = SelectedObservations(table, weights: weights)
    if let localExposure = options.localExposure {
      LocalExposure.level(
        &selected, in: table, photometry: calibration.photometry, consensus: calibration.consensus,
        offsets: domain.offsets, neighbors: domain.neighbors, options: localExposure)
    }
    self.calibration = calibration
    self.selected = selected
  }
}
