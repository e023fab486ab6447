import MeshPipeline
import MeshTestSupport
import Testing

@Suite struct ConditionTests {
  /// The unit cube in centimetres, five faces floor and seven wall, and two points.
  private var scene: Scene {
    var mesh = MeshFixtures.cube
    mesh.classes = FaceClasses(labels: [2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1])
    mesh.positions = mesh.positions.map { Vector3($0.x * 100, $0.y * 200, $0.z * 300) }
    var cloud = PointCloud(positions: [.zero, .zero])
    cloud.classes = FaceClasses(labels: [7, 0])
    var system = CoordinateSystem.arkit
    system.metersPerUnit = 0.01
    return Scene(meshes: [mesh], pointClouds: [cloud], coordinateSystem: system)
  }

  @Test(arguments: [
    ("faces", true), ("frames", false), ("classification", true), ("texture", false),
    ("not frames", true), ("!frames && points", true), ("frames or classification", true),
    ("frames || texture", false), ("true and not false", true),
    ("faces == 12", true), ("faces = 12", true), ("faces != 12", false), ("12 > faces", false),
    ("faces >= 12 and faces <= 12", true), ("vertices < 8", false), ("meshes > 0", true),
    ("points == 2", true), ("materials == 0", true), ("frames == 0", true),
    ("faces(floor) == 5", true), ("faces(Wall) > 6", true), ("faces(door) > 0", false),
    ("points(door) == 1", true), ("faces(no-such-class) == 0", true),
    // Alone, the word asks for depth maps; compared, it is a length.
    ("depth", false), ("not depth and depth > 2m", true),
    // 1 m wide, 2 m high, 3 m deep.
    ("width == 1", true), ("width == 100cm", true), ("height > 1.99 m", true),
    ("depth < 301 cm", true), ("extent == 3m", true), ("height == 2m and depth > 2m", true),
    ("area == 22", true), ("area > 219999cm2", true), ("area < 22.01 m²", true),
    // `and` binds more tightly than `or`, `not` more than both.
    ("true or false and false", true), ("(true or false) and false", false),
    ("not false or true", true), ("not (false or true)", false), ("not not frames", false),
    // Texts, which variables become.
    ("'auto' == 'auto'", true), ("'auto' = 'scan'", false), ("'auto' != 'scan' and faces", true),
    ("not 'a b' == 'a b' or frames", false), ("'' == ''", true),
  ])
  func `a condition asks what it says`(text: String, holds: Bool) throws {
    #expect(try Condition(parsing: text).holds(for: scene) == holds)
  }

  @Test(arguments: [
    ("frames", [SceneFeature.frames]), ("frames and faces > 0", [.faces, .frames]),
    ("frames or classification", []), ("frames or frames", [.frames]), ("not frames", []),
    ("faces(wall) >= 1", [.classification, .faces]), ("0 < points", [.points]), ("faces >= 0", []),
    ("textures > 0 or texture", [.textures]),
    ("depth", [.depthMaps]), ("depth > 1", []), ("faces < 5", []),
  ])
  func `a condition implies features`(text: String, features: [SceneFeature]) throws {
    #expect(try Condition(parsing: text).impliedFeatures.sorted() == features)
  }

  @Test(arguments: [
    ("'a' == 'b'", true), ("'a' == 'b' and frames", true), ("frames and not 'a' == 'a'", true),
    ("'a' == 'b' or frames", false), ("'a' == 'a'", false), ("false and frames or 1 > 2", false),
    ("frames", false),
  ])
  func `what texts decide is decided before the run`(text: String, isNeverTrue: Bool) throws {
    #expect(try Condition(parsing: text).isNeverTrue == isNeverTrue)
  }

  @Test(arguments: [
    ("'auto' > 'scan'", 7), ("'auto' == faces", 10), ("faces == 'auto'", 9), ("'auto'", 6),
    ("'auto == 1", 0), ("frames and 'a'", 14),
  ])
  func `a text is compared with a text`(text: String, offset: Int) {
    let fault = #expect(throws: ConditionFault.self) { try Condition(parsing: text) }
    #expect(fault?.offset == offset, "\(fault?.message ?? "")")
  }

  @Test func `an explanation says what the quantities are`() throws {
    let condition = try Condition(parsing: "faces(floor) > 9 and extent < 2m or frames")
    #expect(
      condition.explanation(for: scene)
        == "faces(floor) is 5, extent is 3 m, the scene has no frames")
  }

  @Test func `nesting has an end`() {
    let deep = String(repeating: "(", count: 10_000) + "faces"
    #expect(throws: ConditionFault.self) { try Condition(parsing: deep) }
    let negated = String(repeating: "!", count: 10_000) + "faces"
    #expect(throws: ConditionFault.self) { try Condition(parsing: negated) }
  }
}
