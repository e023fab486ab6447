import MeshPipeline
import POSIX

/// Doors, windows and passages of a storey, as a plan shows them.
struct PlanOpenings {
  /// Wider doors have two leaves, in metres.
  private static let widestLeaf = 1.3

  private let walls: [PlanWall]
  private let rooms: [Building.Space]
  private let cutHeight: Double

  init(_ walls: [PlanWall], _ rooms: [Building.Space], cutHeight: Double) {
    (self.walls, self.rooms, self.cutHeight) = (walls, rooms, cutHeight)
  }

  /// Whether a plane at a height above the floor goes through an opening.
  static func isCut(_ opening: Building.Opening, at height: Double) -> Bool {
    let sill = opening.sill.value
    return sill <= height && height <= sill + opening.height.value
  }

  /// Adds the symbols of all openings.
  ///
  /// - Returns: The regions that leaves sweep, so that no text comes there.
  func draw(on drawing: inout Drawing) -> [PlanBox] {
    var swept: [PlanBox] = []
    for wall in walls {
      for opening in wall.wall.openings {
        let range = wall.range(of: opening)
        guard range.upperBound > range.lowerBound + 0.01 else { continue }
        let (from, to) = (wall.frame(at: range.lowerBound), wall.frame(at: range.upperBound))
        let half = wall.thickness / 2
        let isCut = Self.isCut(opening, at: cutHeight)
        switch opening.kind {
        case .window where isCut:
          let width = to.place - from.place
          drawing.add(
            DrawingBlock.Reference(
              block: .window, origin: (from.place + to.place) / 2,
              turn: width.angle,
              scale: SIMD2(width.length, wall.thickness)))
        case .door where isCut:
          swept.append(drawDoor(wall, range, opening, on: &drawing))
        default:
          // What is above or below the plane, or the head of a passage.
          for side in [-half, half] {
            drawing.add(
              DrawingPath([from.place + from.left * side, to.place + to.left * side]),
              on: .openings)
          }
        }
      }
    }
    return swept
  }

  /// A door opens into the only room beside it, or into that with fewer doors, against the nearer corner.
  private func drawDoor(
    _ wall: PlanWall, _ range: ClosedRange<Double>, _ opening: Building.Opening,
    on drawing: inout Drawing
  ) -> PlanBox {
    let middle = wall.frame(at: (range.lowerBound + range.upperBound) / 2)
    let side = opensLeft(middle, wall) ? 1.0 : -1
    let (from, to) = (wall.frame(at: range.lowerBound), wall.frame(at: range.upperBound))
    let half = wall.thickness / 2
    let low = from.place + from.left * (half * side)
    let high = to.place + to.left * (half * side)
    let isHungAtStart = range.lowerBound <= wall.length - range.upperBound
    let (hinge, end) = isHungAtStart ? (low, high) : (high, low)
    let along = end - hinge
    let width = along.length
    let turn = along.angle
    // The symbol opens to the left of its closed leaf.
    let isLeft = isHungAtStart == (side > 0)
    drawing.add(
      DrawingBlock.Reference(
        block: width > Self.widestLeaf ? .doubleDoor : .door, origin: hinge, turn: turn,
        scale: SIMD2(width, isLeft ? width : -width)))
    let reach = middle.left * (side * (width > Self.widestLeaf ? width / 2 : width))
    return PlanBox(around: [low, high, low + reach, high + reach])
  }

  private func opensLeft(
    _ middle: (place: SIMD2<Double>, along: SIMD2<Double>, left: SIMD2<Double>), _ wall: PlanWall
  ) -> Bool {
    let offset = middle.left * (wall.thickness / 2 + 0.1)
    let left = room(at: middle.place + offset)
    let right = room(at: middle.place - offset)
    guard let left else { return right == nil }
    guard let right else { return true }
    let (ofLeft, ofRight) = (doorCount(of: left), doorCount(of: right))
    return ofLeft == ofRight ? rooms[left].area.value <= rooms[right].area.value : ofLeft < ofRight
  }

  private func room(at position: SIMD2<Double>) -> Int? {
    rooms.firstIndex { $0.contains(position) }
  }

  private func doorCount(of room: Int) -> Int {
    walls.reduce(0) { sum, wall in
      sum
        + wall.wall.openings.count { opening in
          guard opening.kind == .door else { return false }
          let frame = wall.frame(at: min(max(opening.position, 0), wall.length))
          let offset = frame.left * (wall.thickness / 2 + 0.1)
          return [offset, -offset].contains { rooms[room].contains(frame.place + $0) }
        }
    }
  }
}

extension Building.Space {
  /// Whether a place is within the room and in none of its holes.
  func contains(_ position: SIMD2<Double>) -> Bool {
    outline.count { isInside(position, of: $0) }.isMultiple(of: 2) == false
  }
}
