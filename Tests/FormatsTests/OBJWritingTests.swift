import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct OBJWritingTests {
  // printf 'my scan' | sha256sum
  private static let hash = "17997873"

  private func write(_ scene: Scene) throws -> (model: [Substring], library: [Substring]) {
    let folder = try TemporaryFolder()
    try OBJ.write(
      scene, to: OutputSet(folder: folder.path, mainFileName: "my scan.obj"), in: WritingContext())
    func lines(_ name: String) throws -> [Substring] {
      guard try FileSystem.status(of: folder.path + "/" + name) != nil else { return [] }
      let bytes = try FileSystem.contents(of: folder.path + "/" + name)
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
    return (try lines("my scan.obj"), try lines("my_scan-\(Self.hash).mtl"))
  }

  @Test func `a bare mesh is vertices and faces, counted from one`() throws {
    var mesh = MeshFixtures.cube
    mesh.name = ""
    mesh.indices = [0, 2, 3]
    let (model, library) = try write(Scene(meshes: [mesh, mesh]))
    let vertices =
      ["v 0 0 0", "v 1 0 0", "v 0 1 0", "v 1 1 0"]
      + ["v 0 0 1", "v 1 0 1", "v 0 1 1", "v 1 1 1"]
    #expect(
      model.dropFirst().map(String.init) == vertices + ["f 1 3 4"] + vertices + ["f 9 11 12"])
    #expect(model.first == "# meshpipe up=y forward=-z hand=right unit=1m")
    #expect(library == [])
  }

  @Test func `classes become groups and materials of the same name`() throws {
    let (model, library) = try write(SceneFixtures.classifiedRoom)
    #expect(model.filter { $0.hasPrefix("g ") } == ["g wall", "g floor", "g table"])
    #expect(
      model.filter { $0.hasPrefix("usemtl ") } == ["usemtl wall", "usemtl floor", "usemtl table"])
    #expect(model.contains("mtllib my_scan-\(Self.hash).mtl"))
    #expect(
      library.filter { $0.hasPrefix("newmtl") } == ["newmtl wall", "newmtl floor", "newmtl table"])
    #expect(model.filter { $0.hasPrefix("f ") }.count == 112)
    #expect(model.filter { $0.hasPrefix("v ") }.count == 80)
  }

  @Test func `materials win over classes, and equal texture coordinates are written once`() throws {
    let (model, library) = try write(SceneFixtures.room)
    #expect(
      model.filter { $0.hasPrefix("usemtl ") }
        == ["usemtl Plaster", "usemtl Plaster", "usemtl Dark wood"])
    #expect(library.contains("map_Kd my_scan-\(Self.hash)_wall-paper.png"))
    #expect(library.contains("Kd 0.25 0.125 0.0625"))
    // 25 of the wall, 49 of the floor, 9 of the table: three vertices of the edge have two places.
    #expect(model.filter { $0.hasPrefix("vt ") }.count == 25 + 49 + 9)
    #expect(model.filter { $0.hasPrefix("vn ") }.count == 80)
    #expect(model.first { $0.hasPrefix("v ") }?.split(separator: " ").count == 7)
    let face = try #require(model.first { $0.hasPrefix("f ") })
    #expect(
      face.split(separator: " ").dropFirst().allSatisfy { $0.split(separator: "/").count == 3 })
  }

  @Test func `a material that no lamp shades says so`() throws {
    var scene = SceneFixtures.room
    #expect(try !write(scene).library.contains { $0.hasPrefix("illum") })
    scene.materials[1].isUnlit = true
    let library = try write(scene).library
    let place = try #require(library.firstIndex(of: "illum 0"))
    #expect(library[..<place].last { $0.hasPrefix("newmtl") } == "newmtl Dark wood")
  }

  @Test func `a mesh without a material does not take that of the mesh before`() throws {
    var scene = SceneFixtures.room
    scene.meshes.append(MeshFixtures.cube)
    let (model, library) = try write(scene)
    #expect(model.last { $0.hasPrefix("usemtl ") } == "usemtl default")
    #expect(model.last { $0.hasPrefix("g ") } == "g default")
    #expect(library.contains("newmtl default"))
  }

  @Test func `colours come back by rounding`() throws {
    var mesh = MeshFixtures.grid(columns: 15, rows: 15)
    mesh.colors = (0..<256).map {
      Color(red: UInt8($0), green: 255 - UInt8($0), blue: UInt8($0 / 2))
    }
    let (model, _) = try write(Scene(meshes: [mesh]))
    let read = model.filter { $0.hasPrefix("v ") }.map { line in
      line.split(separator: " ").suffix(3).map { UInt8(((Double($0) ?? -1) * 255).rounded()) }
    }
    #expect(read == mesh.colors?.map { [$0.red, $0.green, $0.blue] })
  }
}
