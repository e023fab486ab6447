import MeshPipeline
import POSIX

/// A line of text.
struct DrawingText: Sendable {
  /// Where a text is beside its position.
  enum Alignment: Sendable { case left, center, right }

  var string: String
  /// On the baseline.
  var position: SIMD2<Double>
  /// Of capital letters on paper, in millimetres.
  var height: Double
  /// Counterclockwise, in radians.
  var turn = 0.0
  var alignment = Alignment.left

  init(
    _ string: String, at position: SIMD2<Double>, height: Double, turn: Double = 0,
    _ alignment: Alignment = .left
  ) {
    (self.string, self.position, self.height) = (string, position, height)
    (self.turn, self.alignment) = (turn, alignment)
  }

  /// Texts that are that near to upright are all read from the right, in radians: 10°.
  private static let nearUpright = 10 * Double.pi / 180

  /// The angle, or the opposite one, at which a text is read from below or from the right.
  static func readable(_ turn: Double) -> Double {
    let half = turn - (turn / .pi).rounded() * .pi
    return half <= -.pi / 2 + nearUpright ? half + .pi : half
  }

  /// The size of the letters as fonts count it, for one of the height of capitals.
  static let sizePerHeight = 1 / 0.718

  /// The width on paper in millimetres, in Helvetica or a font of the same widths.
  static func width(of string: String, height: Double) -> Double {
    var sum = 0
    for scalar in string.unicodeScalars {
      let index = Int(scalar.value) - 32
      sum += helvetica.indices.contains(index) ? helvetica[index] : scalar == "²" ? 333 : 600
    }
    return Double(sum) / 1000 * height * sizePerHeight
  }

  /// The width on paper in millimetres.
  var width: Double { Self.width(of: string, height: height) }

  /// The widths of the characters from space to tilde, in thousandths of the size, by Adobe's font metrics.
  private static let helvetica = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
  ]

  /// Text in lines of at most a width on paper; a word that is longer is cut.
  ///
  /// - Parameter most: The number of lines; the last one ends with an ellipsis if there is more.
  static func lines(
    of text: String, height: Double, width: Double, most: Int
  ) -> [String] {
    func fits(_ line: String) -> Bool { Self.width(of: line, height: height) <= width }
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, fits(last + " " + word) {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    let hasMore = lines.count > most
    lines = Array(lines.prefix(max(most, 1)))
    return lines.enumerated().map { index, line in
      let isCut = hasMore && index == lines.count - 1
      guard isCut || !fits(line) else { return line }
      var short = line
      while !short.isEmpty, !fits(short + "...") { short.removeLast() }
      return short + "..."
    }
  }
}
