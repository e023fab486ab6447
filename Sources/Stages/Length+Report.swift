import MeshPipeline

extension Length {
  /// The length in millimetres, for a report.
  ///
  /// - Parameter digits: After the decimal point.
  func millimeters(digits: Int) -> JSONValue {
    (1000 * meters).json(digits: digits)
  }
}

/// One unit for the lengths of a table.
package struct LengthScale {
  private let unit: (name: String, meters: Double, digits: Int)

  /// - Parameter meters: The lengths, of which the greatest decides.
  package init(of meters: [Double]) {
    let greatest = meters.filter(\.isFinite).max() ?? 0
    unit =
      greatest >= 1
      ? ("m", 1, 4) : greatest >= 1e-5 || greatest == 0 ? ("mm", 1e-3, 3) : ("µm", 1e-6, 3)
  }

  /// A length in that unit.
  package func text(_ meters: Double) -> String {
    NumberText.fixed(meters / unit.meters, digits: unit.digits) + " " + unit.name
  }

  /// A length in that unit, without zeros at its end.
  func shortText(_ meters: Double) -> String {
    NumberText.trimmed(meters / unit.meters, digits: unit.digits) + " " + unit.name
  }
}
