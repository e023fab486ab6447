import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// What instancers show, as OpenUSD defines it.
struct USDInstanceTests {
  private static func instancer(
    _ metadata: String = "", _ more: String = "", indices: String = "0, 1, 0"
  ) -> String {
    """
    def PointInstancer "many" (
      \(metadata)
    ) {
      rel prototypes = [</many/Parts/box>, </many/Parts/flat>]
      int[] protoIndices = [\(indices)]
      point3f[] positions = [(10, 0, 0), (20, 0, 0), (30, 0, 0)]
      \(more)
      def "Parts" {
        def Cube "box" { double size = 2 }
        def Plane "flat" { }
      }
    }
    """
  }

  private func places(_ reading: Reading) -> [Int] {
    reading.scene.meshes.map { Int(Box($0.positions).center.x.rounded()) }
  }

  /// What `UsdGeomPointInstancer.ComputeMaskAtTime` of usd-core 26.11 says of the same files.
  @Test(arguments: [
    ("inactiveIds = [1]", "", [10, 30]),
    ("prepend inactiveIds = [0]\nappend inactiveIds = [2]", "", [20]),
    ("inactiveIds = [1]", "int64[] invisibleIds = [0]", [30]),
    // Ids of their own, beyond 32 bits, and two alike.
    ("inactiveIds = [5000000001]", "int64[] ids = [5000000000, 5000000001, 5000000002]", [10, 30]),
    ("inactiveIds = [7]", "int64[] ids = [7, 8, 7]", [20]),
    ("inactiveIds = None", "", [10, 20, 30]),
  ])
  func `instances that are switched off are not there`(
    metadata: String, more: String, shown: [Int]
  ) throws {
    #expect(places(try Reading(usda: Self.instancer(metadata, more))) == shown)
  }

  @Test(arguments: [
    ("inactiveIds = [1]", [10, 30]), ("delete inactiveIds = [0]", [10, 20, 30]),
    ("prepend inactiveIds = [1]", [30]), ("append inactiveIds = [2]", [20]),
  ])
  func `stronger layers change which instances are switched off`(
    metadata: String, shown: [Int]
  ) throws {
    let reading = try Reading(
      usda: "(subLayers = [@weak.usda@])\nover \"many\" (\(metadata)) { }",
      [("weak.usda", "#usda 1.0\n" + Self.instancer("inactiveIds = [0]"))])
    #expect(places(reading) == shown)
  }

  @Test func `ids that are rounded are told where some are switched off`() throws {
    let ids = "int64[] ids = [9007199254740992, 9007199254740993, 3]"
    for (metadata, isTold) in [("inactiveIds = [3]", true), ("", false)] {
      let warnings = try Reading(usda: Self.instancer(metadata, ids)).warnings
      #expect(warnings.contains { $0.contains("ids above 9007199254740992 are rounded") } == isTold)
    }
  }

  @Test(arguments: [
    (
      "0, 5, -1", "",
      "/many: an instance refers to prototype 5, but there are 2; such instances (2)"
    ),
    (
      "0, 2, 0", "inactiveIds = [2]",
      "/many: an instance refers to prototype 2, but there are 2; such"
    ),
  ])
  func `an instance without a prototype is left out`(
    indices: String, metadata: String, message: String
  ) throws {
    let reading = try Reading(usda: Self.instancer(metadata, indices: indices))
    #expect(places(reading) == [10])
    #expect(reading.warnings.count == 1)
    #expect(reading.warnings.first?.contains(message) == true)
  }

  @Test func `an instancer at fault costs nothing but itself`() throws {
    let other = "\ndef Cube \"other\" { double size = 1 }"
    let missing = try Reading(
      usda: Self.instancer().replacing("/flat>]", with: "/none>]") + other)
    #expect(places(missing) == [10, 30, 0])
    #expect(missing.warnings.first?.contains("refers to prototype 1, which does not exist") == true)
    let short = try Reading(
      usda: Self.instancer().replacing("(20, 0, 0), ", with: "") + other)
    #expect(places(short) == [0])
    #expect(
      short.warnings.first?.contains("left out: it has 3 instances, but 2 values of 'positions'")
        == true)
  }

  @Test(arguments: ["def", "class", "over"])
  func `what is repeated may be a pattern, and is drawn only where it is repeated`(
    specifier: String
  ) throws {
    let reading = try Reading(
      usda: """
        def PointInstancer "many" {
          rel prototypes = [</many/part>]
          int[] protoIndices = [0, 0]
          point3f[] positions = [(10, 0, 0), (20, 0, 0)]
          \(specifier) "part" {
            class "inner" { over Cube "deep" { double size = 2 } }
          }
        }
        \(specifier) Cube "alone" { double size = 4 }
        """)
    #expect(places(reading) == (specifier == "def" ? [10, 20, 0] : [10, 20]))
  }

  @Test func `a transform that is reset below a prototype counts from its instance`() throws {
    let reading = try Reading(
      usda: """
        def PointInstancer "many" {
          rel prototypes = [</lib/part>]
          int[] protoIndices = [0]
          point3f[] positions = [(10, 0, 0)]
        }
        class Xform "lib" {
          double3 xformOp:translate = (100, 0, 0)
          uniform token[] xformOpOrder = ["xformOp:translate"]
          def Xform "part" {
            double3 xformOp:translate = (3, 0, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]
            def Cube "c" { double size = 2
              double3 xformOp:translate = (105, 0, 0)
              uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]
            }
          }
        }
        """)
    // 105 in the stage is 5 beyond the prototype's parent.
    #expect(places(reading) == [15])
  }

  /// A cube of 12 faces, six polygons, eight vertices and 24 corners, as often as a file says.
  private func fault(instances count: Int, hidden: Int = 0, most: Int) throws -> String? {
    let indices = [String](repeating: "0", count: count).joined(separator: ", ")
    let ids = (0..<hidden).map(String.init).joined(separator: ", ")
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "a.usda",
      """
      #usda 1.0
      def PointInstancer "many" {
        rel prototypes = </many/c>
        int[] protoIndices = [\(indices)]
        int64[] invisibleIds = [\(ids)]
        def Cube "c" { }
      }
      """)
    do {
      _ = try USDContents.read(path, in: ReadingContext(), mostElements: most)
      return nil
    } catch let error as ReadingError {
      return error.message
    }
  }

  @Test func `what instances expand to is known before they do`() throws {
    // The figure is that of all instances, so that it was not found by making them.
    let message = try #require(try fault(instances: 40_000, most: 100_000))
    #expect(message.contains("its 40000 instances expand to 11.8 million vertices"))
    #expect(try fault(instances: 40_000, hidden: 39_000, most: 100_000) == nil)
  }

  @Test func `what a large file may expand to does not grow with it`() {
    let (small, large) = (USDStage.work(ofBytes: 1 << 12), USDStage.work(ofBytes: 1 << 30))
    #expect(small > 1 << 30 && large < 100 * (1 << 30))
  }
}
