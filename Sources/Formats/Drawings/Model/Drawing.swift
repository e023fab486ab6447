import MeshPipeline
import POSIX

/// What is drawn on a sheet, in metres at the size of what it shows, y to the top.
///
/// Heights of texts and widths of lines are those on paper, in millimetres.
struct Drawing: Sendable {
  /// A part of a drawing on its layer.
  struct Element: Sendable {
    var layer: DrawingLayer
    var shape: Shape
  }

  /// The kinds of parts.
  enum Shape: Sendable {
    /// A line with the width and dashes of its layer.
    case line(DrawingPath)
    /// An area in the colour of its layer, of closed paths; what is in an even number of them is a hole.
    case region([DrawingPath])
    case text(DrawingText)
    case dimension(DrawingDimension)
    case block(DrawingBlock.Reference)
    case picture(DrawingPicture)
  }

  /// In the order in which they cover each other.
  private(set) var elements: [Element] = []

  mutating func add(_ path: DrawingPath, on layer: DrawingLayer) {
    elements.append(Element(layer: layer, shape: .line(path)))
  }

  mutating func add(region: [DrawingPath], on layer: DrawingLayer) {
    elements.append(Element(layer: layer, shape: .region(region)))
  }

  mutating func add(_ text: DrawingText, on layer: DrawingLayer) {
    elements.append(Element(layer: layer, shape: .text(text)))
  }

  mutating func add(_ dimension: DrawingDimension) {
    elements.append(Element(layer: .dimensions, shape: .dimension(dimension)))
  }

  mutating func add(_ block: DrawingBlock.Reference) {
    elements.append(Element(layer: block.block.layer, shape: .block(block)))
  }

  mutating func add(_ picture: DrawingPicture, on layer: DrawingLayer) {
    elements.append(Element(layer: layer, shape: .picture(picture)))
  }

  mutating func append(_ other: Drawing) { elements += other.elements }

  /// The layers with elements, in the order of the first ones.
  var layers: [DrawingLayer] {
    var seen = Set<DrawingLayer>()
    return elements.map(\.layer).filter { seen.insert($0).inserted }
  }
}

/// A picture that fills an upright rectangle.
struct DrawingPicture: Sendable {
  /// As JPEG.
  var bytes: [UInt8]
  var low: SIMD2<Double>
  var high: SIMD2<Double>
}

/// A symbol that is drawn many times: of unit size, with its origin in a corner or in the middle.
struct DrawingBlock: Sendable {
  /// `DOOR`.
  let name: String
  let layer: DrawingLayer
  let paths: [DrawingPath]

  /// A symbol somewhere.
  struct Reference: Sendable {
    var block: DrawingBlock
    var origin: SIMD2<Double>
    /// Counterclockwise, in radians.
    var turn: Double
    /// Along the symbol's axes; negative to mirror it.
    var scale: SIMD2<Double>

    /// The lines of the symbol where they are.
    var paths: [DrawingPath] {
      let (c, s) = (cos(turn), sin(turn))
      let isMirrored = scale.x * scale.y < 0
      return block.paths.map { path in
        var placed = path
        placed.points = path.points.map {
          let point = $0 * scale
          return origin + SIMD2(c * point.x - s * point.y, s * point.x + c * point.y)
        }
        if isMirrored { placed.bulges = path.bulges.map { -$0 } }
        return placed
      }
    }
  }

  /// A leaf that is hung at the origin and closes along x; open it goes along y.
  static let door = DrawingBlock(
    name: "DOOR", layer: .doors,
    paths: [
      DrawingPath([SIMD2(0, 0), SIMD2(0, 1), SIMD2(0.04, 1), SIMD2(0.04, 0)], isClosed: true),
      .quarter(from: SIMD2(1, 0), to: SIMD2(0, 1)),
    ])

  /// Two leaves, hung at the origin and at 1 along x.
  static let doubleDoor = DrawingBlock(
    name: "DOOR-DOUBLE", layer: .doors,
    paths: [
      DrawingPath(
        [SIMD2(0, 0), SIMD2(0, 0.5), SIMD2(0.02, 0.5), SIMD2(0.02, 0)], isClosed: true),
      .quarter(from: SIMD2(0.5, 0), to: SIMD2(0, 0.5)),
      DrawingPath(
        [SIMD2(1, 0), SIMD2(1, 0.5), SIMD2(0.98, 0.5), SIMD2(0.98, 0)], isClosed: true),
      .quarter(from: SIMD2(1, 0.5), to: SIMD2(0.5, 0)),
    ])

  /// The faces of the wall and two panes between them, around the middle.
  static let window = DrawingBlock(
    name: "WINDOW", layer: .glazing,
    paths: [
      DrawingPath(
        [SIMD2(-0.5, -0.5), SIMD2(0.5, -0.5), SIMD2(0.5, 0.5), SIMD2(-0.5, 0.5)], isClosed: true),
      DrawingPath([SIMD2(-0.5, -0.1), SIMD2(0.5, -0.1)]),
      DrawingPath([SIMD2(-0.5, 0.1), SIMD2(0.5, 0.1)]),
    ])

  static let all = [door, doubleDoor, window]
}
