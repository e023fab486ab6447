import Formats
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// Distances between two scenes, against what geometry says.
struct CompareTests {
  /// A square around the origin, at a height.
  private static func square(side: Float, height: Float = 0, unit: Double = 1) -> Scene {
    let half = side / 2
    let mesh = Mesh(
      positions: [
        Vector3(-half, height, half), Vector3(half, height, half), Vector3(half, height, -half),
        Vector3(-half, height, -half),
      ],
      indices: [0, 1, 2, 0, 2, 3])
    var system = CoordinateSystem.arkit
    system.metersPerUnit = unit
    return Scene(meshes: [mesh], coordinateSystem: system)
  }

  private func compared(
    _ one: Scene, _ other: Scene, _ change: (inout Compare.Parameters) -> Void = { _ in }
  ) throws -> (figures: JSONValue, result: Scene) {
    var parameters = Compare.Parameters()
    parameters.samples = 20_000
    change(&parameters)
    let context = StageContext()
    context.lend([parameters.to: other])
    let result = try Compare(parameters).run(one, in: context)
    let members = context.notes.map { JSONValue.Member($0.key, $0.value) }
    return (JSONValue(.object(members)), result)
  }

  private func number(_ json: JSONValue, _ path: String...) throws -> Double {
    let value = path.reduce(Optional(json)) { $0?[$1] }
    guard case .number(let number) = try #require(value).content else {
      throw Missing(path: path)
    }
    return number
  }

  private struct Missing: Error { var path: [String] }

  @Test func `parallel squares are their distance apart`() throws {
    let (figures, result) = try compared(
      Self.square(side: 1, height: 0.25), Self.square(side: 1))
    for name in ["mean", "rms", "median", "p95", "max"] {
      #expect(abs(try number(figures, "distance", name) - 0.25) < 1e-6)
    }
    #expect(abs(try number(figures, "forward", "signedMean") - 0.25) < 1e-6)
    #expect(abs(try number(figures, "backward", "signedMean") + 0.25) < 1e-6)
    #expect(try number(figures, "normals", "max") == 0)
    #expect(figures["colors"] == nil)
    #expect(figures["classes"] == nil)
    #expect(result == Self.square(side: 1, height: 0.25))
  }

  @Test func `a part is near the whole, and the whole far from the part`() throws {
    let (figures, _) = try compared(Self.square(side: 1), Self.square(side: 2))
    #expect(try number(figures, "forward", "max") < 1e-6)
    // Four strips of .5 by 1 with a mean of .25, four corners of .5 by .5 whose mean distance from their inner corner is
    // .5 (√2 + ln(1 + √2)) / 3.
    let corner = 0.5 * (2.0.squareRoot() + 0.881_373_587) / 3
    let mean = (4 * 0.5 * 0.25 + 4 * 0.25 * corner) / 4
    #expect(abs(try number(figures, "backward", "mean") - mean) < 0.002 * mean)
    #expect(abs(try number(figures, "distance", "max") - 0.5.squareRoot()) < 1e-6)
    let at = try #require(figures["backward"]?["at"]?.elements).compactMap(\.number)
    #expect(at.map(abs) == [1, 0, 1])
  }

  @Test func `axes and units of the other are converted`() throws {
    var other = Self.square(side: 1)
    other.convert(to: CoordinateSystem.arkit.reread(up: .z, metersPerUnit: 0.001))
    let (figures, _) = try compared(Self.square(side: 1, height: 0.5), other)
    #expect(abs(try number(figures, "distance", "max") - 0.5) < 1e-6)
    let (inCentimeters, _) = try compared(
      Self.square(side: 100, height: 25, unit: 0.01), Self.square(side: 1))
    #expect(abs(try number(inCentimeters, "distance", "max") - 0.25) < 1e-6)
  }

  @Test func `points are measured to the nearest point, or to faces`() throws {
    let cloud = PointCloud(positions: [
      Vector3(0, 0.3, 0), Vector3(0.2, -0.1, 0), Vector3(.nan, 0, 0),
    ])
    let points = Scene(pointClouds: [cloud])
    let (toFaces, _) = try compared(points, Self.square(side: 2))
    #expect(abs(try number(toFaces, "forward", "max") - 0.3) < 1e-6)
    #expect(abs(try number(toFaces, "forward", "mean") - 0.2) < 1e-6)
    #expect(abs(try number(toFaces, "forward", "signedMean") - 0.1) < 1e-6)
    let other = Scene(pointClouds: [PointCloud(positions: [Vector3(0, 0, 0)])])
    let (toPoints, _) = try compared(points, other)
    #expect(abs(try number(toPoints, "forward", "max") - 0.3) < 1e-6)
    #expect(abs(try number(toPoints, "backward", "max") - 0.05.squareRoot()) < 1e-6)
    #expect(toPoints["normals"] == nil)
  }

  @Test func `classes and colours are compared at the nearest place`() throws {
    func scene(_ labels: [UInt16], _ color: Color, height: Float) -> Scene {
      var scene = Self.square(side: 1, height: height)
      scene.meshes[0].classes = FaceClasses(labels: labels)
      scene.meshes[0].colors = [Color](repeating: color, count: 4)
      return scene
    }
    let (figures, _) = try compared(
      scene([1, 2], Color(red: 255, green: 0, blue: 0), height: 0.1),
      scene([1, 1], Color(red: 255, green: 255, blue: 255), height: 0))
    #expect(abs(try number(figures, "classes", "agreement") - 0.5) < 0.001)
    // White and the red of sRGB.
    #expect(abs(try number(figures, "colors", "mean") - 45.8) < 0.1)
    let table = try #require(figures["classes"]?["table"]?.elements)
    #expect(Set(table.compactMap { $0["first"]?.text }) == ["wall", "floor"])
    #expect(table.allSatisfy { $0["second"]?.text == "wall" })
  }

  @Test func `colours show the distance`() throws {
    var one = Self.square(side: 1, height: 0.1)
    one.meshes[0].positions[0].y = -0.1
    one.meshes[0].positions[1].y = 0
    let (_, result) = try compared(one, Self.square(side: 4)) {
      ($0.show, $0.range) = (.distance, Length(meters: 0.1))
    }
    let colors = try #require(result.meshes[0].colors)
    #expect(colors[0] == Color(red: 49, green: 54, blue: 149))
    #expect(colors[1] == Color(red: 255, green: 255, blue: 191))
    #expect(colors[2] == Color(red: 165, green: 0, blue: 38))
  }

  @Test func `what is empty is said, and meets no condition`() throws {
    let context = StageContext()
    let stage = Compare(Compare.Parameters())
    context.lend([SceneReference("input"): Self.square(side: 1)])
    #expect(try stage.run(Scene(meshes: []), in: context).faceCount == 0)
    #expect(
      context.warnings == [
        "the scene has neither faces with an area nor points, so nothing can be compared"
      ])
    let failure = #expect(throws: RunFailure.self) {
      try run("distance.max < 1m", on: Scene(meshes: []))
    }
    #expect(failure?.exitCode == .data)
  }

  @Test func `what is not measured is said`() throws {
    var mixed = Self.square(side: 1)
    mixed.pointClouds = [PointCloud(positions: [Vector3(0, 5, 0)])]
    let context = StageContext()
    context.lend([SceneReference("input"): Self.square(side: 1)])
    _ = try Compare(Compare.Parameters()).run(mixed, in: context)
    #expect(
      context.warnings == ["the scene has faces and points, of which only the faces are compared"])
    var huge = Self.square(side: 1)
    huge.meshes[0].positions[0].x = 1e30
    #expect(throws: (any Error).self) { try compared(Self.square(side: 1), huge) }
    // A face without area at a place of its own is no surface.
    var speck = Self.square(side: 1)
    speck.meshes[0].positions.append(Vector3(0, 1, 0))
    speck.meshes[0].indices += [4, 4, 4]
    let (figures, _) = try compared(Self.square(side: 1, height: 1), speck)
    #expect(abs(try number(figures, "forward", "max") - 1) < 1e-6)
  }

  @Test func `a figure that is not known meets no condition, whatever stands around it`() throws {
    let square = Self.square(side: 1)
    for condition in [
      "classes.agreement > 0.9", "not classes.agreement > 0.9",
      "faces > 0 and not (classes.agreement < 0.5)",
    ] {
      #expect(throws: RunFailure.self) { try run(condition, on: square) }
    }
    #expect(throws: Never.self) { try run("faces > 0 or classes.agreement > 0.9", on: square) }
  }

  /// Moves a scene by 3 mm and compares it with itself.
  private func run(_ expect: String, on scene: Scene) throws {
    let folder = try TemporaryFolder()
    let document = PipelineDocument(
      parsing: """
        { "meshpipe": 1, "stages": [
          { "use": "transform", "with": { "translate": [0, "3mm", 0] } },
          { "use": "compare", "expect": "\(expect)" } ],
          "outputs": [ { "path": "\(folder.path)/out.ply" } ] }
        """, file: "check.json")
    let environment = PipelineEnvironment(stages: builtInStages, formats: builtInFormats)
    let pipeline = try document.resolve(in: environment, for: PipelineRequest()).get()
    _ = try PipelineRunner(pipeline).run(on: scene)
  }

  @Test func `a condition asks for the figures`() throws {
    let square = Self.square(side: 1)
    #expect(throws: Never.self) {
      try run("distance.max < 3.1mm and forward.signedMean > 2.9mm", on: square)
    }
    let failure = #expect(throws: RunFailure.self) { try run("distance.max < 2mm", on: square) }
    #expect(failure?.message.contains("distance.max is ") == true, "\(failure?.message ?? "")")
    #expect(failure?.exitCode == .data)
    let wrong = #expect(throws: InvalidPipeline.self) {
      try run("distance.maximum < 2mm", on: square)
    }
    let message = wrong?.diagnostics.first?.message ?? ""
    #expect(message.contains("unknown name 'distance.maximum'"), "\(message)")
  }
}
