import MeshPipeline
import MeshTestSupport
import Stages
import Testing

struct MeasureTests {
  @Test func `sums of a building and volumes of closed meshes are those of the scene`() throws {
    var scene = Scene(meshes: [MeshFixtures.torus(), MeshFixtures.grid(columns: 4, rows: 2)])
    scene.coordinateSystem.metersPerUnit = 0.1
    scene.buildings = [TwoRoomBuilding.twoRooms()]
    let before = scene
    let context = StageContext()
    #expect(try Measure(NoParameters()).run(scene, in: context) == before)
    func note(_ key: String) -> JSONValue? { context.notes.first { $0.key == key }?.value }
    #expect(note("floorArea")?.number == 20.72)
    #expect(note("rooms")?.number == 2)
    #expect(note("doors")?.number == 1)
    #expect(note("windows")?.number == 1)
    #expect(note("lowestCeiling")?.number == 2.5)
    #expect(note("storeys")?.elements.count == 1)
    let meshes = try #require(note("meshes")?.elements)
    let volume = scene.meshes[0].volume * 0.001
    #expect(abs((meshes[0]["volume"]?.number ?? 0) - volume) < 1e-6)
    // An open surface encloses nothing.
    #expect(meshes[1]["volume"] == nil)
    let area = scene.meshes[1].surfaceArea * 0.01
    #expect(abs((meshes[1]["area"]?.number ?? 0) - area) < 1e-6)
  }

  @Test func `without a building only the meshes are measured`() throws {
    let context = StageContext()
    _ = try Measure(NoParameters()).run(Scene(meshes: [MeshFixtures.torus()]), in: context)
    #expect(context.notes.map(\.key) == ["meshes"])
  }
}
