import MeshPipeline
import POSIX

/// A flight of stairs as a plan shows it: up to the cutting height with an arrow upward, and dashed from there on.
struct PlanStair {
  /// Steps with an area, and whether each is above the plane that cuts.
  private let steps: [(outline: [SIMD2<Double>], isAbove: Bool)]
  private let scale: Double

  /// Of the break line beyond both sides of the flight, and of its zigzag, in millimetres.
  private static let overshoot = 1.5
  private static let zigzag = 1.6

  init(_ stair: Building.Stair, cutHeight: Double, scale: Double) {
    self.scale = scale
    steps = stair.steps.enumerated().filter { $1.count > 2 }.map { index, outline in
      let height = stair.heights.indices.contains(index) ? stair.heights[index] : 0
      return (outline, height > cutHeight)
    }
  }

  /// - Returns: What the steps fill.
  func draw(on drawing: inout Drawing) -> [PlanBox] {
    for step in steps {
      drawing.add(
        DrawingPath(step.outline, isClosed: true), on: step.isAbove ? .stairsAbove : .stairs)
    }
    let course = steps.map { $0.outline.reduce(.zero, +) / Double($0.outline.count) }
    let cut = steps.firstIndex { $0.isAbove } ?? steps.count
    addArrow(along: Array(course.prefix(cut)), to: &drawing)
    if cut > 0, cut < steps.count { addBreak(at: cut, course, to: &drawing) }
    return steps.map { PlanBox(around: $0.outline) }
  }

  /// A line from the lowest step, with a circle at its beginning, and a head at its end.
  private func addArrow(along course: [SIMD2<Double>], to drawing: inout Drawing) {
    guard course.count > 1, let tip = course.last else { return }
    drawing.add(DrawingPath(course), on: .stairs)
    let unit = (course[course.count - 2] - tip).normalized
    guard unit != .zero else { return }
    drawing.add(
      DrawingPath([
        tip + (unit * 2 + unit.left) * scale, tip, tip + (unit * 2 - unit.left) * scale,
      ]), on: .stairs)
    drawing.add(.circle(course[0], radius: 0.6 * scale), on: .stairs)
  }

  /// A line with a zigzag across the flight, before its first step above the plane.
  private func addBreak(at cut: Int, _ course: [SIMD2<Double>], to drawing: inout Drawing) {
    let ahead = (course[cut] - course[cut - 1]).normalized
    guard ahead != .zero else { return }
    let middle = (course[cut] + course[cut - 1]) / 2
    let across = ahead.left
    let reach = steps[cut].outline.map { abs(($0 - middle).dot(across)) }.max() ?? 0
    let (side, peak) = (reach + Self.overshoot * scale, min(Self.zigzag * scale, reach / 2))
    drawing.add(
      DrawingPath([
        middle - across * side, middle - across * peak, middle - across * (peak / 2) + ahead * peak,
        middle + across * (peak / 2) - ahead * peak, middle + across * peak,
        middle + across * side,
      ]), on: .stairs)
  }
}
