import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// STEP files, opened by OpenCASCADE.
struct STEPWritingTests {
  private struct Found: Decodable {
    struct Part: Decodable {
      var name: String?
      var solids: Int
      var shells: Int
      var faces: Int
      var edges: Int
      var vertices: Int
      var openEdges: Int
      var isValid: Bool
      var volume: Double
      var area: Double
      var bounds: [Double]
      var tolerance: Double
      var colors: [String: Int]
    }

    var roots: [String?]
    var parts: [Part]

    func part(_ name: String) throws -> Part { try #require(parts.first { $0.name == name }) }
  }

  private func written(
    _ scene: Scene, _ options: [String: JSONValue] = [:], in folder: TemporaryFolder,
    _ context: WritingContext? = nil
  ) throws -> String {
    let output = OutputSet(folder: folder.path, mainFileName: "a.step")
    var context = context ?? WritingContext()
    context.options = options
    try FormatWriter(STEP.self).write(scene, to: output, in: context)
    return output.mainPath
  }

  private func opened(_ scene: Scene, _ options: [String: JSONValue] = [:]) throws -> Found {
    let folder = try TemporaryFolder()
    let path = try written(scene, options, in: folder)
    let output = try Checkers.run("Tools/checks/step.py", [path])
    return try JSONDecoder().decode(Found.self, from: Data(output.utf8))
  }

  @Test(.needs("OCP"))
  func `OpenCASCADE finds valid solids with the faces that were counted`() throws {
    var (cube, angle) = (MeshFixtures.cube, BoundaryModelTests.angle())
    (cube.name, angle.name) = ("Würfel", "angle")
    let found = try opened(Scene(name: "Both", meshes: [cube, angle]))
    #expect(found.roots == ["Both"])
    for (mesh, faces) in [(cube, 6), (angle, 12)] {
      let part = try found.part(mesh.name)
      #expect(part.isValid && part.solids == 1 && part.openEdges == 0)
      #expect(part.faces == faces)
      #expect(abs(part.volume / (mesh.enclosedVolume * 1e9) - 1) < 1e-6)
      #expect(abs(part.area / (mesh.area * 1e6) - 1) < 1e-6)
      #expect(part.tolerance < 1e-4)
    }
    // Y up becomes Z up, metres become millimetres.
    let bounds = try found.part("angle").bounds
    #expect(zip(bounds, [0, -500, 0, 3000, 0, 2000]).allSatisfy { abs($0 - $1) < 1e-3 })
  }

  @Test(.needs("OCP"), arguments: [0, 1e4] as [Float])
  func `round bodies of triangles are valid, also far from the origin`(shift: Float) throws {
    var torus = MeshFixtures.torus(segments: 48, sides: 24)
    torus.positions = torus.positions.map { Vector3($0.x + shift, $0.y, $0.z) }
    let found = try opened(Scene(meshes: [torus]))
    let part = try #require(found.parts.first)
    #expect(part.isValid && part.solids == 1 && part.openEdges == 0)
    #expect(abs(part.volume / (torus.enclosedVolume * 1e9) - 1) < (shift > 0 ? 0.01 : 1e-6))
  }

  @Test(.needs("OCP"))
  func `open surfaces are shells, and faces have the colours of materials and classes`() throws {
    let found = try opened(SceneFixtures.room)
    let scene = SceneFixtures.room
    #expect(
      found.parts.reduce(0) { $0 + $1.area } / (1e6 * scene.meshes.reduce(0) { $0 + $1.area })
        > 0.999)
    #expect(found.parts.allSatisfy { $0.isValid && $0.solids == 0 && $0.shells > 0 })
    #expect(found.parts.contains { !$0.colors.isEmpty })
    var (red, plain) = (MeshFixtures.cube, MeshFixtures.cube)
    (red.name, plain.name) = ("red", "plain")
    red.faceMaterials = (0..<red.faceCount).map { $0 < 2 ? 1 : 0 }
    let painted = try opened(
      Scene(
        meshes: [red, plain],
        materials: [
          Material(name: "Red", baseColor: SIMD4(1, 0, 0, 1)),
          Material(name: "Grey", baseColor: SIMD4(0.2140, 0.2140, 0.2140, 1)),
        ]))
    #expect(try painted.part("red").colors == ["1.000 0.000 0.000": 5, "0.500 0.500 0.500": 1])
    #expect(try painted.part("plain").colors == [:])
  }

