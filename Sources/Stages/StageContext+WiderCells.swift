import MeshPipeline
import SurfaceKernels

extension StageContext {
  /// Warns that a grid has wider cells than fit the scan, since these are too much work.
  ///
  /// - Parameters:
  ///   - wanted: In units of the scene, as is `taken`.
  ///   - remedy: What makes narrower ones possible.
  func warnOfWiderCells(
    _ cells: String, wanted: Double, taken: Double,
    _ system: CoordinateSystem, remedy: String
  ) {
    func text(_ units: Double) -> String {
      "\(NumberText.fixed(Length(units: units, in: system).meters * 1000, digits: 3)) mm"
    }
    warn(
      """
      \(cells) are \(text(taken)) wide rather than \(text(wanted)), which would be too much work; \
      \(remedy)
      """)
  }
}

extension GridWork {
  /// What messages say of it.
  var text: String {
    // The comparison is false for what is not a number.
    let millions = steps < 1e15 ? Int(steps / 1e6) : 1_000_000_000
    return "about \(NumberText.grouped(millions)) million steps and "
      + "\(NumberText.fixed(min(Double(bytes) / 1e9, 1e9), digits: 1)) GB"
  }
}
