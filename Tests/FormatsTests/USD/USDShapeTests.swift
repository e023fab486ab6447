import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Prims that describe a shape by its dimensions, and prims that repeat others.
struct USDShapeTests {
  @Test(
    arguments: [
      ("Cube", "double size = 3", 27, SIMD3(1.5, 1.5, 1.5)),
      ("Sphere", "double radius = 2", 32 * Double.pi / 3, SIMD3(2, 2, 2)),
      (
        "Cylinder", "double radius = 0.5\ndouble height = 3", 0.75 * Double.pi, SIMD3(0.5, 0.5, 1.5)
      ),
      (
        "Cone", "double radius = 0.5\ndouble height = 3\nuniform token axis = \"X\"",
        0.25 * Double.pi, SIMD3(1.5, 0.5, 0.5)
      ),
      (
        "Capsule", "double radius = 0.5\ndouble height = 3\nuniform token axis = \"Y\"",
        Double.pi * (0.75 + 1.0 / 6), SIMD3(0.5, 2, 0.5)
      ),
      ("Sphere", "", 4 * Double.pi / 3, SIMD3(1, 1, 1)),
      ("Cylinder", "", 2 * Double.pi, SIMD3(1, 1, 1)),
      ("Cone", "", 2 * Double.pi / 3, SIMD3(1, 1, 1)),
      ("Capsule", "", Double.pi * (0.25 + 1.0 / 6), SIMD3(0.5, 0.5, 1)),
    ])
  func `a shape has the volume and the size that its dimensions say`(
    type: String, dimensions: String, volume: Double, half: SIMD3<Double>
  ) throws {
    let mesh = try #require(
      try Reading(usda: "def \(type) \"a\" { \(dimensions) }").scene.meshes.first)
    // 64 sides enclose .9984 of a circle.
    let surface = SurfaceSummary(mesh)
    let share = surface.volume / volume
    #expect(share <= 1 + 1e-6 && share > 0.995)
    #expect(surface.isClosed && surface.nonManifoldEdges == 0 && surface.eulerCharacteristic == 2)
    let box = Box(mesh.positions)
    for axis in 0..<3 {
      #expect(abs(Double(box.maximum[axis]) - half[axis]) < 1e-6)
      #expect(abs(Double(box.minimum[axis]) + half[axis]) < 1e-6)
    }
    guard let normals = mesh.cornerNormals else { return #expect(type == "Cube") }
    for corner in mesh.indices.indices {
      let flat = mesh.flatNormal(ofFace: corner / 3)
      // Between the sides of a cylinder are 5.6 degrees; three sides meet in the tip of a cone.
      #expect((normals[corner].simd * flat.simd).sum() > (type == "Cone" ? 0.9 : 0.995))
    }
  }

