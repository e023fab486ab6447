import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct STLWritingTests {
  private func write(_ scene: Scene, ascii: Bool = false) throws -> Data {
    let folder = try TemporaryFolder()
    try STL.write(
      scene, to: OutputSet(folder: folder.path, mainFileName: "x.stl"),
      in: WritingContext(options: ascii ? ["ascii": true] : [:]))
    return try Data(contentsOf: URL(filePath: folder.path + "/x.stl"))
  }

  private func floats(_ data: Data, at offset: Int, count: Int) -> [Float] {
    (0..<count).map { place in
      let bytes = data.dropFirst(offset + 4 * place).prefix(4)
      return Float(bitPattern: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
  }

  @Test func `a facet is its normal and its corners, fifty bytes after a header of 84`() throws {
    let data = try write(Scene(meshes: [MeshFixtures.cube]))
    #expect(data.count == 84 + 12 * 50)
    #expect(data.prefix(5) != Data("solid".utf8))
    #expect(Array(data[80..<84]) == [12, 0, 0, 0])
    // The first face of the cube: 0, 2, 3 at Z = 0, looking down Z.
    #expect(floats(data, at: 84, count: 12) == [0, 0, -1, 0, 0, 0, 0, 1, 0, 1, 1, 0])
  }

  @Test func `normals are those of the faces, whatever the mesh says, and zero without area`()
    throws
  {
    var mesh = MeshFixtures.cube
    mesh.normals = mesh.positions.map { _ in Vector3(1, 0, 0) }
    mesh.indices += [0, 1, 1]
    let data = try write(Scene(meshes: [mesh]))
    for face in 0..<12 {
      let values = floats(data, at: 84 + 50 * face, count: 12)
      let corners = (1...3).map { SIMD3(values[3 * $0], values[3 * $0 + 1], values[3 * $0 + 2]) }
      let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized
      #expect([normal.x, normal.y, normal.z] == Array(values.prefix(3)))
    }
    #expect(floats(data, at: 84 + 50 * 12, count: 3) == [0, 0, 0])
  }

  @Test func `text holds the same facets`() throws {
    let text = String(
      decoding: try write(Scene(meshes: [MeshFixtures.cube]), ascii: true), as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(lines.first == "solid meshpipe up=y forward=-z hand=right unit=1m")
    #expect(lines.last == "endsolid meshpipe up=y forward=-z hand=right unit=1m")
    #expect(lines.count == 2 + 12 * 7)
    #expect(
      lines[1..<8] == [
        "facet normal 0 0 -1", "outer loop", "vertex 0 0 0", "vertex 0 1 0", "vertex 1 1 0",
        "endloop", "endfacet",
      ])
  }

  @Test func `options that STL lacks are refused`() throws {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "x.stl")
    let unknown = #expect(throws: InvalidFormatOption.self) {
      try STL.write(
        Scene(meshes: [MeshFixtures.cube]), to: output, in: WritingContext(options: ["text": true]))
    }
    #expect(unknown?.message == "option 'text' of format 'stl': unknown option")
    #expect(throws: InvalidFormatOption.self) {
      try STL.write(
        Scene(meshes: [MeshFixtures.cube]), to: output, in: WritingContext(options: ["ascii": 3]))
    }
  }

  private func warnings(_ scene: Scene, _ options: [String: JSONValue] = [:]) throws -> [String] {
    let folder = try TemporaryFolder()
    let context = WritingContext(options: options)
    try STL.write(scene, to: OutputSet(folder: folder.path, mainFileName: "x.stl"), in: context)
    return context.stage.warnings
  }

  @Test func `a unit scales the numbers, and without one both readings are told`() throws {
    var scene = Scene(meshes: [MeshFixtures.cube], coordinateSystem: .blender)
    let told = try warnings(scene)
    #expect(told.count == 1 && told[0].contains("has no unit: the model is 1.000 x 1.000 x 1.000"))
    #expect(told[0].contains("millimetres for slicers") && told[0].contains("metres for Blender"))
    for (unit, factor) in [("mm", 1000.0), ("cm", 100), ("m", 1), ("in", 1 / 0.0254)] {
      let folder = try TemporaryFolder()
      let context = WritingContext(options: ["unit": JSONValue(.string(unit))])
      try STL.write(scene, to: OutputSet(folder: folder.path, mainFileName: "x.stl"), in: context)
      #expect(context.stage.warnings == [])
      let data = try Data(contentsOf: URL(filePath: folder.path + "/x.stl"))
      let corners = (0..<12).flatMap { floats(data, at: 84 + 50 * $0 + 12, count: 9) }
      #expect(abs(Double(corners.max() ?? 0) / factor - 1) < 1e-6)
      // The header says so, for meshpipe.
      let again = try Reading(folder.path + "/x.stl").scene
      #expect(abs(again.coordinateSystem.metersPerUnit * factor - 1) < 1e-9)
    }
    scene.coordinateSystem.metersPerUnit = 0.001
    #expect(try warnings(scene) == [])
    // What came without a unit goes without one.
    scene.coordinateSystem.metersPerUnit = 1
    scene.interpretation.set(.unit, "metres", .assumed, isDoubtful: true)
    #expect(try warnings(scene) == [])
  }
}
