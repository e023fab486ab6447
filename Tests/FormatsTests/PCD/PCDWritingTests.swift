import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct PCDWritingTests {
  private var scene: Scene {
    var cloud = PointCloud(name: "a", positions: [Vector3(1, 2, 3), Vector3(-0.5, 0.25, 100)])
    cloud.colors = [Color(red: 1, green: 2, blue: 3), Color(red: 255, green: 0, blue: 7)]
    cloud.normals = [Vector3(0, 0, 1), Vector3(1, 0, 0)]
    cloud.confidences = [0.5, 2]
    cloud.classes = FaceClasses(labels: [2, 20], names: FaceClasses.arkitNames + ["sofa"])
    cloud.attributes = [
      CustomAttribute("intensity", values: .uint16([700, 9])),
      CustomAttribute("rot", width: 2, values: .float64([1, 2, .nan, 1e300])),
    ]
    return Scene(name: "a", pointClouds: [cloud], coordinateSystem: .blender)
  }

  private func written(
    _ scene: Scene, ascii: Bool
  ) throws -> (text: String, warnings: [String], scene: Scene) {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.pcd")
    let context = WritingContext(options: ["ascii": JSONValue(.bool(ascii))])
    try PCD.write(scene, to: output, in: context)
    let text = String(decoding: try FileSystem.contents(of: output.mainPath), as: UTF8.self)
    return (text, context.stage.warnings, try Reading(output.mainPath).scene)
  }

  @Test func `a header names fields, axes and classes`() throws {
    let text = try written(scene, ascii: true).text
    let lines = text.split(separator: "\n").filter { !$0.contains("classification") }
    #expect(
      Array(lines.prefix(12)) == [
        "# .PCD v0.7 - Point Cloud Data file format",
        "# written by meshpipe up=z forward=y hand=right unit=1m", "VERSION 0.7",
        "FIELDS x y z normal_x normal_y normal_z rgb confidence label intensity rot_0 rot_1",
        "SIZE 4 4 4 4 4 4 4 4 4 2 8 8", "TYPE F F F F F F F F U U F F",
        "COUNT 1 1 1 1 1 1 1 1 1 1 1 1", "WIDTH 2", "HEIGHT 1", "VIEWPOINT 0 0 0 1 0 0 0",
        "POINTS 2", "DATA ascii",
      ])
    #expect(text.contains("# classification 20 sofa\n"))
  }

  @Test(arguments: [false, true])
  func `what is written comes back`(ascii: Bool) throws {
    for alpha: UInt8 in [255, 7] {
      var expected = scene
      expected.pointClouds[0].colors?[1].alpha = alpha
      let result = try written(expected, ascii: ascii)
      #expect(result.warnings == [])
      var found = result.scene
      let rot = found.pointClouds[0].attributes["rot"]?.values.doubles
      #expect(rot?[2].isNaN == true && rot?[3] == 1e300)
      found.pointClouds[0].attributes["rot"] = nil
      expected.pointClouds[0].attributes["rot"] = nil
      #expect(found == expected)
    }
  }
}
