/// A size of paper.
package enum SheetSize: String, CaseIterable, Sendable {
  /// Those of the A series, from the smallest to the largest that drawings are printed on.
  case a4, a3, a2, a1, a0

  /// Width and height in millimetres, with the longer side along the bottom.
  var landscape: SIMD2<Double> {
    switch self {
    case .a4: SIMD2(297, 210)
    case .a3: SIMD2(420, 297)
    case .a2: SIMD2(594, 420)
    case .a1: SIMD2(841, 594)
    case .a0: SIMD2(1189, 841)
    }
  }

  var portrait: SIMD2<Double> { SIMD2(landscape.y, landscape.x) }

  /// `A4`.
  var name: String { rawValue.uppercased() }
}

/// What a user asks of sheets.
struct SheetSettings: Sendable {
  /// How many metres a metre of paper stands for; nil for the largest usual scale that fits.
  var denominator: Double?
  /// Nil for the smallest on which all fits.
  var size: SheetSize?
  /// Empty for the name of the input.
  var title = ""
  /// Whether each dimension has its uncertainty behind it.
  var showsUncertainties = false
  /// Whether walls are drawn from the front, too.
  var showsElevations = false
}

/// The scale and the paper of a set of sheets.
struct SheetFit: Sendable, Equatable {
  var denominator: Double
  var size: SheetSize
  /// Of the paper in millimetres, as it is turned.
  var paper: SIMD2<Double>

  /// The scales in use, the largest first.
  static let denominators: [Double] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000,
  ]

  /// From the edge of the paper to the frame, and of the strip below the drawing, in millimetres.
  static let border = 10.0
  static let stripHeight = 32.0

  /// Nothing fits that was asked for.
  struct Misfit: Error, Equatable {
    /// A scale at which all would fit on the sheet, or on the largest one; nil if there is none.
    var fittingDenominator: Double?
    var size: SheetSize
  }

  /// The largest usual scale that fits on A3, or on the wanted size, and the smallest sheet for it.
  ///
  /// - Parameter contents: The sizes of the drawings in metres, and what they need around them in millimetres.
  init(
    _ contents: [(size: SIMD2<Double>, margin: SIMD2<Double>)], _ settings: SheetSettings
  ) throws(Misfit) {
    func paper(_ denominator: Double, _ size: SheetSize) -> SIMD2<Double>? {
      let needed = contents.reduce(SIMD2<Double>.zero) {
        pointwiseMax($0, $1.size * (1000 / denominator) + 2 * $1.margin)
      }
      return [size.landscape, size.portrait].first { paper in
        let room = paper - SIMD2(2 * Self.border, 2 * Self.border + Self.stripHeight)
        return needed.x <= room.x && needed.y <= room.y
      }
    }
    func largestScale(on size: SheetSize) -> Double? {
      Self.denominators.first { paper($0, size) != nil }
    }
    let wanted = settings.size
    guard
      let denominator = settings.denominator ?? largestScale(on: wanted ?? .a3)
        ?? largestScale(on: .a0)
    else { throw Misfit(fittingDenominator: nil, size: wanted ?? .a0) }
    for size in wanted.map({ [$0] }) ?? SheetSize.allCases {
      guard let paper = paper(denominator, size) else { continue }
      (self.denominator, self.size, self.paper) = (denominator, size, paper)
      return
    }
    let largest = wanted ?? .a0
    throw Misfit(fittingDenominator: largestScale(on: largest), size: largest)
  }

  /// The metres that a millimetre of paper stands for.
  var metersPerMillimeter: Double { denominator / 1000 }
}
