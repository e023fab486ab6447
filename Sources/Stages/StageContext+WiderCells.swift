import MeshPipeline
import SurfaceKernels

extension StageContext {
  /// Warns that a grid has wider cells than fit the scan, since these are too much work.
  ///
  /// - Parameters:
  ///   - wanted: In units of the scene, as is `taken`.
  ///   - option: What takes a width of the user's.
  func warnOfWiderCells(
    _ cells: String, wanted: Double, taken: Double,
    _ system: CoordinateSystem, option: String = "resolution"
  ) {
    func text(_ units: Double) -> String {
      "\(NumberText.fixed(Length(units: units, in: system).meters * 1000, digits: 3)) mm"
    }
    warn(
      """
      \(cells) are \(text(taken)) wide rather than \(text(wanted)), which would be too much work; \
      '\(option)' says otherwise
      """)
  }
}

extension GridWork {
  /// What messages say of it.
  var text: String {
    "about \(NumberText.grouped(Int(min(steps / 1e6, 1e9)))) million steps and "
      + "\(NumberText.fixed(min(Double(bytes) / 1e9, 1e9), digits: 1)) GB"
  }
}
