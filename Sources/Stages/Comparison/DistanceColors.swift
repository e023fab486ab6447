import MeshPipeline
import Rendering
import SurfaceKernels

/// The colours of a heat map of distances: blue behind the other surface, pale on it, red in front of it, or from pale
/// to red where no side is clear (after ColorBrewer's RdYlBu, Brewer and Harrower).
struct DistanceColors: Sendable {
  /// The distance at which the colours end, in units of the scene.
  let range: Float

  private static let stops: [SIMD3<Float>] = [
    SIMD3(49, 54, 149), SIMD3(116, 173, 209), SIMD3(255, 255, 191), SIMD3(244, 109, 67),
    SIMD3(165, 0, 38),
  ]

  func color(of place: NearestSurface.Place) -> Color {
    let side: Float = place.side == -1 ? -1 : 1
    let share = range > 0 ? min(place.distance / range, 1) * side : 0
    let position = (share + 1) / 2 * Float(Self.stops.count - 1)
    let stop = min(Int(position), Self.stops.count - 2)
    let mixed =
      Self.stops[stop] + (Self.stops[stop + 1] - Self.stops[stop]) * (position - Float(stop))
    return Self.color(mixed)
  }

  private static func color(_ channels: SIMD3<Float>) -> Color {
    Color(
      red: UInt8(channels.x.rounded()), green: UInt8(channels.y.rounded()),
      blue: UInt8(channels.z.rounded()))
  }

  /// The colours with their distances, for a picture.
  ///
  /// - Parameter metersPerUnit: Of the scene.
  func scale(isSigned: Bool, metersPerUnit: Double) -> ColorScale {
    let end = Double(range) * metersPerUnit
    let text = LengthScale(of: [end]).shortText(end)
    let colors = Self.stops.map(Self.color)
    return isSigned
      ? ColorScale(colors: colors, labels: ["-" + text, "0", "+" + text])
      : ColorScale(colors: Array(colors[(colors.count / 2)...]), labels: ["0", text])
  }
}