  /// The sizes are those that the schema of `UsdGeomPlane` defines.
  @Test(arguments: [
    ("X", SIMD3<Float>(0, 6, 4), Vector3(1, 0, 0)), ("Y", SIMD3(4, 0, 6), Vector3(0, 1, 0)),
    ("Z", SIMD3(4, 6, 0), Vector3(0, 0, 1)),
  ])
  func `a plane faces along its axis`(axis: String, size: SIMD3<Float>, normal: Vector3) throws {
    let scene = try Reading(
      usda: """
        def Plane "a" { double width = 4
          double length = 6
          uniform token axis = "\(axis)" }
        """
    ).scene
    let mesh = try #require(scene.meshes.first)
    #expect(mesh.faceCount == 2)
    #expect(Box(mesh.positions).size == size)
    for face in 0..<2 { #expect(mesh.flatNormal(ofFace: face) == normal) }
    #expect(scene.materials.map(\.isDoubleSided) == [true])
  }

  @Test func `dimensions that no shape has are errors`() throws {
    for radius in ["-1", "inf", "nan"] {
      let fault = try readingFault(
        "a.usda", "#usda 1.0\ndef Sphere \"a\" { double radius = \(radius) }")
      #expect(fault.contains("/a: radius must be a length, not \(radius)"))
    }
  }

  private static let instancer = """
    def PointInstancer "many" {
      rel prototypes = [</many/Parts/box>, </many/Parts/flat>]
      int[] protoIndices = [0, 1, 0, 1]
      point3f[] positions = [(10, 0, 0), (20, 0, 0), (30, 0, 0), (40, 0, 0)]
      quath[] orientations = [(1, 0, 0, 0), (1, 0, 0, 0), (0.70710678, 0, 0, 0.70710678), (1, 0, 0, 0)]
      float3[] scales = [(1, 1, 1), (2, 2, 2), (2, 1, 1), (1, 1, 1)]
      int64[] invisibleIds = [3]
      double3 xformOp:translate = (0, 0, 100)
      uniform token[] xformOpOrder = ["xformOp:translate"]
      def "Parts" {
        def Cube "box" { double size = 2
          double3 xformOp:translate = (3, 0, 0)
          uniform token[] xformOpOrder = ["xformOp:translate"]
        }
        def Xform "flat" {
          def Plane "in" { }
        }
      }
    }
    """

  /// The boxes are those that Pixar's `UsdGeomBBoxCache` finds in the same file.
  @Test func `an instancer repeats its prototypes where its points are`() throws {
    let reading = try Reading(usda: Self.instancer)
    #expect(reading.scene.meshes.map(\.name) == ["box", "in", "box"])
    #expect(reading.warnings == [])
    let boxes = reading.scene.meshes.map { Box($0.positions) }
    // Twice as long, and then turned towards Y.
    let expected: [(SIMD3<Float>, SIMD3<Float>)] = [
      (SIMD3(12, -1, 99), SIMD3(14, 1, 101)), (SIMD3(18, -2, 100), SIMD3(22, 2, 100)),
      (SIMD3(29, 4, 99), SIMD3(31, 8, 101)),
    ]
    for (box, (low, high)) in zip(boxes, expected) {
      #expect((box.minimum - low).length < 0.001 && (box.maximum - high).length < 0.001)
    }
  }

  @Test func `an instancer that repeats itself is an error`() throws {
    let endless = Self.instancer.replacing("</many/Parts/flat>", with: "</many>")
    #expect(
      try readingFault("a.usda", "#usda 1.0\n" + endless)
        .contains("prims are nested deeper than 200 levels"))
  }

  @Test func `what is repeated is looked up once`() throws {
    let (count, parts) = (1100, 100)
    let indices = [String](repeating: "0", count: count).joined(separator: ", ")
    let empty = (0..<parts).map { "def Xform \"x\($0)\" { }" }.joined(separator: "\n")
    let reading = try Reading(
      usda: """
        def PointInstancer "many" {
          rel prototypes = </many/part>
          int[] protoIndices = [\(indices)]
          def Xform "part" {
            def Cube "c" { rel material:binding = </m> }
            \(empty)
          }
        }
        def Material "m" { }
        """)
    #expect(reading.scene.meshes.count == count)
    #expect(reading.scene.materials.count == 1)
  }

  @Test func `instances of instances of instances are not more than memory holds`() throws {
    let count = 20
    let indices = [String](repeating: "0", count: count).joined(separator: ", ")
    let positions = [String](repeating: "(0, 0, 0)", count: count).joined(separator: ", ")
    var text = "def Cube \"p0\" { }\n"
    for level in 1...4 {
      text += """
        def PointInstancer "p\(level)" {
          rel prototypes = </p\(level - 1)>
          int[] protoIndices = [\(indices)]
          point3f[] positions = [\(positions)]
        }

        """
    }
    let folder = try TemporaryFolder()
    let path = try folder.write("a.usda", "#usda 1.0\n" + text)
    let error = try #require(throws: ReadingError.self) {
      try USDContents.read(path, in: ReadingContext(), mostElements: 10_000)
    }
    #expect(error.message.contains("million vertices, corners and faces, more data than plausible"))
  }
}
