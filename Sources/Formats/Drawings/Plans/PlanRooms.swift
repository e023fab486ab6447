import MeshPipeline
import POSIX

/// Names, areas and inner dimensions of the rooms of a plan.
struct PlanRooms {
  private let rooms: [Building.Space]
  private let numbers: PlanNumbers
  /// The metres that a millimetre of paper stands for.
  private let scale: Double

  /// Of name and area on paper, in millimetres, and from one baseline to the next.
  private static let nameHeight = 2.8
  private static let areaHeight = 2.0
  private static let lineStep = 4.2
  /// What it costs to cover texts, per step from the preferred position.
  static let textCost = 100.0

  init(_ rooms: [Building.Space], _ numbers: PlanNumbers, scale: Double) {
    (self.rooms, self.numbers, self.scale) = (rooms, numbers, scale)
  }

  func drawLabels(on drawing: inout Drawing, _ occupied: inout PlanOccupancy) {
    for room in rooms {
      for loop in room.outline where loop.count > 2 {
        drawing.add(DrawingPath(loop, isClosed: true), on: .areas)
      }
    }
    for room in rooms { drawLabel(of: room, on: &drawing, &occupied) }
  }

  func drawDimensions(on drawing: inout Drawing, _ occupied: inout PlanOccupancy) {
    for room in rooms {
      let axes = Self.axes(of: room)
      for axis in [axes, axes.left] {
        guard let dimension = dimension(of: room, along: axis, occupied) else { continue }
        drawing.add(dimension)
        occupied.add(
          PlanBox(of: dimension.shown(scale: scale).text, scale: scale), cost: Self.textCost)
        occupied.add(Self.strip(dimension, scale: scale), cost: 5)
      }
    }
  }

  /// The line of a dimension as a narrow rectangle.
  private static func strip(_ dimension: DrawingDimension, scale: Double) -> PlanBox {
    let (start, end) = dimension.ends
    return PlanBox(
      center: (start + end) / 2, size: SIMD2(dimension.length, 0.6 * scale), turn: dimension.turn)
  }

  // MARK: Labels

  private func drawLabel(
    of room: Building.Space, on drawing: inout Drawing, _ occupied: inout PlanOccupancy
  ) {
    guard let outline = room.outline.first, outline.count > 2 else { return }
    let area = numbers.area(room.area)
    // Small rooms have small letters, and one line.
    for factor in [1.0, 0.75, 0.55] {
      let (high, low) = (Self.nameHeight * factor, Self.areaHeight * factor)
      let width = max(
        DrawingText.width(of: room.name, height: high), DrawingText.width(of: area, height: low))
      let size = SIMD2(width + 2, Self.lineStep * factor + high + 2)
      let isLast = factor == 0.55
      guard
        let position = place(for: size, in: room, outline, occupied)
          ?? (isLast ? Self.middle(of: outline) : nil)
      else { continue }
      let step = SIMD2(0, Self.lineStep * factor / 2 * scale)
      let texts = [
        DrawingText(
          room.name, at: position + step - SIMD2(0, high / 2 * scale), height: high, .center),
        DrawingText(area, at: position - step - SIMD2(0, low / 2 * scale), height: low, .center),
      ]
      for text in texts { drawing.add(text, on: .roomNames) }
      occupied.add(
        PlanBox(center: position, size: size * scale, turn: 0), cost: Self.textCost)
      return
    }
  }

  /// Where a text of a size on paper fits into a room, near its middle and on nothing else; nil if nowhere.
  private func place(
    for size: SIMD2<Double>, in room: Building.Space, _ outline: [SIMD2<Double>],
    _ occupied: PlanOccupancy
  ) -> SIMD2<Double>? {
    let low = outline.reduce(outline[0], pointwiseMin)
    let high = outline.reduce(outline[0], pointwiseMax)
    let middle = Self.middle(of: outline)
    let count = 24
    var best: (place: SIMD2<Double>, cost: Double)?
    for row in 0...count {
      for column in 0...count {
        let share = SIMD2(Double(column), Double(row)) / Double(count)
        let position = low + (high - low) * share
        let box = PlanBox(center: position, size: size * scale, turn: 0)
        guard box.rim.allSatisfy(room.contains) else { continue }
        let offset = (position - middle) / (high - low)
        let cost = occupied.cost(of: box) + 2 * offset.length
        if cost < best?.cost ?? .infinity { best = (position, cost) }
      }
    }
    return best?.place
  }

  /// The centroid of a polygon.
  private static func middle(of outline: [SIMD2<Double>]) -> SIMD2<Double> {
    let origin = outline[0]
    var (sum, area) = (SIMD2<Double>.zero, 0.0)
    for (a, b) in zip(outline, outline.dropFirst()) {
      let (u, v) = (a - origin, b - origin)
      let part = u.cross(v)
      sum += (u + v) * part / 3
      area += part
    }
    return abs(area) > 1e-9 ? origin + sum / area : origin
  }