  @Test(.needs("OCP"))
  func `a hollow body has a cavity, and a scene of both kinds of surface has both`() throws {
    var inner = MeshFixtures.cube
    inner.flipWinding()
    let center = SIMD3<Float>(inner.bounds.center)
    inner.positions = inner.positions.map { Vector3(center + 0.5 * ($0.simd - center)) }
    var mesh = MeshFixtures.cube
    mesh.indices += inner.indices.map { $0 + UInt32(mesh.vertexCount) }
    mesh.positions += inner.positions
    let outer = MeshFixtures.cube.enclosedVolume
    let hollow = try #require(try opened(Scene(meshes: [mesh])).parts.first)
    #expect(hollow.isValid && hollow.solids == 1 && hollow.shells == 2 && hollow.faces == 12)
    #expect(abs(hollow.volume / (outer * 0.875e9) - 1) < 1e-6)
    var grid = MeshFixtures.grid(columns: 3, rows: 3)
    grid.positions = grid.positions.map { Vector3($0.x + 50, $0.y, $0.z) }
    var both = MeshFixtures.cube
    both.indices += grid.indices.map { $0 + UInt32(both.vertexCount) }
    both.positions += grid.positions
    let found = try opened(Scene(meshes: [both]))
    #expect(found.parts.reduce(0) { $0 + $1.solids } == 1)
    #expect(found.parts.reduce(0) { $0 + $1.faces } == 7)
  }

  @Test(.needs("OCP"))
  func `what made the file is in a comment, and names may have any characters`() throws {
    let folder = try TemporaryFolder()
    var context = WritingContext()
    let provenance = try Provenance.ofManyStages
    context.provenance = provenance
    var cube = MeshFixtures.cube
    cube.name = "O'Neil\\ ä 🏠 */"
    let path = try written(Scene(meshes: [cube]), in: folder, context)
    #expect(try ProvenanceReader.read(path) == .provenance(provenance))
    let output = try Checkers.run("Tools/checks/step.py", [path])
    let found = try JSONDecoder().decode(Found.self, from: Data(output.utf8))
    #expect(found.parts.map(\.name) == [cube.name])
  }

  @Test func `the same scene has the same bytes, without the time`() throws {
    let folders = [try TemporaryFolder(), try TemporaryFolder()]
    let texts = try folders.map {
      try String(contentsOfFile: try written(SceneFixtures.room, in: $0), encoding: .utf8)
    }
    #expect(texts[0] == texts[1])
    #expect(texts[0].contains("1980-01-01T00:00:00"))
    #expect(texts[0].contains("SI_UNIT(.MILLI.,.METRE.)"))
    #expect(texts[0].hasSuffix("END-ISO-10303-21;\n"))
  }

  @Test func `flatness decides what becomes one face`() throws {
    var grid = MeshFixtures.grid(columns: 6, rows: 6)
    for vertex in grid.positions.indices {
      let place = grid.positions[vertex]
      grid.positions[vertex] = Vector3(place.x, vertex.isMultiple(of: 3) ? 0.0005 : 0, place.z)
    }
    let folder = try TemporaryFolder()
    func faceCount(_ options: [String: JSONValue]) throws -> Int {
      let path = try written(Scene(meshes: [grid]), options, in: folder)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      return text.components(separatedBy: "=ADVANCED_FACE(").count - 1
    }
    #expect(try faceCount([:]) > 5)
    #expect(try faceCount(["flatness": "1mm"]) == 1)
  }

  @Test func `a scene without faces is refused`() {
    #expect(throws: UnwritableScene.self) {
      try written(Scene(meshes: [Mesh(name: "empty")]), in: TemporaryFolder())
    }
  }
}
