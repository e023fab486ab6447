import MeshPipeline
import POSIX

/// Writes numbers of a plan with the digits that their uncertainty leaves.
struct PlanNumbers: Sendable {
  /// Of most lengths of the storey, in metres; nil if they are assumed.
  let usual: Double?
  /// The greatest one; nil if there is none.
  let greatest: Double?
  /// Whether dimensions have their uncertainty behind them.
  let showsUncertainties: Bool

  init(of storey: Building.Storey, showsUncertainties: Bool) {
    let all = storey.walls.compactMap(\.length.uncertainty).filter(\.isFinite).sorted()
    usual = all.isEmpty ? nil : all[all.count / 2]
    greatest = all.last
    self.showsUncertainties = showsUncertainties
  }

  /// The digits after the point for an uncertainty in metres: millimetres below 10 mm, and centimetres without one.
  static func digits(for uncertainty: Double?) -> Int {
    guard let uncertainty, uncertainty > 0 else { return 2 }
    return min(max(Int((-log10(uncertainty)).rounded(.up)), 1), 3)
  }

  /// A length: `3.412`, or `3.412 ± 0.004`.
  ///
  /// - Parameter own: Its own uncertainty in metres; that of most lengths if it is not known.
  func length(_ meters: Double, uncertainty own: Double? = nil) -> String {
    let uncertainty = own ?? usual
    let digits = Self.digits(for: uncertainty)
    let text = NumberText.fixed(meters, digits: digits)
    guard showsUncertainties, let uncertainty else { return text }
    return "\(text) ± \(NumberText.fixed(uncertainty, digits: digits))"
  }

  /// An area: `12.34 m²`.
  func area(_ area: Building.Dimension) -> String {
    let digits = area.uncertainty.map { $0 > 0.05 ? 1 : 2 } ?? 2
    let text = NumberText.fixed(area.value, digits: digits)
    guard showsUncertainties, let uncertainty = area.uncertainty else { return "\(text) m²" }
    return "\(text) ± \(NumberText.fixed(uncertainty, digits: digits)) m²"
  }

  /// For the title block; nil if nothing was measured.
  var note: String? {
    guard let usual, let greatest else { return nil }
    func text(_ meters: Double) -> String {
      if meters >= 0.1 { return NumberText.fixed(100 * meters, digits: 0) + " cm" }
      let millimeters = meters * 1000
      return NumberText.fixed(millimeters, digits: millimeters < 9.95 ? 1 : 0) + " mm"
    }
    return text(usual) == text(greatest)
      ? "Lengths are within ± \(text(usual)) (95 %)."
      : "Lengths are within ± \(text(usual)), at most ± \(text(greatest)) (95 %)."
  }
}

extension Building.North {
  /// For the title block.
  var note: String {
    switch source {
    case .user: return "North is as given."
    case .grid(let name): return "North is that of the grid \(name)."
    case .photographs(let count, let isMagnetic):
      let degrees = Angle(radians: uncertainty ?? 0).degrees
      let north = isMagnetic ? "Magnetic north" : "North"
      return
        "\(north) by the phone's compass in \(count) photographs, within ± \(NumberText.fixed(degrees, digits: 0))° (95 %)."
    }
  }
}
