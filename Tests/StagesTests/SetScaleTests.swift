import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Photogrammetry
@testable import Stages

/// The true size of synthetic captures is known, as are their errors.
@Suite struct SetScaleTests {
  /// The options of the stage as a pipeline writes them.
  private func parameters(
    markers: [String] = ["aruco-6x6-50 5cm"], boards: [String] = [], distances: [String] = []
  ) throws -> SetScale.Parameters {
    var parameters = SetScale.Parameters()
    parameters.markers = try markers.map { try MarkerSize(json: .init(.string($0))) }
    parameters.boards = try boards.map { try MarkerBoard(json: .init(.string($0))) }
    parameters.distances = try distances.map { try KnownDistance(json: .init(.string($0))) }
    return parameters
  }

  /// The scene of a run, and its figures and warnings.
  private func run(
    _ parameters: SetScale.Parameters, _ scene: Scene
  ) throws -> (scene: Scene, context: StageContext) {
    let context = StageContext()
    return (try SetScale(parameters).run(scene, in: context), context)
  }

  private func message(_ parameters: SetScale.Parameters, _ scene: Scene) -> String {
    SetScale(parameters).refusal(of: scene)
  }

  // MARK: The scale

  @Test(arguments: [0.97, 1.0, 1.03])
  func `poses and mesh of a wrong size get the true one`(size: Double) throws {
    let capture = try MarkerCapture { $0.scale = size }
    let (scene, context) = try run(parameters(), capture.scene)
    let factor = try context.figure("scaleFactor")
    #expect(abs(factor * size - 1) < 0.002)
    #expect(try abs(factor * size - 1) < context.figure("scaleUncertainty"))
    #expect(try context.figure("scaleUncertainty") < 0.005)
    #expect(context.warnings.isEmpty, "\(context.warnings)")
    let width = SIMD3<Double>(scene.bounds.size).x
    #expect(abs(width - 1.2) < 0.0025)
    let before = try #require(capture.scene.capture?.frames.last?.pose)
    let after = try #require(scene.capture?.frames.last?.pose)
    #expect((after.translation - before.translation * factor).length < 1e-6)
    #expect((after.x - before.x).length < 1e-12)
  }

  @Test func `a lens that bends is no error of the size`() throws {
    let capture = try MarkerCapture {
      $0.scale = 1.02
      $0.distortion = .radialTangential(
        numerator: SIMD3(0.1, -0.05, 0), denominator: .zero, tangential: .zero)
    }
    let (_, context) = try run(parameters(), capture.scene)
    #expect(try abs(context.figure("scaleFactor") * 1.02 - 1) < 0.002)
  }

  @Test func `the unit of the coordinates makes no difference`() throws {
    let capture = try MarkerCapture { $0.scale = 0.98 }
    var millimeters = capture.scene
    millimeters.coordinateSystem.metersPerUnit = 0.001
    millimeters.apply(Transform(scale: SIMD3(repeating: 1000)))
    let (_, context) = try run(
      parameters(distances: ["0 to 2 = 30cm"]), millimeters)
    #expect(try abs(context.figure("scaleFactor") * 0.98 - 1) < 0.002)
    #expect(try abs(context.figure("meshOffsetMillimeters")) < 0.5)
  }

  @Test func `a distance of two markers is enough, and their sizes need not be known`() throws {
    let capture = try MarkerCapture { $0.scale = 0.95 }
    let (_, context) = try run(
      parameters(markers: [], distances: ["aruco-6x6-50/0 to aruco-6x6-50/5 = 0.3354102m"]),
      capture.scene)
    #expect(try abs(context.figure("scaleFactor") * 0.95 - 1) < 0.001)
  }

  @Test func `points do for a mesh without photographs`() throws {
    var scene = try MarkerCapture { $0.frameCount = 1 }.scene
    scene.capture = nil
    let (scaled, context) = try run(
      parameters(markers: [], distances: ["[-0.6, -0.5, 0] to [60cm, -0.5, 0] = 1.25"]), scene)
    #expect(try abs(context.figure("scaleFactor") - 1.25 / 1.2) < 1e-6)
    #expect(abs(Double(scaled.bounds.size.x) - 1.25) < 1e-6)
  }

  @Test(arguments: [0, 1])
  func `a board is measured by where its markers are`(parity: Int) throws {
    var number = 0
    var prints: [MarkerCapture.Print] = []
    for row in 0..<4 {
      for column in 0..<5 where (row + column) % 2 == parity {
        var print = MarkerCapture.Print(
          number, at: SIMD2(Double(column) * 0.08 - 0.16, 0.24 - Double(row) * 0.08))
        // Printed larger than they should be.
        print.side = 0.052
        prints.append(print)
        number += 1
      }
    }
    let capture = try MarkerCapture {
      $0.prints = prints
      $0.scale = 1.04
    }
    let (_, context) = try run(
      parameters(markers: [], boards: ["aruco-6x6-50 5x4 8cm"]), capture.scene)
    #expect(try abs(context.figure("scaleFactor") * 1.04 - 1) < 0.001)
  }

  // MARK: Depth maps and mesh

  @Test(arguments: [(1.0, 1.0), (0.97, 1 / 0.97)])
  func `depth maps that are right stay, and those that agree with the poses go along`(
    depthScale: Double, factor: Double
  ) throws {
    let capture = try MarkerCapture {
      $0.scale = 0.97
      $0.depthScale = depthScale
    }
    let (scene, context) = try run(parameters(), capture.scene)
    let scale = try #require(scene.capture?.frames.first?.depth?.scale)
    #expect(abs(scale / factor - 1) < 0.002)
    #expect(try abs(context.figure("depthsAtMarkers") - 1) < 0.005)
  }

