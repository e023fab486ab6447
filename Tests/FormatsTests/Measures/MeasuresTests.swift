import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Measures of a building as files.
struct MeasuresTests {
  private func written(_ format: any WritableFormat.Type, _ scene: Scene) throws -> String {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.\(format.extensions[0])")
    try format.write(scene, to: output, in: WritingContext())
    return try String(contentsOfFile: output.mainPath, encoding: .utf8)
  }

  private var scene: Scene {
    var scene = Scene(name: "flat")
    scene.buildings = [TwoRoomBuilding.twoRooms()]
    return scene
  }

  @Test func `JSON has what was measured, and how sure it is`() throws {
    let text = try written(MeasuresJSON.self, scene)
    let json = try #require(JSONReader.read(Array(text.utf8)).value)
    let building = try #require(json["buildings"]?.elements.first)
    #expect(building["floorArea"]?.number == 20.72)
    let storey = try #require(building["storeys"]?.elements.first)
    #expect(storey["elevation"]?.number == 0.5)
    let wall = try #require(storey["walls"]?.elements.last)
    #expect(wall["length"]?["value"]?.number == 4)
    #expect(wall["length"]?["uncertainty"]?.number == 0.005)
    #expect(storey["rooms"]?.elements.count == 2)
    var assumed = scene
    assumed.buildings[0].storeys[0].walls[4].thickness.uncertainty = nil
    let other = try #require(
      JSONReader.read(Array(try written(MeasuresJSON.self, assumed).utf8)).value)
    let thickness = other["buildings"]?.elements[0]["storeys"]?.elements[0]["walls"]?
      .elements[4]["thickness"]
    #expect(thickness?["assumed"]?.isTrue == true)
    #expect(thickness?["uncertainty"] == nil)
  }

  @Test func `the table has a row for each room, wall and opening, whatever their names`() throws {
    var scene = scene
    scene.buildings[0].storeys[0].rooms[0].name = "Kitchen, \"small\""
    let text = try written(MeasuresCSV.self, scene)
    let lines = text.components(separatedBy: "\r\n").dropLast()
    #expect(lines.count == 1 + 2 + 5 + 2)
    #expect(lines[1].hasPrefix("Ground floor,room,\"Kitchen, \"\"small\"\"\","))
    #expect(lines[1].hasSuffix(",8.5100,0.0200,21.2750,12.0000"))
    #expect(
      lines.last
        == "Ground floor,door,door-1,between,,,0.9000,0.0100,2.1000,0.0100,0.0000,0.0100,1.8900,,,")
    // All rows have the columns of the first.
    let widths = lines.filter { !$0.contains("\"") }.map { $0.count { $0 == "," } }
    #expect(Set(widths).count == 1)
  }

  @Test(arguments: [MeasuresJSON.self, MeasuresCSV.self] as [any WritableFormat.Type])
  func `a scene without a building is refused`(format: any WritableFormat.Type) {
    #expect(throws: NoBuilding.self) { try written(format, Scene()) }
  }
}
