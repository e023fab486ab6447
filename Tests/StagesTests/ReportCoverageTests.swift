import MeshPipeline
import MeshTestSupport
import Testing

@testable import Photogrammetry
@testable import Stages

struct ReportCoverageTests {
  /// A floor of 4 m by 2 m at Y = 0 with its left half of class floor, its right half of class table.
  static func floor(cells: Int = 4) -> Mesh {
    var mesh = MeshFixtures.grid(columns: 2 * cells, rows: cells)
    let scale = 2 / Float(cells)
    mesh.positions = mesh.positions.map { Vector3($0.simd * scale) }
    mesh.classes = FaceClasses(
      labels: (0..<mesh.faceCount).map { face in
        let (a, b, c) = mesh.vertices(ofFace: face)
        let x = [a, b, c].map { mesh.positions[Int($0)].x }.reduce(0, +) / 3
        return x < 2 ? 2 : 4
      })
    return mesh
  }

  /// A camera that looks straight down and sees a square of the floor, `side` wide.
  static func camera(_ name: String, over x: Double, side: Double) -> Capture.Frame {
    Capture.Frame(
      name: name, image: .file("\(name).jpg"), imageSize: SIMD2(400, 400),
      intrinsics: Capture.Intrinsics(
        focalLength: SIMD2(400, 400), principalPoint: SIMD2(200, 200)),
      pose: Transform(
        x: SIMD3(1, 0, 0), y: SIMD3(0, 0, -1), z: SIMD3(0, 1, 0),
        translation: SIMD3(x, side, 1)))
  }

  static func run(
    _ scene: Scene, _ change: (inout ReportCoverage.Parameters) -> Void = { _ in }
  ) throws -> (scene: Scene, notes: [String: JSONValue]) {
    var parameters = ReportCoverage.Parameters()
    parameters.samples = 3200
    change(&parameters)
    let context = StageContext()
    let result = try ReportCoverage(parameters).run(scene, in: context)
    return (
      result, Dictionary(uniqueKeysWithValues: context.notes.map { ($0.key, $0.value) })
    )
  }

  @Test func `areas by class are what cameras above a floor see`() throws {
    // Two see the left half, one of them from half as high; nobody sees the right one.
    let scene = Scene(
      meshes: [Self.floor()],
      capture: Capture(frames: [
        Self.camera("a", over: 1, side: 2), Self.camera("b", over: 1, side: 1),
      ]))
    let (result, notes) = try Self.run(scene)
    let all = try #require(notes["coverage"])
    func number(_ value: JSONValue, _ keys: String...) -> Double {
      keys.reduce(Optional(value)) { $0?[$1] }?.number ?? .nan
    }
    #expect(abs(number(all, "area") - 8) < 1e-3)
    // The border of two pixels is not used: 2 m are 396 pixels, 1 m is as well.
    let (outer, inner) = (4 * 0.99 * 0.99, 0.99 * 0.99)
    #expect(abs(number(all, "unseenArea") - (8 - outer)) < 0.05)
    #expect(abs(number(all, "seenBy", "2") - inner / 8) < 0.01)
    #expect(abs(number(all, "seenBy", "1") - (outer - inner) / 8) < 0.01)
    let byClass = try #require(notes["coverageByClass"])
    #expect(number(try #require(byClass["table"]), "seenBy", "0") == 1)
    #expect(abs(number(try #require(byClass["floor"]), "unseenArea") - (4 - outer)) < 0.05)
    // 400 px at 2 m and at 1 m, less where the ray is slanted.
    #expect((180...200).contains(number(all, "resolution", "50%")))
    #expect((300...400).contains(number(all, "resolution", "90%")))

    let colors = try #require(result.meshes[0].colors)
    func color(_ x: Float, _ z: Float) -> Color {
      colors[result.meshes[0].positions.firstIndex { $0 == Vector3(x, 0, z) } ?? 0]
    }
    #expect(color(1, 1) == CoverageScale.views.stops[2].color)
    #expect(color(3, 1) == CoverageScale.views.stops[0].color)
  }

  @Test func `what something hides is not seen`() throws {
    var scene = Scene(
      meshes: [Self.floor()],
      capture: Capture(frames: [Self.camera("a", over: 1, side: 2)]))
    // A tray of 1 m by 1 m half way up hides all that lies below it, from a camera in its middle.
    var tray = MeshFixtures.grid(columns: 1, rows: 1)
    tray.positions = tray.positions.map { Vector3($0.x + 0.5, 1, $0.z + 0.5) }
    scene.meshes.append(tray)
    let notes = try Self.run(scene).notes
    let seen = try #require(notes["coverage"]?["seenBy"]?["1"]?.number)
    // The tray, in place of all that lay behind it.
    #expect(abs(seen * 9 - 1) < 0.1)
    #expect(notes["coverageByClass"]?["none"]?["seenBy"]?["1"]?.number ?? 0 > 0.9)
  }

  @Test func `resolution is shown in colours between those of the scale`() throws {
    let scene = Scene(
      meshes: [Self.floor()], capture: Capture(frames: [Self.camera("a", over: 1, side: 2)]))
    let (result, _) = try Self.run(scene) { $0.show = .resolution }
    let colors = try #require(result.meshes[0].colors)
    let middle = try #require(
      result.meshes[0].positions.firstIndex { $0 == Vector3(1, 0, 1) })
    // 200 px/m lies between red at 125 and orange at 250.
    let share = 0.678
    #expect(colors[middle].green == UInt8((48 + (174 - 48) * share).rounded()))
    let none = try Self.run(scene) { $0.minimumResolution = 300 }
    #expect(none.notes["coverage"]?["seenBy"]?["0"]?.number == 1)
  }

  @Test func `the scale is exact at its stops and never beyond`() {
    for scale in [CoverageScale.views, .resolution] {
      for stop in scale.stops { #expect(scale.color(of: stop.value) == stop.color) }
      #expect(scale.color(of: 1e9) == scale.stops.last?.color)
      #expect(scale.color(of: scale.stops[1].value / 2) == scale.stops[1].color)
    }
    #expect(ReportCoverage.discussion.contains("red one, orange two"))
  }

  @Test func `a furnished room is seen but for what lies below the furniture`() throws {
    let capture = try SyntheticCapture {
      $0.frameCount = 12
      $0.size = SIMD2(80, 60)
      $0.samples = 1
    }
    let (result, notes) = try Self.run(capture.scene) { $0.samples = 1000 }
    #expect(notes["coverageByClass"]?["table"]?["seenBy"]?["0"]?.number ?? 1 < 0.5)
    #expect(notes["coverage"]?["seenBy"]?["0"]?.number ?? 0 > 0.01)
    #expect(result.meshes[0].colors?.count == capture.scene.meshes[0].vertexCount)
    #expect(result.capture == capture.scene.capture)
  }

  @Test func `faces without frames are an error that tells what to do`() {
    #expect(throws: ReportCoverage.Failure.noFrames) {
      try Self.run(Scene(meshes: [Self.floor()]))
    }
  }
}
