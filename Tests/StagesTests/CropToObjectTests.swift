import MeshPipeline
import MeshTestSupport
import POSIX
import Stages
import Testing

/// Captures whose cameras go around an object, and others.
struct CropToObjectTests {
  private static let target = SIMD3(2.0, 0.5, -1)

  /// A camera 2 m from the target that sees 2 · 2 · 240 / 480 = 2 m of it in its narrow direction.
  private static func camera(_ index: Int, at angle: Double, inwards: Bool = true) -> Capture.Frame
  {
    let outwards = SIMD3(cos(angle), 0, sin(angle))
    let backward = inwards ? outwards : -outwards
    let right = SIMD3(0, 1, 0).cross(backward)
    return Capture.Frame(
      name: "\(index)", image: .file("\(index).png"), imageSize: SIMD2(640, 480),
      intrinsics: Capture.Intrinsics(
        focalLength: SIMD2(480, 480), principalPoint: SIMD2(320, 240)),
      pose: Transform(
        x: right, y: SIMD3(0, 1, 0), z: backward, translation: target + 2 * outwards))
  }

  /// A thing, a crumb within reach, one far away, and larger things far away.
  private static let parts: [(name: String, center: SIMD3<Double>, size: Double)] = [
    ("object", target, 0.5), ("near", target + SIMD3(0.7, 0, 0), 0.1),
    ("crumb", target + SIMD3(3, 0, 0), 0.1), ("pot", target + SIMD3(3, 0, 3), 0.4),
    ("house", target + SIMD3(0, 0, -9), 4),
  ]

  private func scene(_ frames: [Capture.Frame]) -> Scene {
    let meshes = Self.parts.map { part in
      var mesh = MeshFixtures.cube
      mesh.name = part.name
      mesh.positions = mesh.positions.map {
        Vector3($0.simd * Float(part.size) + SIMD3<Float>(part.center) - Float(part.size / 2))
      }
      return mesh
    }
    return Scene(meshes: meshes, capture: Capture(frames: frames))
  }

  private func cropped(
    _ scene: Scene, _ scope: CropToObject.Scope, radius: Double = 1
  ) throws -> (names: [String], context: StageContext) {
    var parameters = CropToObject.Parameters()
    (parameters.scope, parameters.radius) = (scope, radius)
    let context = StageContext()
    return (try CropToObject(parameters).run(scene, in: context).meshes.map(\.name), context)
  }

  private static let arc = (0..<12).map { camera($0, at: 0.2 * Double($0)) }

  @Test func `the object is where the cameras look`() throws {
    let (names, context) = try cropped(scene(Self.arc), .object)
    #expect(names == ["object", "near"])
    #expect(context.warnings == [])
    let notes = Dictionary(context.notes.map { ($0.key, $0.value) }) { first, _ in first }
    #expect(notes["objectCenter"]?.elements.compactMap(\.number) == [2, 0.5, -1])
    #expect(notes["objectRadius"]?.number == 1)
    #expect(try cropped(scene(Self.arc), .object, radius: 0.5).names == ["object"])
  }

  @Test func `crumbs far from it are removed, and neither crumbs at it nor large things`() throws {
    let (names, context) = try cropped(scene(Self.arc), .auto)
    #expect(names == ["object", "near", "pot", "house"])
    #expect(context.notes.first { $0.key == "removedFaces" }?.value.number == 12)
    #expect(try cropped(scene(Self.arc), .all).names == Self.parts.map(\.name))
  }

  @Test func `a crumb that touches another mesh is none`() throws {
    var scene = scene(Self.arc)
    // A sheet from the object to the crumb.
    let (from, to) = (scene.meshes[0].positions[0], scene.meshes[2].positions[0])
    scene.meshes.append(
      Mesh(
        name: "sheet", positions: [from, to, Vector3(to.simd + SIMD3(0, 0.1, 0))],
        indices: [0, 1, 2]))
    #expect(try cropped(scene, .auto).names == Self.parts.map(\.name) + ["sheet"])
  }

  @Test func `in other units it is the same`() throws {
    var scene = scene(Self.arc)
    scene.apply(Transform(scale: SIMD3(repeating: 100)))
    scene.coordinateSystem.metersPerUnit = 0.01
    let (names, context) = try cropped(scene, .auto)
    #expect(names == ["object", "near", "pot", "house"])
    #expect(context.notes.first { $0.key == "objectRadius" }?.value.number == 1)
  }

  @Test(arguments: [
    // Outwards, as in a room; side by side, as on a walk; in a narrow arc; too few.
    (0..<12).map { camera($0, at: 0.5 * Double($0), inwards: false) },
    (0..<12).map { index in
      var frame = camera(index, at: 0)
      frame.pose.translation.z += Double(index)
      return frame
    },
    (0..<12).map { camera($0, at: 0.1 * Double($0)) },
    Array(arc.prefix(7)),
    // A third looks elsewhere.
    (0..<12).map { camera($0, at: 0.5 * Double($0), inwards: $0 % 3 > 0) },
  ])
  func `other captures have no object`(frames: [Capture.Frame]) throws {
    let all = Self.parts.map(\.name)
    let (names, context) = try cropped(scene(frames), .auto)
    #expect(names == all)
    #expect(context.warnings == [])
    let (others, second) = try cropped(scene(frames), .object)
    #expect(others == all)
    #expect(
      second.warnings == ["the cameras don't go around an object, so that nothing is removed"])
  }
}
