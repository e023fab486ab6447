import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct SectionSceneTests {
  private func cut(
    _ scene: Scene, _ context: StageContext = StageContext(),
    _ change: (inout SectionScene.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = SectionScene.Parameters()
    change(&parameters)
    #expect(parameters.faults().isEmpty)
    return try SectionScene(parameters).run(scene, in: context)
  }

  private func lengths(_ meters: Double...) -> [Length] { meters.map { Length(meters: $0) } }

  /// A box of 4 by 3 by 2.5 m whose floor is 1 m below zero, with y up.
  private static let box: Scene = {
    var mesh = MeshFixtures.cube
    let bounds = mesh.bounds
    mesh.positions = mesh.positions.map {
      let share = ($0.simd - bounds.minimum) / bounds.size
      return Vector3(SIMD3(4 * share.x, 2.5 * share.y - 1, 3 * share.z))
    }
    mesh.name = "box"
    return Scene(meshes: [mesh])
  }()

  @Test func `one plane at 1.20 m is the default, seen from above`() throws {
    let context = StageContext()
    let scene = try cut(Self.box, context)
    #expect(scene.sections.map(\.name) == ["1.20 m"] && scene.features.contains(.sections))
    let curve = try #require(scene.sections[0].curves.first)
    #expect(curve.isClosed && curve.layer == "box")
    // x to the right and what is farther away, with less z, to the top.
    #expect(Set(curve.points) == [SIMD2(0, 0), SIMD2(4, 0), SIMD2(4, -3), SIMD2(0, -3)])
    let corner = scene.sections[0].placement.apply(toPoint: SIMD3(4, -3, 0))
    #expect((corner - SIMD3(4, 0.2, 3)).length < 1e-9)
    let report = try #require(context.notes.first { $0.key == "sections" }?.value.elements.first)
    #expect(report["curves"]?.number == 1 && report["openCurves"]?.number == 0)
    #expect(report["lengthMeters"]?.number == 14 && report["areaSquareMeters"]?.number == 12)
    #expect(context.notes.first { $0.key == "floorMeters" }?.value.number == -1)
  }

  @Test func `a step cuts at its multiples above the floor`() throws {
    let names = try cut(Self.box) { $0.step = Length(meters: 0.5) }.sections.map(\.name)
    #expect(names == ["0.50 m", "1.00 m", "1.50 m", "2.00 m", "2.50 m"])
    #expect(throws: SectionScene.Failure.self) {
      try cut(Self.box) { $0.step = Length(meters: 1e-6) }
    }
  }

  @Test(arguments: [CoordinateSystem.arkit, .blender])
  func `an upright plane is seen against its normal, with what is up at the top`(
    system: CoordinateSystem
  ) throws {
    var box = Self.box
    box.apply(box.coordinateSystem.transform(to: system))
    box.coordinateSystem = system
    let scene = try cut(box) { $0.normal = NumberVector(SIMD3(1, 0, 0)) }
    let curve = try #require(scene.sections.first?.curves.first)
    let (xs, ys) = (curve.points.map(\.x), curve.points.map(\.y))
    #expect(abs((xs.max() ?? 0) - (xs.min() ?? 0) - 3) < 1e-6)
    #expect(abs((ys.max() ?? 0) - (ys.min() ?? 0) - 2.5) < 1e-6)
    let placement = scene.sections[0].placement
    #expect((placement.y - system.up.vector).length < 1e-9)
    #expect((placement.z - SIMD3(1, 0, 0)).length < 1e-9 && abs(placement.determinant - 1) < 1e-9)
  }

  @Test func `the unit of the scene changes nothing in metres`() throws {
    var box = Self.box
    box.apply(Transform(scale: SIMD3(repeating: 100)))
    box.coordinateSystem.metersPerUnit = 0.01
    let context = StageContext()
    let scene = try cut(box, context) { $0.heights = lengths(1) }
    let report = try #require(context.notes.first { $0.key == "sections" }?.value.elements.first)
    #expect(report["lengthMeters"]?.number == 14 && report["areaSquareMeters"]?.number == 12)
    #expect(abs((scene.sections[0].curves[0].points.map(\.x).max() ?? 0) - 400) < 1e-3)
  }

  @Test func `curves are on the layers of classes, and heights count from the floor's`() throws {
    let room = SceneFixtures.classifiedRoom
    let context = StageContext()
    let scene = try cut(room, context) { $0.heights = lengths(0.3, 1) }
    let layers = Set(scene.sections.flatMap { $0.curves.map(\.layer) })
    #expect(layers.isSubset(of: ["wall", "floor", "table", "none"]) && layers.contains("wall"))
    #expect(context.notes.first { $0.key == "floor" }?.value.text == "class floor")
  }

  @Test func `planes beside the scene say where it is`() throws {
    let context = StageContext()
    let scene = try cut(Self.box, context) { $0.heights = lengths(5) }
    #expect(scene.sections.map(\.curves) == [[]])
    #expect(
      context.warnings == [
        "no face is cut at 5.00 m; the scene goes from 0.00 m to 2.50 m above the floor: try heights=1.25m"
      ])
    let aside = StageContext()
    _ = try cut(Self.box, aside) {
      $0.normal = NumberVector(SIMD3(1, 0, 0))
      $0.point = LengthVector(meters: SIMD3(9, 0, 0))
    }
    #expect(aside.warnings.count == 1)
  }

  @Test func `a section moves with its scene`() throws {
    var scene = try cut(Self.box)
    scene.apply(Transform(translation: SIMD3(1, 2, 3)))
    let corner = scene.sections[0].placement.apply(toPoint: SIMD3(0, 0, 0))
    #expect((corner - SIMD3(1, 2.2, 3)).length < 1e-9)
  }

  @Test(arguments: ["svg", "pdf", "dxf"])
  func `a drawing of nothing is an error before the run`(ending: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("scan.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    let request = PipelineRequest(input: folder.path + "/scan.obj")
    func errors(_ stage: String) -> [String] {
      let document = PipelineDocument(
        parsing: """
          { "meshpipe": 1, "stages": [{ "use": "\(stage)" }], "outputs": [{ "path": "a.\(ending)" }] }
          """, file: "test.json")
      let environment = PipelineEnvironment(stages: builtInStages, formats: builtInFormats)
      return document.resolve(in: environment, for: request).diagnostics
        .filter { $0.severity == .error }.map(\.message)
    }
    let found = errors("weld")
    #expect(found.count == 1 && found[0].contains("holds the building or sections"), "\(found)")
    #expect(found.first?.contains("'section' before it") == true)
    #expect(errors("section").isEmpty)
  }

  @Test(.needs("trimesh")) func `trimesh finds the same lengths and areas`() throws {
    let folder = try TemporaryFolder()
    let torus = MeshFixtures.torus()
    let vertices = torus.positions.map { "v \($0.x) \($0.y) \($0.z)\n" }.joined()
    let faces = (0..<torus.faceCount).map { face in
      let corners = torus.vertices(ofFace: face)
      return "f \(corners.0 + 1) \(corners.1 + 1) \(corners.2 + 1)\n"
    }
    try (vertices + faces.joined()).write(
      toFile: folder.path + "/t.obj", atomically: true, encoding: .utf8)
    let script = """
      import sys, numpy, trimesh
      mesh = trimesh.load(sys.argv[1], process=False, maintain_order=True)
      for height in sys.argv[2:]:
          cut = mesh.section(plane_origin=[float(height), 0, 0], plane_normal=[1, 0, 0])
          print(sum(entity.length(cut.vertices) for entity in cut.entities), len(cut.entities))
      """
    let places = [-0.6, -0.1, 0.03, 0.4]
    let run = try Program.run(
      Checkers.python, ["-c", script, folder.path + "/t.obj"] + places.map { "\($0)" })
    let lines = run.output.split(separator: "\n").map { $0.split(separator: " ") }
    try #require(lines.count == places.count, "\(run)")
    for (place, line) in zip(places, lines) {
      let context = StageContext()
      _ = try cut(Scene(meshes: [torus]), context) {
        $0.normal = NumberVector(SIMD3(1, 0, 0))
        $0.point = LengthVector(meters: SIMD3(place, 0, 0))
      }
      let report = try #require(context.notes.first { $0.key == "sections" }?.value.elements.first)
      #expect(report["curves"]?.number == Double(line[1]))
      let length = try #require(Double(line[0]))
      #expect(abs((report["lengthMeters"]?.number ?? 0) - length) < 1e-3, "\(place)")
    }
  }
}
