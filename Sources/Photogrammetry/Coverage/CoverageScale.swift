package import MeshpipeScene
import POSIX

/// The colours of a coverage image, from bad (dark red) to good (blue), also distinguishable by the
/// colour-blind (after ColorBrewer's RdYlBu, Brewer and Harrower).
package struct CoverageScale: Sendable {
  /// A colour stop, ascending.
  package let stops: [(value: Float, color: Color, words: String)]

  package static let views = CoverageScale(stops: [
    (0, Color(red: 122, green: 0, blue: 25), "dark red where no frame sees it"),
    (1, Color(red: 215, green: 48, blue: 39), "red one"),
    (2, Color(red: 253, green: 174, blue: 97), "orange two"),
    (3, Color(red: 255, green: 255, blue: 191), "pale yellow three"),
    (5, Color(red: 171, green: 217, blue: 233), "light blue five"),
    (9, Color(red: 69, green: 117, blue: 180), "blue nine or more"),
  ])

  package static let resolution = CoverageScale(stops: [
    (0, Color(red: 122, green: 0, blue: 25), "dark red where no frame sees it"),
    (125, Color(red: 215, green: 48, blue: 39), "red up to 125"),
    (250, Color(red: 253, green: 174, blue: 97), "orange 250"),
    (500, Color(red: 255, green: 255, blue: 191), "pale yellow 500"),
    (1000, Color(red: 171, green: 217, blue: 233), "light blue 1000"),
    (2000, Color(red: 69, green: 117, blue: 180), "blue 2000 or more"),
  ])

  /// The colour of a value, interpolated between two stops by the value's logarithm, but not below
  /// the first one.
  package func color(of value: Float) -> Color {
    guard value > stops[0].value else { return stops[0].color }
    guard let above = stops.firstIndex(where: { $0.value >= value }) else {
      return stops[stops.count - 1].color
    }
    guard above > 1 else { return stops[above].color }
    let (low, high) = (stops[above - 1], stops[above])
    let share = log2f(value / low.value) / log2f(high.value / low.value)
    func mixed(_ channel: KeyPath<Color, UInt8>) -> UInt8 {
      let (from, to) = (Float(low.color[keyPath: channel]), Float(high.color[keyPath: channel]))
      return UInt8((from + (to - from) * share).rounded())
    }
    return Color(red: mixed(\.red), green: mixed(\.green), blue: mixed(\.blue))
  }

  /// The colours in words: `dark red where no frame sees it, red one, …`.
  package var legend: String { stops.map(\.words).joined(separator: ", ") }
}
