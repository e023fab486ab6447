import Foundation
import MeshPipeline

/// Two rooms side by side whose drawing is known: 6 m × 4 m along the centre lines of the outer walls.
package enum TwoRoomBuilding {
  /// Thickness of outer walls and of the one between the rooms, and the height of all.
  package static let (outer, inner, height) = (0.3, 0.1, 2.5)

  /// With a door between the rooms, a window in the front wall, a column, a stair of two steps and a table.
  ///
  /// - Parameter placement: From the plan to the scene; by default into ARKit's axes.
  package static func twoRooms(
    placement: Transform = Transform(
      x: SIMD3(1, 0, 0), y: SIMD3(0, 0, -1), z: SIMD3(0, 1, 0))
  ) -> Building {
    var storey = Building.Storey(
      name: "Ground floor", elevation: 0.5, height: Building.Dimension(height, uncertainty: 0.004))
    storey.walls = [
      wall("front", SIMD2(0, 0), SIMD2(6, 0), outer),
      wall("right", SIMD2(6, 0), SIMD2(6, 4), outer),
      wall("back", SIMD2(6, 4), SIMD2(0, 4), outer), wall("left", SIMD2(0, 4), SIMD2(0, 0), outer),
      wall("between", SIMD2(2.5, 0), SIMD2(2.5, 4), inner),
    ]
    storey.walls[0].openings = [
      opening("window-1", .window, at: 4, width: 1.5, sill: 0.9, height: 1.2)
    ]
    storey.walls[4].openings = [
      opening("door-1", .door, at: 1, width: 0.9, sill: 0, height: 2.1)
    ]
    storey.rooms = [
      room("Kitchen", SIMD2(0.15, 0.15), SIMD2(2.45, 3.85)),
      room("Living room", SIMD2(2.55, 0.15), SIMD2(5.85, 3.85)),
    ]
    storey.columns = [
      Building.Column(
        outline: rectangle(SIMD2(5, 3), SIMD2(5.3, 3.4)), height: Building.Dimension(height))
    ]
    storey.stairs = [
      Building.Stair(
        steps: [rectangle(SIMD2(3, 1), SIMD2(4, 1.3)), rectangle(SIMD2(3, 1.3), SIMD2(4, 1.6))],
        heights: [0.18, 0.36])
    ]
    storey.furniture = [
      Building.Piece(
        category: "table", center: SIMD2(1.2, 2), turn: 0.3, size: SIMD3(1.6, 0.8, 0.75), base: 0)
    ]
    var building = Building(placement: placement, storeys: [storey])
    building.assumptions = ["floors are 20 cm thick"]
    return building
  }

  /// A rectangle, counterclockwise.
  package static func rectangle(_ low: SIMD2<Double>, _ high: SIMD2<Double>) -> [SIMD2<Double>] {
    [low, SIMD2(high.x, low.y), high, SIMD2(low.x, high.y)]
  }

  /// A measured wall.
  package static func wall(
    _ name: String, _ start: SIMD2<Double>, _ end: SIMD2<Double>, _ thickness: Double
  ) -> Building.Wall {
    let offset = end - start
    return Building.Wall(
      name: name, from: start, to: end,
      thickness: Building.Dimension(thickness, uncertainty: 0.003),
      height: Building.Dimension(height, uncertainty: 0.004),
      length: Building.Dimension((offset * offset).sum().squareRoot(), uncertainty: 0.005))
  }

  private static func opening(
    _ name: String, _ kind: Building.Opening.Kind, at position: Double, width: Double,
    sill: Double, height: Double
  ) -> Building.Opening {
    Building.Opening(
      name: name, kind, at: position, width: Building.Dimension(width, uncertainty: 0.01),
      sill: Building.Dimension(sill, uncertainty: 0.01),
      height: Building.Dimension(height, uncertainty: 0.01))
  }

  private static func room(
    _ name: String, _ low: SIMD2<Double>, _ high: SIMD2<Double>
  ) -> Building.Space {
    let size = high - low
    return Building.Space(
      name: name, outline: [rectangle(low, high)],
      height: Building.Dimension(height, uncertainty: 0.004),
      area: Building.Dimension(size.x * size.y, uncertainty: 0.02))
  }
}
