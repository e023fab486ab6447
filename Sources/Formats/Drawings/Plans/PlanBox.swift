import MeshPipeline
import POSIX

/// A rectangle of a plan, turned in any way, that something fills.
struct PlanBox: Sendable {
  /// In order around it.
  private(set) var corners: [SIMD2<Double>]

  /// The upright rectangle around points.
  init(around points: [SIMD2<Double>]) {
    let low = points.reduce(points[0], pointwiseMin)
    let high = points.reduce(points[0], pointwiseMax)
    corners = [low, SIMD2(high.x, low.y), high, SIMD2(low.x, high.y)]
  }

  /// A rectangle around its middle.
  ///
  /// - Parameter turn: Of its width, counterclockwise from x, in radians.
  init(center: SIMD2<Double>, size: SIMD2<Double>, turn: Double) {
    let along = SIMD2(angle: turn) * size.x / 2
    let across = SIMD2(angle: turn).left * size.y / 2
    corners = [
      center - along - across, center + along - across, center + along + across,
      center - along + across,
    ]
  }

  /// What a text fills, with some space around it.
  init(of text: DrawingText, scale: Double) {
    let (c, s) = (cos(text.turn), sin(text.turn))
    let width = text.width
    let shift =
      switch text.alignment {
      case .left: width / 2
      case .center: 0.0
      case .right: -width / 2
      }
    let middle =
      text.position + (SIMD2(c, s) * shift + SIMD2(-s, c) * (text.height / 2)) * scale
    self.init(
      center: middle, size: SIMD2(width + 1, text.height + 1) * scale, turn: text.turn)
  }

  /// Whether two rectangles have more than a border in common.
  func overlaps(_ other: PlanBox) -> Bool {
    // Convex shapes are apart if a side of one separates them.
    for (one, two) in [(self, other), (other, self)] {
      for index in 0..<2 {
        let axis = one.corners[index + 1] - one.corners[index]
        let own = one.corners.map { $0.dot(axis) }
        let theirs = two.corners.map { $0.dot(axis) }
        let slack = 1e-9 * abs(axis.dot(axis))
        if (own.max() ?? 0) <= (theirs.min() ?? 0) + slack
          || (theirs.max() ?? 0) <= (own.min() ?? 0) + slack
        {
          return false
        }
      }
    }
    return true
  }

  /// The corners and the middles of the sides.
  var rim: [SIMD2<Double>] {
    corners + corners.indices.map { (corners[$0] + corners[($0 + 1) % 4]) / 2 }
  }
}

/// What is on a plan already, so that texts go elsewhere.
struct PlanOccupancy: Sendable {
  /// Rectangles with what it costs to cover them.
  private var boxes: [(box: PlanBox, cost: Double)] = []

  /// Nothing yet.
  init() {}

  /// The texts of a drawing, each at a cost of 1.
  init(textsOf drawing: Drawing, scale: Double) {
    for element in drawing.elements {
      switch element.shape {
      case .text(let text): add(PlanBox(of: text, scale: scale), cost: 1)
      case .dimension(let dimension):
        add(PlanBox(of: dimension.shown(scale: scale).text, scale: scale), cost: 1)
      default: break
      }
    }
  }

  mutating func add(_ box: PlanBox, cost: Double) { boxes.append((box, cost)) }

  /// What covering a rectangle costs; 0 where nothing is.
  func cost(of box: PlanBox) -> Double {
    boxes.reduce(0) { $0 + ($1.box.overlaps(box) ? $1.cost : 0) }
  }
}
