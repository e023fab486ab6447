import MeshPipeline
import POSIX

/// The walls of a storey seen from the front, in rows: lengths, heights, openings and levels.
struct WallElevations: Sendable {
  /// A wall with the lower left corner of where it is drawn.
  private struct Face: Sendable {
    var wall: Building.Wall
    var length: Double
    var corner: SIMD2<Double>
  }

  private let faces: [Face]
  private let storey: Building.Storey
  private let numbers: PlanNumbers
  private let size: SIMD2<Double>
  /// By the names of walls.
  private let pictures: [String: WallPicture]

  /// Between walls, in metres: enough for their dimensions at 1:100.
  private static let gap = SIMD2(2.2, 2.6)
  /// From a wall to its chains and to its name, in millimetres.
  private static let nearChain = 6.0
  private static let farChain = 12.0
  private static let nameDistance = 20.0
  private static let nameHeight = 2.2
  /// Smaller drawings have no dimensions, in metres per millimetre.
  private static let smallest = 0.1
  private static let margin = 24.0

  /// Nil if no wall has a length and a height.
  init?(
    of storey: Building.Storey, width: Double, _ numbers: PlanNumbers,
    pictures: [String: WallPicture]
  ) {
    self.storey = storey
    self.pictures = pictures
    self.numbers = numbers
    var faces: [Face] = []
    var position = SIMD2<Double>.zero
    var extent = SIMD2<Double>.zero
    for wall in storey.walls {
      let height = wall.height.value
      guard let plan = PlanWall(wall), height > 0.01, height.isFinite, wall.base.isFinite else {
        continue
      }
      if position.x > 0, position.x + plan.length > width {
        position = SIMD2(0, position.y - rowHeight(of: storey) - Self.gap.y)
      }
      faces.append(Face(wall: wall, length: plan.length, corner: position))
      extent = SIMD2(max(extent.x, position.x + plan.length), position.y)
      position.x += plan.length + Self.gap.x
    }
    guard !faces.isEmpty else { return nil }
    // The last row is at the bottom.
    self.faces = faces.map {
      Face(wall: $0.wall, length: $0.length, corner: $0.corner - SIMD2(0, extent.y))
    }
    size = SIMD2(extent.x, rowHeight(of: storey) - extent.y)
  }

  /// The sheet of these walls.
  var view: DrawingView {
    var view = DrawingView(title: "Elevations, \(storey.name)", low: .zero, high: size) {
      drawing(scale: $0)
    }
    view.margin = SIMD2(repeating: Self.margin)
    view.notes = [numbers.note ?? "", "Walls are seen from their left side, as they are named."]
      .filter { !$0.isEmpty }
    if faces.contains(where: { pictures[$0.wall.name] != nil }) {
      view.notes.append(
        "Pictures are the texture of the scan, with what is up to \(Int(100 * WallPhotographs.near)) cm in front of a wall."
      )
    }
    return view
  }

  private func drawing(scale: Double) -> Drawing {
    var drawing = Drawing()
    // Without dimensions names are just below, and not in the row of other walls.
    let nameDistance = scale <= Self.smallest ? Self.nameDistance : Self.nearChain
    for face in faces {
      let low = face.corner + SIMD2(0, face.wall.base)
      let high = low + SIMD2(face.length, face.wall.height.value)
      if let picture = pictures[face.wall.name] {
        drawing.add(
          DrawingPicture(bytes: picture.bytes, low: low, high: high), on: .photographs)
      }
      drawing.add(.rectangle(low, high), on: .elevations)
      for opening in face.wall.openings { draw(opening, of: face, on: &drawing) }
      drawing.add(
        DrawingText(
          face.wall.name,
          at: SIMD2((low.x + high.x) / 2, low.y - nameDistance * scale),
          height: Self.nameHeight, .center), on: .roomNames)
      guard scale <= Self.smallest else { continue }
      addDimensions(of: face, low, high, scale, to: &drawing)
    }
    return drawing
  }

  private func draw(_ opening: Building.Opening, of face: Face, on drawing: inout Drawing) {
    guard let wall = PlanWall(face.wall) else { return }
    let range = wall.range(of: opening)
    // Seen from the left side, the wall's beginning is on the right.
    let low = face.corner + SIMD2(face.length - range.upperBound, opening.sill.value)
    let high =
      face.corner
      + SIMD2(face.length - range.lowerBound, opening.sill.value + opening.height.value)
    guard low.x < high.x, low.y < high.y, high.y.isFinite else { return }
    let layer: DrawingLayer =
      switch opening.kind {
      case .door: .doors
      case .window: .glazing
      case .opening: .openings
      }
    drawing.add(.rectangle(low, high), on: layer)
    guard opening.kind == .window else { return }
    let frame = SIMD2(repeating: min(0.05, (high.x - low.x) / 4, (high.y - low.y) / 4))
    drawing.add(.rectangle(low + frame, high - frame), on: layer)
  }

  /// Widths below, heights on the right, and the levels of floor and top on the left.
  private func addDimensions(
    of face: Face, _ low: SIMD2<Double>, _ high: SIMD2<Double>, _ scale: Double,
    to drawing: inout Drawing
  ) {
    func add(
      _ stations: [Double], at position: Double, isUpright: Bool, uncertainty: Double? = nil
    ) {
      let direction = isUpright ? SIMD2(0.0, 1) : SIMD2(1.0, 0)
      for (from, to) in zip(stations, stations.dropFirst()) {
        let text = numbers.length(to - from, uncertainty: uncertainty)
        // Numbers that don't fit would cover others.
        guard
          DrawingText.width(of: text, height: DrawingDimension.usualHeight) * scale < to - from
        else { continue }
        func point(_ station: Double) -> SIMD2<Double> {
          isUpright ? SIMD2(high.x, station) : SIMD2(station, low.y)
        }
        let line = isUpright ? SIMD2(position, from) : SIMD2(from, position)
        drawing.add(
          DrawingDimension(
            from: point(from), to: point(to), line: line, direction: direction, text: text))
      }
    }
    let openings = face.wall.openings.filter { $0.position.isFinite && $0.sill.value.isFinite }
    let widths = openings.flatMap { opening -> [Double] in
      guard let range = PlanWall(face.wall)?.range(of: opening) else { return [] }
      return [low.x + face.length - range.upperBound, low.x + face.length - range.lowerBound]
    }
    if !widths.isEmpty {
      add(
        Set(widths + [low.x, high.x]).sorted(), at: low.y - Self.nearChain * scale,
        isUpright: false)
    }
    add(
      [low.x, high.x], at: low.y - Self.farChain * scale, isUpright: false,
      uncertainty: face.wall.length.uncertainty)
    let heights = openings.flatMap {
      [face.corner.y + $0.sill.value, face.corner.y + $0.sill.value + $0.height.value]
    }
    let inside = heights.filter { $0 >= low.y && $0 <= high.y }
    if !inside.isEmpty {
      add(
        Set(inside + [low.y, high.y]).sorted(), at: high.x + Self.nearChain * scale,
        isUpright: true)
    }
    add(
      [low.y, high.y], at: high.x + Self.farChain * scale, isUpright: true,
      uncertainty: face.wall.height.uncertainty)
  }
}

/// The height of a row of walls.
private func rowHeight(of storey: Building.Storey) -> Double {
  let tops = storey.walls.map { $0.base + $0.height.value }.filter(\.isFinite)
  return max(tops.max() ?? 0, 0.1)
}