  @Test func `a mesh that floats is moved onto the markers`() throws {
    let capture = try MarkerCapture {
      $0.scale = 0.98
      $0.meshOffset = 0.03
    }
    let (scene, context) = try run(parameters(), capture.scene)
    #expect(try abs(context.figure("scaleFactor") * 0.98 - 1) < 0.002)
    #expect(try context.figure("markersOnMesh") < 0.97)
    #expect(try abs(context.figure("markersOnMovedMesh") - 1) < 0.003)
    #expect(abs(scene.meshes[0].positions[0].z) < 0.002)
    #expect(context.warnings.contains { $0.contains("it was moved onto them") })
    var parameters = try parameters()
    parameters.fitMesh = false
    let (left, other) = try run(parameters, capture.scene)
    #expect(abs(left.meshes[0].positions[0].z - 0.03) < 0.001)
    #expect(other.warnings.contains { $0.contains("before the markers") })
  }

  // MARK: What is wrong

  @Test func `a wrong dictionary is named, and the right one`() throws {
    let capture = try MarkerCapture()
    let scene = capture.scene
    let text = message(try parameters(markers: ["apriltag-36h11 5cm"]), scene)
    #expect(text.contains("no marker of apriltag-36h11 is in 8 photographs"))
    #expect(text.contains("'aruco-6x6-250'"))
    let none = try MarkerCapture {
      $0.prints = []
      $0.frameCount = 3
    }
    #expect(message(try parameters(), none.scene).contains("nor one of another dictionary"))
  }

  @Test func `a scan without photographs says so`() throws {
    var scene = try MarkerCapture { $0.frameCount = 1 }.scene
    scene.capture = nil
    #expect(message(try parameters(), scene).contains("no photographs"))
  }

  @Test func `photographs from one place say nothing of a size`() throws {
    let still = try MarkerCapture {
      $0.isStill = true
      $0.frameCount = 1
    }
    #expect(message(try parameters(), still.scene).contains("from one place only"))
  }

  @Test func `a size in the wrong unit is refused, unless any is allowed`() throws {
    let capture = try MarkerCapture()
    let scene = capture.scene
    var wrong = try parameters(markers: ["aruco-6x6-50 50cm"])
    #expect(message(wrong, scene).contains("nearly 10"))
    wrong.maximumChange = 0
    let (_, context) = try run(wrong, scene)
    #expect(try abs(context.figure("scaleFactor") - 10) < 0.02)
  }

  @Test func `sizes that contradict each other are refused`() throws {
    let capture = try MarkerCapture()
    let scene = capture.scene
    let text = message(try parameters(distances: ["0 to 5 = 35cm"]), scene)
    #expect(text.contains("contradict each other"))
    #expect(text.contains("markers of 50 mm") && text.contains("the distance '0 to 5 = 35cm'"))
  }

  @Test func `markers that move, of another size, or twice there are left out`() throws {
    let capture = try MarkerCapture {
      $0.scale = 0.97
      $0.prints[0].moves = (4, SIMD2(-0.05, 0.02))
      $0.prints[4].side = 0.046
      $0.prints[7].identifier = 6
    }
    let (_, context) = try run(parameters(), capture.scene)
    #expect(try abs(context.figure("scaleFactor") * 0.97 - 1) < 0.002)
    #expect(
      context.warnings.contains {
        $0.contains("elsewhere in other photographs") && $0.contains(": 0;")
      })
    #expect(
      context.warnings.contains { $0.contains("not markers of 50 mm") && $0.hasSuffix(": 4") })
    #expect(context.warnings.contains { $0.contains("have the number 6") })
  }

  @Test(arguments: [
    ("markers", "aruco-6x6-50"), ("markers", "aruco-6x6-55 5cm"), ("markers", "aruco-6x6-50 -5cm"),
    ("boards", "aruco-6x6-50 11 22mm"), ("boards", "aruco-6x6-50 1x8 22mm"),
    ("distances", "3 to 4"), ("distances", "3 = 2m"), ("distances", "3 to 3 = 2m"),
    ("distances", "3 to [1, 2] = 2m"), ("distances", "3 to x/4 = 2m"),
    ("distances", "3 to 4 = two"),
  ])
  func `what can't be read is a fault of the option`(option: String, text: String) throws {
    let definition = StageDefinition(SetScale.self)
    var faults: [String] = []
    _ = definition.prepared(with: [.init(option, JSONValue(.array([JSONValue(.string(text))])))]) {
      name, _, message in
      #expect(name == option)
      faults.append(message)
    }
    #expect(faults.count == 1)
  }

  @Test func `nothing known is a fault, and so are two sizes of a dictionary`() throws {
    #expect(SetScale.Parameters().faults().count == 1)
    let twice = try parameters(markers: ["aruco-6x6-50 5cm", "aruco-6x6-50 6cm"])
    #expect(twice.faults().first?.contains("two sizes") == true)
    #expect(try parameters().faults().isEmpty)
    let text = try parameters(
      boards: ["aruco-6x6-50 11x8 22 mm"], distances: ["[0, 1, 0.5m] to 7 = 1m"])
    #expect(text.boards[0].json.content == .string("aruco-6x6-50 11x8 22 mm"))
    #expect(text.markers[0].json.content == .string("aruco-6x6-50 50 mm"))
  }
}
