import MeshPipeline
import MeshTestSupport
import Testing

struct BuildingMeasuresTests {
  @Test func `areas and volumes are those of the drawing`() throws {
    let measures = BuildingMeasures(TwoRoomBuilding.twoRooms())
    let storey = try #require(measures.storeys.first)
    func isNear(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 1e-9 }
    #expect(isNear(measures.floorArea, 2.3 * 3.7 + 3.3 * 3.7))
    #expect(isNear(measures.volume, (2.3 * 3.7 + 3.3 * 3.7) * 2.5))
    #expect(isNear(storey.rooms[0].perimeter, 2 * (2.3 + 3.7)))
    let front = storey.walls[0]
    #expect(isNear(front.grossArea, 6 * 2.5))
    #expect(isNear(front.area, 6 * 2.5 - 1.5 * 1.2))
    #expect(isNear(front.volume, (6 * 2.5 - 1.5 * 1.2) * 0.3))
    #expect(isNear(storey.walls[4].volume, (3.7 * 2.5 - 0.9 * 2.1) * 0.1))
    #expect(storey.openings.map(\.name) == ["window-1", "door-1"])
    #expect(isNear(storey.openings[0].area, 1.8))
  }

  @Test func `an opening counts only where there is wall`() throws {
    var building = TwoRoomBuilding.twoRooms()
    building.storeys[0].walls[0].openings[0].height = Building.Dimension(3)
    let wall = BuildingMeasures(building).storeys[0].walls[0]
    #expect(abs(wall.area - (6 * 2.5 - 1.5 * 1.6)) < 1e-9)
  }
}
