import Formats
import MeshPipeline
import MeshTestSupport
import Testing

/// Objects (`o`) of OBJ files.
struct OBJObjectsTests {
  private let twoSquares =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 5\nv 1 0 5\nv 1 1 5\nv 0 1 5\n"

  @Test func `objects are meshes with their names, which a file may go on with`() throws {
    let folder = try TemporaryFolder()
    let text =
      twoSquares + "f 1 2 3\no Table_leg\nf 5 6 7\nv 9 9 9\nv 9 9 8\nv 9 8 8\no none of it\n"
      + "o Ball äöü\nf -1 -2 -3\no Table_leg\nf 5 7 8\n"
    let reading = try Reading(folder.write("b.obj", text))
    let meshes = reading.scene.meshes
    #expect(meshes.map(\.name) == ["b", "Table_leg", "Ball äöü"])
    #expect(meshes.map(\.indices) == [[0, 1, 2], [0, 1, 2, 0, 2, 3], [0, 1, 2]])
    #expect(meshes[1].positions.map(\.z) == [5, 5, 5, 5] && meshes[2].positions[0].y == 8)
    #expect(reading.warnings == [])
    // What is written is read again.
    let path = folder.path + "/again.obj"
    try OBJ.write(
      reading.scene, to: OutputSet(folder: folder.path, mainFileName: "again.obj"),
      in: WritingContext())
    #expect(try Reading(path).scene.meshes.map(\.name) == meshes.map(\.name))
  }

  @Test func `objects that share vertices stay one surface, with a word`() throws {
    let folder = try TemporaryFolder()
    let reading = try Reading(
      folder.write("a.obj", twoSquares + "o a\nf 1 2 3\no b\nf 1 3 4\no c\nf 5 6 7\n"))
    #expect(reading.scene.meshes.map(\.name) == ["a"])
    #expect(reading.warnings.count == 1)
    #expect(reading.warnings.first?.contains("its 3 objects are read as one mesh") == true)
  }

  @Test func `objects that are classes are one scan, and numbered ones are not`() throws {
    let folder = try TemporaryFolder()
    func names(_ first: String, _ second: String) throws -> [String] {
      let text = twoSquares + "o \(first)\nf 1 2 3\no \(second)\nf 5 6 7\n"
      let scene = try Reading(folder.write("a.obj", text)).scene
      #expect(scene.meshes.allSatisfy { $0.classes != nil })
      return scene.meshes.map(\.name)
    }
    #expect(try names("floor", "wall") == ["a"])
    #expect(try names("wall-1", "wall-2") == ["wall-1", "wall-2"])
  }
}
