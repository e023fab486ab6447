import MeshPipeline
import Rendering
import SurfaceKernels

/// The colours of a heat map of distances: blue behind the other surface, pale on it, red in front of it, or from pale
/// to red where no side is clear (after ColorBrewer's RdYlBu, Brewer and Harrower).
struct DistanceColors: Sendable {
  /// The distance at which the colours end, in units of the scene.
  let range: Float

  private static let ramp = ColorRamp([
    Color(red: 49, green: 54, blue: 149), Color(red: 116, green: 173, blue: 209),
    Color(red: 255, green: 255, blue: 191), Color(red: 244, green: 109, blue: 67),
    Color(red: 165, green: 0, blue: 38),
  ])

  func color(of place: NearestSurface.Place) -> Color {
    let side: Float = place.side == -1 ? -1 : 1
    let share = range > 0 ? min(place.distance / range, 1) * side : 0
    return Self.ramp.color(at: (share + 1) / 2)
  }

  /// The colours with their distances, for a picture.
  ///
  /// - Parameter metersPerUnit: Of the scene.
  func scale(isSigned: Bool, metersPerUnit: Double) -> ColorScale {
    let end = Double(range) * metersPerUnit
    let text = LengthScale(of: [end]).shortText(end)
    return isSigned
      ? ColorScale(Self.ramp, labels: ["-" + text, "0", "+" + text])
      : ColorScale(ColorRamp(Array(Self.ramp.stops.suffix(3))), labels: ["0", text])
  }
}
