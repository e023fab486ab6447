import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct FillHolesTests {
  private func filled(
    _ mesh: Mesh, size: RelativeLength = .fraction(1), fill: FillHoles.Fill = .flat,
    context: StageContext = StageContext()
  ) throws -> Mesh {
    var parameters = FillHoles.Parameters()
    parameters.maximumSize = size
    parameters.fill = fill
    return try FillHoles(parameters).run(Scene(meshes: [mesh]), in: context).meshes[0]
  }

  @Test(arguments: [1, 3, 9])
  func `a sphere with holes becomes the whole sphere`(holes: Int) throws {
    let sphere = MeshFixtures.sphere()
    let result = try filled(MeshFixtures.sphere(holes: holes))
    #expect(result.isWatertight)
    #expect(result.faceCount == sphere.faceCount)
    #expect(abs(result.volume - sphere.volume) < 1e-6)
  }

  @Test func `a flat hole of any form is filled flat`() throws {
    // An L of cells is taken out of a plate: a concave hole.
    var grid = MeshFixtures.grid(columns: 8, rows: 8)
    let cells = [(2, 2), (2, 3), (2, 4), (2, 5), (3, 5), (4, 5), (5, 5)]
    grid.keepFaces(
      (0..<grid.faceCount).map { face in
        !cells.contains { $0 == (face / 2 % 8, face / 16) }
      })
    let context = StageContext()
    let result = try filled(grid, context: context)
    #expect(abs(result.surfaceArea - 64) < 1e-6)
    for face in 0..<result.faceCount { #expect(result.areaVector(face).y > 0) }
    #expect(result.nonManifoldEdgeCount == 0)
    // The outer border is no hole.
    #expect(result.boundaryEdges.count == 32)
    let notes = Dictionary(uniqueKeysWithValues: context.notes.map { ($0.key, $0.value) })
    #expect(notes["filledHoles"] == 1 && notes["openHoles"] == 1)
    #expect(notes["summary"] == "holes: 1 filled, 1 open")
    #expect(
      notes["holes"] == [
        [
          "edges": 32, "millimeters": 8000, "center": [4, 0, 4],
          "open": "the outline of a flat piece",
        ],
        ["edges": 16, "millimeters": 4000, "center": [4, 0, 4], "filled": "flat"],
      ])
  }

  @Test(arguments: [12, 90, 300, 1001])
  func `a round hole with very many edges is filled`(segments: Int) throws {
    let cone = MeshFixtures.openCone(segments: segments)
    let result = try filled(cone)
    #expect(result.isWatertight)
    #expect(result.vertexCount == cone.vertexCount)
    // The base is the polygon of its vertices; the height is 1.
    let base = (0..<segments).reduce(0.0) { sum, index in
      let a = cone.positions[1 + index].double
      let b = cone.positions[1 + (index + 1) % segments].double
      return sum + a.cross(b).length / 2
    }
    #expect(abs(result.volume - base / 3) < 1e-5)
  }

  @Test func `by default the surface around goes on`() throws {
    let sphere = MeshFixtures.sphere(segments: 48, rings: 24, holes: 1)
    let scene = try FillHoles(FillHoles.Parameters()).run(
      Scene(meshes: [sphere]), in: StageContext())
    #expect(scene.meshes[0].isWatertight)
    let empty = try FillHoles(FillHoles.Parameters()).run(Scene(), in: StageContext())
    #expect(empty == Scene())
  }

  @Test func `holes beyond the size stay open`() throws {
    let sphere = MeshFixtures.sphere(holes: 3)
    #expect(try filled(sphere, size: .length(Length(meters: 0.01))) == sphere)
    var parameters = FillHoles.Parameters()
    parameters.maximumEdges = 11
    let cone = Scene(meshes: [MeshFixtures.openCone()])
    #expect(try FillHoles(parameters).run(cone, in: StageContext()) == cone)
  }

  @Test func `filling twice is filling once`() throws {
    for scene in MeshFixtures.all {
      let stage = FillHoles(FillHoles.Parameters())
      var clean = scene
      clean.meshes = clean.meshes.filter { $0.name != "degenerate" }
      let once = try stage.run(clean, in: StageContext())
      #expect(try stage.run(once, in: StageContext()) == once)
    }
  }

  @Test func `a hole takes the class around it, and a seam stays closed`() throws {
    var mesh = MeshFixtures.allAttributes
    // A cell in the middle, both faces: of the four around it three are of class 5.
    let removed = [10, 11]
    for face in [2, 3, 8, 9, 18, 19] { mesh.classes?.labels[face] = 5 }
    mesh.keepFaces((0..<mesh.faceCount).map { !removed.contains($0) })
    let result = try filled(mesh)
    #expect(result.faceCount == 24)
    #expect(result.classes?.labels.suffix(2) == [5, 5])
    for corner in 66..<72 {
      let position = result.positions[Int(result.indices[corner])]
      #expect(result.textureCoordinates?[corner] == Vector2(position.x / 4, position.z / 3))
    }
  }

  @Test(arguments: [["Window"], ["door"], []])
  func `holes stay open at some classes`(kept: [String]) throws {
    var mesh = MeshFixtures.grid(columns: 6, rows: 6)
    mesh.keepFaces(
      (0..<mesh.faceCount).map { (mesh.centroid(ofFace: $0) - SIMD3(3, 0, 3)).length > 1 })
    let window = UInt16(FaceClasses.arkitNames.firstIndex(of: "window") ?? 0)
    mesh.classes = FaceClasses(
      labels: (0..<mesh.faceCount).map { mesh.centroid(ofFace: $0).x < 2.5 ? window : 1 })
    var parameters = FillHoles.Parameters()
    parameters.maximumSize = .fraction(0.9)
    parameters.keepOpen = kept.map { ClassLabel($0) }
    let context = StageContext()
    let result = try FillHoles(parameters).run(Scene(meshes: [mesh]), in: context).meshes[0]
    #expect((result.faceCount > mesh.faceCount) == (kept != ["Window"]))
    // The outer border is larger than 'maximumSize'.
    let open = context.notes.first { $0.key == "openHoles" }?.value
    #expect(open == (kept == ["Window"] ? 2 : 1).json)
  }

  @Test func `an unknown class to keep open gives a warning`() throws {
    var parameters = FillHoles.Parameters()
    parameters.keepOpen = ["door", "Door Frame", "windo"].map { ClassLabel($0) }
    let context = StageContext()
    _ = try FillHoles(parameters).run(Scene(meshes: [MeshFixtures.cube]), in: context)
    #expect(context.warnings.count == 1)
    #expect(context.warnings.first?.contains("'windo' (did you mean 'window'?)") == true)
  }

  @Test func `no edge gets a third face`() throws {
    // A square hole in the z = 0 plane whose two diagonals are edges of a tent over it already: each
    // apex has two faces at the diagonal.
    var tent = Mesh(
      positions: [
        Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(1, 1, 0), Vector3(0, 1, 0),
        Vector3(0.5, 0.5, 1),
        Vector3(0.5, 0.5, 2), Vector3(0.5, 0.5, -5),
      ])
    tent.indices = [0, 2, 4, 2, 0, 5, 1, 3, 4, 3, 1, 5]
    for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 0)] as [(UInt32, UInt32)] {
      tent.indices += [b, a, 6]
    }
    // The skirt has a hole with four edges on top, and both its diagonals are taken.
    #expect(try filled(tent).nonManifoldEdgeCount == tent.nonManifoldEdgeCount)
    for scene in MeshFixtures.all {
      for mesh in scene.meshes where mesh.name != "degenerate" {
        #expect(try filled(mesh).nonManifoldEdgeCount == mesh.nonManifoldEdgeCount)
      }
    }
  }
}
