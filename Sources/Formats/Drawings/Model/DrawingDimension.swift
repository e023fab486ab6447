import MeshPipeline
import POSIX

/// A distance between two points with its number, on a line beside them.
struct DrawingDimension: Sendable {
  /// The measured points.
  var from: SIMD2<Double>
  var to: SIMD2<Double>
  /// A point on the line of the dimension, which is along ``direction``.
  var line: SIMD2<Double>
  /// The direction in which it is measured, of unit length.
  var direction: SIMD2<Double>
  /// The number in words: `3.412`.
  var text: String
  /// Of the text on paper, in millimetres.
  var height = DrawingDimension.usualHeight
  /// Where the middle of the text is if it stands beside its line, which is too short; nil if it is above the middle.
  var shift: SIMD2<Double>?

  static let usualHeight = 2.0
  // In millimetres: from the text to its line, of lines to what they measure and beyond the dimension's line, and of ticks.
  static let textGap = 0.8
  static let lineGap = 1.5
  static let overshoot = 1.5
  static let tick = 1.2
  /// Lines to what is measured are not longer, so that they don't cross other chains.
  static let longestLine = 5.0

  /// Where it is measured on its line.
  var ends: (SIMD2<Double>, SIMD2<Double>) {
    (
      line + direction * (from - line).dot(direction),
      line + direction * (to - line).dot(direction)
    )
  }

  /// The measured distance.
  var length: Double { abs((to - from).dot(direction)) }

  /// The angle of the text, which is read from below or from the right.
  var turn: Double {
    DrawingText.readable(direction.angle)
  }

  /// The lines that show it, and its text, for a number of metres that a millimetre of paper stands for.
  func shown(scale: Double) -> (lines: [DrawingPath], ticks: [DrawingPath], text: DrawingText) {
    let (start, end) = ends
    var lines = [DrawingPath([start, end])]
    for (point, foot) in [(from, start), (to, end)] {
      let offset = foot - point
      let distance = offset.length
      guard distance > (Self.lineGap + 0.1) * scale else { continue }
      let unit = offset / distance
      let length = min(distance - Self.lineGap * scale, Self.longestLine * scale)
      lines.append(
        DrawingPath([foot - unit * length, foot + unit * (Self.overshoot * scale)]))
    }
    let (c, s) = (cos(turn), sin(turn))
    // Oblique, as architects draw them.
    let slant = SIMD2(c - s, s + c) * (Self.tick * scale / 2.0.squareRoot())
    let ticks = [start, end].map { DrawingPath([$0 - slant, $0 + slant]) }
    let middle = shift ?? (start + end) / 2
    let above = SIMD2(-s, c) * (Self.textGap * scale)
    return (
      lines, ticks,
      DrawingText(text, at: middle + above, height: height, turn: turn, .center)
    )
  }
}
