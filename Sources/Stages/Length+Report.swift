import MeshPipeline

extension Length {
  /// The length in millimetres, for a report.
  ///
  /// - Parameter digits: After the decimal point.
  func millimeters(digits: Int) -> JSONValue {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    return JSONValue(.number((meters * (1000 * scale)).rounded() / scale))
  }
}
