import MeshPipeline
import MeshTestSupport
import Testing

@testable import Plugins

/// Attributes that library plugins get only if they declare that they handle them.
struct LibraryAttributeTests {
  private static let knowing = Result { try LibraryFixture(macros: ["ATTRIBUTES=7"]) }

  private func plugin() throws -> LibraryFixture { try Self.knowing.get() }

  private var scene: Scene {
    var mesh = Mesh(
      name: "sheet", positions: [.zero, Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(1, 1, 0)])
    mesh.indices = [0, 1, 2, 1, 3, 2]
    mesh.vertexAttributes = [CustomAttribute("intensity", values: .int8([1, 2, 3, 4]))]
    mesh.cornerAttributes = [
      CustomAttribute("uv", width: 2, values: .float64((0..<12).map { 1 / Double($0) }))
    ]
    mesh.faceAttributes = [CustomAttribute("instance", values: .uint32([7, .max]))]
    mesh.tangents = (0..<6).map { Tangent(SIMD3(1, 0, 0), w: $0 < 3 ? 1 : -1) }
    mesh.secondTextureCoordinates = (0..<6).map { Vector2(Float($0), 0.5) }
    var cloud = PointCloud(name: "points", positions: [.zero, Vector3(1, 2, 3)])
    cloud.attributes = [
      CustomAttribute("intensity", values: .uint16([1, 2])),
      CustomAttribute("f_rest", width: 3, values: .float32([0, 1, 2, .nan, 4, 5])),
    ]
    return Scene(meshes: [mesh], pointClouds: [cloud])
  }

  /// Not a number, for comparison.
  private func withoutNaN(_ scene: Scene) -> Scene {
    var scene = scene
    for index in scene.pointClouds.indices {
      scene.pointClouds[index].attributes.removeAll { $0.name == "f_rest" }
    }
    return scene
  }

  @Test func `a stage that handles them keeps them where it changes positions`() throws {
    var expected = scene
    for vertex in 0..<4 { expected.meshes[0].positions[vertex].y += 1 }
    let context = StageContext()
    let lifted = try plugin().run("lift", scene, with: ["distance": 1], in: context)
    #expect(withoutNaN(lifted) == withoutNaN(expected))
    #expect(lifted.pointClouds[0].attributes["f_rest"]?.values.doubles[3].isNaN == true)
    #expect(context.warnings == [])
  }

  @Test func `a change of a custom attribute alone is a change of its mesh`() throws {
    var expected = scene
    expected.meshes[0].vertexAttributes[0].values = .int8([0, 1, 2, 3])
    #expect(withoutNaN(try plugin().run("mark", scene)) == withoutNaN(expected))
  }

  @Test(arguments: [["ATTRIBUTES=0"], ["ATTRIBUTES=7", "SIZE=24"]])
  func `otherwise they stay with what it leaves alone`(macros: [String]) throws {
    let plugin = try LibraryFixture(macros: macros)
    #expect(withoutNaN(try plugin.run("nothing", scene)) == withoutNaN(scene))
    let context = StageContext()
    let lifted = try plugin.run("lift", scene, with: ["distance": 1], in: context)
    #expect(!lifted.meshes[0].hasCustomAttributes && lifted.meshes[0].tangents == nil)
    #expect(lifted.pointClouds[0].attributes.count == 2)
    #expect(context.warnings.count == 1)
    let lost = "instance, second texture coordinates, tangents, uv"
    #expect(context.warnings.first?.contains(lost) == true)
  }

  @Test(arguments: [
    ("type", "custom attribute 0 of mesh 0 has an unknown element or type, or an impossible width"),
    (
      "element",
      "custom attribute 0 of mesh 0 has an unknown element or type, or an impossible width"
    ),
    ("width", "values of custom attribute 0 of mesh 0: a block of 4 bytes instead of 4000"),
    ("name", "custom attribute 1 of mesh 0 has no name, or that of another: 'intensity'"),
    ("count", "mesh 0 has more than 1024 custom attributes"),
  ])
  func `invalid ones are refused`(way: String, message: String) throws {
    let fault = try plugin().fault(of: "attribute-\(way)", scene)
    #expect(fault == "70: plugin 'native' sent invalid data: \(message)")
  }
}
