import MeshPipeline

extension Length {
  /// The length in millimetres, for a report.
  ///
  /// - Parameter digits: After the decimal point.
  func millimeters(digits: Int) -> JSONValue {
    (1000 * meters).json(digits: digits)
  }
}
