import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Photogrammetry
@testable import Stages

/// Synthetic captures of which it is known where they are.
@Suite struct GeoreferenceTests {
  /// Markers on a floor; z is up in what it makes.
  private func capture(scale: Double = 1) throws -> MarkerCapture {
    try MarkerCapture { $0.scale = scale }
  }

  private func scene(_ capture: MarkerCapture) -> Scene {
    var scene = capture.scene
    scene.coordinateSystem = .blender
    return scene
  }

  /// Some walls of 4 × 3 × 2.5 m about zero.
  private static let room = Mesh(
    name: "room",
    positions: (0..<8).map { corner in
      Vector3(
        SIMD3<Float>(
          corner & 1 == 0 ? -2 : 2, corner & 2 == 0 ? -1.5 : 1.5, corner & 4 == 0 ? -1.25 : 1.25))
    },
    indices: [0, 1, 2, 1, 3, 2, 4, 6, 5, 5, 6, 7])

  private let motion =
    Transform(translation: SIMD3(451_230.25, 5_764_310.5, 87.3))
    * Transform(rotationAbout: SIMD3(0, 0, 1), by: 37 * .pi / 180)

  /// A control point of a marker on the floor at its true place, or by so much elsewhere.
  private func point(_ print: MarkerCapture.Print, off: SIMD3<Double> = .zero) -> String {
    let place = motion.apply(toPoint: SIMD3(print.center.x, print.center.y, 0)) + off
    let name = print.identifier == 0 ? "aruco-6x6-50/0" : "\(print.identifier)"
    return "\(name) = [\(place.x), \(place.y), \(place.z)]"
  }

  private func parameters(_ points: [String], system: String? = "EPSG:25832") throws
    -> Georeference.Parameters
  {
    var parameters = Georeference.Parameters()
    parameters.points = try points.map { try ControlPoint(json: .init(.string($0))) }
    parameters.system = try system.map { try MapChoice(json: .init(.string($0))) }
    return parameters
  }

  private func run(
    _ parameters: Georeference.Parameters, _ scene: Scene
  ) throws -> (scene: Scene, context: StageContext) {
    let context = StageContext()
    return (try Georeference(parameters).run(scene, in: context), context)
  }

  private func message(_ parameters: Georeference.Parameters, _ scene: Scene) -> String {
    Georeference(parameters).refusal(of: scene)
  }

  // MARK: Control points