  // MARK: Dimensions

  /// The direction of the longest side of a room, to the right or the top.
  private static func axes(of room: Building.Space) -> SIMD2<Double> {
    let outline = room.outline.first ?? []
    var longest = SIMD2(1.0, 0)
    var length = 0.0
    for (index, a) in outline.enumerated() {
      let side = outline[(index + 1) % outline.count] - a
      let own = side.length
      if own > length + 1e-6 { (longest, length) = (side / own, own) }
    }
    let isBackward = longest.x < -1e-6 || (abs(longest.x) <= 1e-6 && longest.y < 0)
    let along = isBackward ? -longest : longest
    // Upright rooms are measured along the sheet first.
    return abs(along.x) < abs(along.y) ? -along.left : along
  }

  /// The widest inner distance along a direction, where its number covers nothing.
  private func dimension(
    of room: Building.Space, along axis: SIMD2<Double>, _ occupied: PlanOccupancy
  ) -> DrawingDimension? {
    let across = axis.left
    let places = room.outline.joined().map { $0.dot(across) }
    guard let low = places.min(), let high = places.max(), high > low else { return nil }
    var best: (dimension: DrawingDimension, cost: Double)?
    let shares = stride(from: 0.06, through: 0.94, by: 0.04).map { $0 }
    let widest = shares.compactMap {
      Self.chord(of: room, along: axis, across, at: low + (high - low) * $0)?.length
    }.max()
    guard let widest, widest / scale > 8 else { return nil }
    // Where sides are not quite parallel, distances that are equal within their uncertainty have the choice.
    let slack = max(
      0.01, (Self.uncertainty(of: widest, along: axis, in: room) ?? numbers.usual ?? 0) / 2)
    for share in shares {
      guard
        let chord = Self.chord(of: room, along: axis, across, at: low + (high - low) * share),
        chord.length > widest - slack
      else { continue }
      let dimension = DrawingDimension(
        from: chord.start, to: chord.end, line: chord.start, direction: axis,
        text: numbers.length(
          chord.length, uncertainty: Self.uncertainty(of: chord.length, along: axis, in: room)))
      let text = dimension.shown(scale: scale).text
      guard text.width * scale < chord.length - 1 * scale else { continue }
      let cost =
        occupied.cost(of: PlanBox(of: text, scale: scale))
        + occupied.cost(of: Self.strip(dimension, scale: scale)) / 2 + 2 * abs(share - 0.18)
      if cost < best?.cost ?? .infinity { best = (dimension, cost) }
    }
    // A number that covers a text is worse than none.
    return best.flatMap { $0.cost < Self.textCost / 2 ? $0.dimension : nil }
  }

  /// Sides whose directions differ by less are parallel, as a cosine: 1.5 degrees.
  private static let sameDirection = 0.99966

  /// That of the side of the room as long as a distance along it, otherwise the greatest of the sides along it; nil if none is
  /// known.
  private static func uncertainty(
    of length: Double, along axis: SIMD2<Double>, in room: Building.Space
  ) -> Double? {
    guard let outline = room.outline.first, room.sides.count == outline.count else { return nil }
    let parallel = outline.indices.filter { index in
      let side = outline[(index + 1) % outline.count] - outline[index]
      return abs(side.normalized.dot(axis)) > sameDirection
    }
    let equal = parallel.filter { abs(room.sides[$0].value - length) < 0.01 }
    return (equal.isEmpty ? parallel : equal).compactMap { room.sides[$0].uncertainty }.max()
  }

  /// The longest part of a line within a room.
  private static func chord(
    of room: Building.Space, along axis: SIMD2<Double>, _ across: SIMD2<Double>, at position: Double
  ) -> (start: SIMD2<Double>, end: SIMD2<Double>, length: Double)? {
    var crossings: [Double] = []
    for loop in room.outline {
      for (index, a) in loop.enumerated() {
        let b = loop[(index + 1) % loop.count]
        let (from, to) = (a.dot(across) - position, b.dot(across) - position)
        guard (from > 0) != (to > 0) else { continue }
        crossings.append((a + (b - a) * (from / (from - to))).dot(axis))
      }
    }
    crossings.sort()
    var best: (start: SIMD2<Double>, end: SIMD2<Double>, length: Double)?
    for index in stride(from: 0, to: crossings.count - 1, by: 2) {
      let (start, end) = (crossings[index], crossings[index + 1])
      if end - start > best?.length ?? 0 {
        best = (axis * start + across * position, axis * end + across * position, end - start)
      }
    }
    return best
  }
}
