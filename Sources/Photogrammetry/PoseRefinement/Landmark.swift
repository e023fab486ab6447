/// A point of the mesh that was chosen in a frame.
struct Landmark: Sendable {
  /// The scale of another frame over that of the frame that a landmark was chosen in: from farther away details are
  /// gone, and from nearer there are others.
  ///
  /// A wider range would find few patches more, since their correlation falls with the lost detail.
  static let leastScale: Float = 0.6
  static let greatestScale: Float = 1.7
  /// The least squared gradient of a band-pass image, per pixel, that counts as detail: more than one code of noise in
  /// a dark area.
  static let leastSteepness: Float = 0.015 * 0.015
  /// At a more grazing angle than 75°, a landmark is too foreshortened.
  static let leastCosine: Float = 0.25

  var position: SIMD3<Float>
  /// The mesh's normal there, of length 1, on the side of the frame that it was chosen in.
  var normal: SIMD3<Float>
  /// Pixels per unit of length on the surface.
  var scale: Float
  /// Whether the landmark is held out of the fit.
  ///
  /// This depends only on its own cell: if it were counted over all landmarks, one more or less,
  /// through mere rounding, would exchange most of the fitted and held-out landmarks.
  var isHeldOut = false

  /// Every fifth cell, in a knight's move pattern.
  static func isHeldOut(cell column: Int, _ row: Int) -> Bool {
    (column + 2 * row) % 5 == 2
  }
}