  @Test func `markers with known places put the scan there`() throws {
    let capture = try capture()
    let (placed, context) = try run(
      parameters(MarkerCapture.prints.prefix(4).map { point($0) }), scene(capture))
    #expect(placed.coordinateSystem == .blender)
    #expect(placed.survey?.referenceSystem?.words == "EPSG:25832 (ETRS89 / UTM zone 32N)")
    #expect(placed.survey?.referenceSystem?.isLeft == false)
    for (before, after) in zip(capture.scene.meshes[0].positions, placed.meshes[0].positions) {
      let expected = motion.apply(toPoint: before.double)
      #expect((after.double + placed.origin - expected).length < 0.004)
    }
    let before = try #require(capture.scene.capture?.frames.first?.pose)
    let after = try #require(placed.capture?.frames.first?.pose)
    let expected = motion.apply(toPoint: before.translation)
    #expect((after.translation + placed.origin - expected).length < 0.004)
    #expect(try context.figure("residualMillimeters") < 2)
    // What was ahead, y, lies 37° to the left of north.
    #expect(try abs(context.figure("heading") - (360 - 37)) < 0.3)
    #expect(try abs(context.figure("scaleByPoints") - 1) < context.figure("scaleUncertainty"))
    // They are 45 cm apart at most.
    #expect(context.warnings.count == 1, "\(context.warnings)")
    #expect(
      context.warnings.first?.contains("since the control points are near each other") == true)
  }

  @Test func `points of the scene do without photographs, and without a known up`() throws {
    var scene = Scene(name: "a", meshes: [Self.room])
    scene.coordinateSystem = .arkit
    let tilted = motion * Transform(rotationAbout: SIMD3(1, 1, 0).normalized, by: 1)
    let flat = scene.coordinateSystem.transform(to: .blender)
    let corners: [SIMD3<Double>] = [
      SIMD3(-2, -1.5, -1.25), SIMD3(2, -1.5, -1.25), SIMD3(2, 1.5, 1.25),
    ]
    let points = corners.map { corner in
      let place = tilted.apply(toPoint: flat.apply(toPoint: corner))
      return
        "[\(corner.x), \(corner.y), \(corner.z)] = [\(place.x), \(place.y), \(place.z)]"
    }
    var free = try parameters(points, system: nil)
    #expect(message(free, scene).contains("do not fit the scan within 100 mm"))
    free.level = false
    let (placed, context) = try run(free, scene)
    for (before, after) in zip(scene.meshes[0].positions, placed.meshes[0].positions) {
      let expected = tilted.apply(toPoint: flat.apply(toPoint: before.double))
      #expect((after.double + placed.origin - expected).length < 1e-3)
    }
    #expect(try context.figure("residualMillimeters") < 0.1)
    #expect(placed.survey?.referenceSystem?.code == nil)
  }

  @Test func `one point needs a heading`() throws {
    let capture = try capture()
    let scene = scene(capture)
    var one = try parameters([point(MarkerCapture.prints[0])])
    #expect(message(one, scene).contains("not how it is turned: give a second one, or 'heading'"))
    one.heading = Angle(degrees: -37)
    let (placed, _) = try run(one, scene)
    let expected = motion.apply(toPoint: scene.meshes[0].positions[2].double)
    #expect((placed.meshes[0].positions[2].double + placed.origin - expected).length < 0.004)
  }

  @Test func `a point that is wrong is named`() throws {
    var points = MarkerCapture.prints.prefix(5).map { point($0) }
    points[2] = point(MarkerCapture.prints[2], off: SIMD3(0, 1, 0))
    let capture = try capture()
    let words = message(try parameters(points), scene(capture))
    #expect(words.contains("do not fit the scan within 100 mm"), "\(words)")
    #expect(words.contains("without '2' the others agree: check its coordinates"), "\(words)")
  }

  @Test func `a scan of a wrong scale is told, and scaled if asked`() throws {
    let capture = try capture(scale: 0.9)
    var all = try parameters(MarkerCapture.prints.prefix(6).map { point($0) })
    all.tolerance = Length(meters: 0.005)
    let words = message(all, scene(capture))
    #expect(words.contains("they would agree: 'scale: true' takes it"), "\(words)")
    all.tolerance = Length(meters: 0.1)
    let (kept, context) = try run(all, scene(capture))
    #expect(context.warnings.contains { $0.contains("% too small") })
    #expect(abs(SIMD3<Double>(kept.bounds.size).z - 0.54) < 0.002)
    all.scale = true
    let (scaled, _) = try run(all, scene(capture))
    #expect(abs(SIMD3<Double>(scaled.bounds.size).z - 0.6) < 0.004)
  }

  @Test func `points that no photograph shows are left out with a word`() throws {
    let capture = try capture()
    let scene = scene(capture)
    let known = MarkerCapture.prints.prefix(2).map { point($0) }
    let (_, context) = try run(parameters(known + ["40 = [1, 2, 3]"]), scene)
    #expect(context.warnings.contains { $0.hasSuffix("are left out: 40") })
    let words = message(try parameters(["aruco-6x6-50/40 = [1, 2, 3]"]), scene)
    #expect(words.contains("none of the markers aruco-6x6-50/40"), "\(words)")
    #expect(message(try parameters(known + [known[1]]), scene).contains("'1' is given twice"))
  }

  @Test func `codes that are no map are refused`() throws {
    let capture = try capture()
    let scene = scene(capture)
    let points = MarkerCapture.prints.prefix(2).map { point($0) }
    let degrees = message(try parameters(points, system: "4326"), scene)
    #expect(degrees.contains("EPSG:4326 (WGS 84) is not a map in metres or feet"), "\(degrees)")
    #expect(
      message(try parameters(points, system: "EPSG:999999"), scene)
        == "PROJ knows no reference system EPSG:999999")
    #expect(message(try parameters(points, system: "utm"), scene).contains("give its code"))
  }

  @Test(arguments: [
    "7", "7 = 1, 2, 3", "7 = [1, 2]", "7 = [1, 2, x]", "7 = [1, 2, 3] = 4", "x = [1, 2, 3]",
    "[1, 2] = [1, 2, 3]", "7 = [1, 2, inf]",
  ])
  func `a point that can't be read is an error of the pipeline`(text: String) {
    #expect(throws: ParameterFault.self) { try ControlPoint(json: .init(.string(text))) }
  }

  // MARK: Photographs

  /// A walk about a place, whose photographs say where they were taken, with errors.
  ///
  /// - Parameters:
  ///   - radius: Of the walk, in metres.
  ///   - bearings: Whether the photographs have directions.
  private func walk(radius: Double, bearings: Bool, in folder: TemporaryFolder) throws -> Scene {
    let turn = Transform(rotationAbout: SIMD3(0, 0, 1), by: 0.6)
    let plane = LocalTangentPlane(at: GeographicPosition(latitude: 50.1, longitude: 8.6))
    let (east, north) = (
      plane.place(GeographicPosition(latitude: 50.1, longitude: 8.601)).x / 0.001,
      plane.place(GeographicPosition(latitude: 50.101, longitude: 8.6)).y / 0.001
    )
    var frames: [Capture.Frame] = []
    var lines: [String] = []
    for index in 0..<24 {
      let angle = 2 * .pi * Double(index) / 24
      let place = SIMD3(radius * cos(angle), radius * sin(angle), 1.5)
      let forward = SIMD3(-sin(angle), cos(angle), 0)
      let pose = Transform(
        x: forward.cross(SIMD3(0, 0, 1)), y: SIMD3(0, 0, 1), z: -forward, translation: place)
      let path = "\(folder.path)/\(index).jpg"
      frames.append(
        Capture.Frame(
          name: "\(index)", image: .file(path), imageSize: SIMD2(32, 24),
          intrinsics: Capture.Intrinsics(
            focalLength: SIMD2(24, 24), principalPoint: SIMD2(16, 12)), pose: pose))
      let (there, ahead) = (turn.apply(toPoint: place), turn.apply(toVector: forward))
      // Errors of a few metres that change slowly.
      let error = SIMD2(2 * sin(angle + 1), 2 * cos(2 * angle))
      let bearing = 90 - SIMD2(ahead.x, ahead.y).angle * 180 / .pi + 3 * sin(5 * angle)
      lines.append(
        "\(path) \(50.1 + (there.y + error.y) / north) \(8.6 + (there.x + error.x) / east) "
          + "\(bearings ? (bearing + 720).truncatingRemainder(dividingBy: 360) : -1)")
    }
    let script = """
      import sys
      from PIL import Image, TiffImagePlugin
      def fraction(value, below): return TiffImagePlugin.IFDRational(round(value * below), below)
      def angle(value): return (fraction(int(value), 1), fraction(0, 1), fraction((value % 1) * 3600, 100000))
      for line in sys.argv[1:]:
        path, latitude, longitude, bearing = line.split()
        gps = {1: "N", 2: angle(float(latitude)), 3: "E", 4: angle(float(longitude)), 6: fraction(140, 1), 31: fraction(4, 1)}
        if float(bearing) >= 0: gps.update({16: "T", 17: fraction(float(bearing), 100)})
        exif = Image.Exif()
        exif[0x8825] = gps
        Image.new("RGB", (32, 24)).save(path, exif=exif)
      """
    let run = try Program.run(Checkers.python, ["-c", script] + lines)
    try #require(run.status == 0, "\(run)")
    var scene = Scene(
      name: "walk", meshes: [Self.room], capture: Capture(frames: frames))
    scene.coordinateSystem = .blender
    return scene
  }

  @Test(.needs("PIL")) func `a long walk tells place and turn`() throws {
    let folder = try TemporaryFolder()
    let (placed, context) = try run(
      Georeference.Parameters(), walk(radius: 60, bearings: false, in: folder))
    #expect(placed.survey?.referenceSystem?.words == "EPSG:32632 (WGS 84 / UTM zone 32N)")
    // PROJ: 50.1° N, 8.6° E in EPSG:32632.
    #expect(try abs(context.figure("east") - 471_392.72) < 1)
    #expect(try abs(context.figure("north") - 5_549_825.86) < 1)
    // Grid north is a third of a degree off there.
    #expect(try abs(context.figure("heading") - (360 - 0.6 * 180 / .pi)) < 2)
    #expect(try context.figure("positionUncertainty") == 8)
    #expect(try context.figure("headingUncertainty") < 10)
  }

  @Test(.needs("PIL")) func `in a room the compass tells the turn, and nothing else can`() throws {
    let folder = try TemporaryFolder()
    let (_, context) = try run(
      Georeference.Parameters(), walk(radius: 2, bearings: true, in: folder))
    #expect(try abs(context.figure("heading") - (360 - 0.6 * 180 / .pi)) < 3)
    #expect(try context.figure("headingUncertainty") >= 10)
    let blind = try walk(radius: 2, bearings: false, in: folder)
    let words = message(Georeference.Parameters(), blind)
    #expect(words.contains("how the scan is turned is known to ± "), "\(words)")
    var told = Georeference.Parameters()
    told.heading = Angle(degrees: 100)
    told.system = .local
    let (placed, given) = try run(told, blind)
    #expect(try given.figure("heading") == 100)
    #expect(
      placed.survey?.referenceSystem?.name?.hasPrefix("east, north and up about 50.1") == true)
  }

  @Test func `a scan without photographs needs points`() throws {
    let scene = Scene(name: "a", meshes: [Self.room])
    #expect(message(Georeference.Parameters(), scene).hasPrefix("nothing says where the scan is"))
  }
}
