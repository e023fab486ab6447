import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct PointTextWritingTests {
  private var scene: Scene {
    var cloud = PointCloud(positions: [Vector3(1, 2, 3), Vector3(-0.5, 0.25, 100)])
    cloud.colors = [Color(red: 1, green: 2, blue: 3), Color(red: 255, green: 0, blue: 7)]
    cloud.normals = [Vector3(0, 0, 1), Vector3(1, 0, 0)]
    cloud.classes = FaceClasses(labels: [2, 20], names: FaceClasses.arkitNames + ["sofa"])
    cloud.attributes = [CustomAttribute("intensity", values: .uint16([700, 9]))]
    return Scene(pointClouds: [cloud], coordinateSystem: .blender)
  }

  private func written(
    _ scene: Scene, _ name: String, _ options: [String: JSONValue] = [:]
  ) throws -> (text: String, warnings: [String], scene: Scene) {
    let folder = try TemporaryFolder()
    let format = try #require(FormatRegistry(builtInFormats).writer(forPath: name))
    let output = OutputSet(folder: folder.path, mainFileName: name)
    let context = WritingContext(options: options)
    try format.write(scene, to: output, in: context)
    let text = String(decoding: try FileSystem.contents(of: output.mainPath), as: UTF8.self)
    return (text, context.stage.warnings, try Reading(output.mainPath).scene)
  }

  @Test func `an XYZ file names its columns, axes and classes`() throws {
    let result = try written(scene, "a.xyz")
    #expect(
      result.text == """
        # written by meshpipe up=z forward=y hand=right unit=1m
        # classification 20 sofa
        # x y z red green blue nx ny nz classification intensity
        1 2 3 1 2 3 0 0 1 2 700
        -0.5 0.25 100 255 0 7 1 0 0 20 9

        """)
    #expect(result.warnings == [])
    let (found, expected) = (result.scene.pointClouds[0], scene.pointClouds[0])
    #expect(found.positions == expected.positions && found.colors == expected.colors)
    #expect(found.normals == expected.normals && found.classes == expected.classes)
    #expect(found.attributes["intensity"]?.values.doubles == [700, 9])
    #expect(result.scene.coordinateSystem == .blender)
  }

  @Test func `columns, delimiter and header can be chosen`() throws {
    let some = try written(
      scene, "a.csv", ["columns": ["z", "intensity", "confidence", "y", "x"]])
    #expect(some.text == "z,intensity,confidence,y,x\n3,700,0,2,1\n100,9,0,0.25,-0.5\n")
    let plain = try written(
      scene, "a.asc", ["columns": ["x", "y", "z"], "delimiter": "semicolon", "header": false])
    #expect(plain.text == "1;2;3\n-0.5;0.25;100\n")
    // What the codes of classes say by themselves can be chosen instead of them.
    var survey = scene
    survey.pointClouds[0].classes = FaceClasses(labels: [0, 0])
    survey.pointClouds[0].attributes = [
      CustomAttribute(Survey.neverClassified, values: .uint8([1, 0]))
    ]
    survey.survey = Survey()
    let never = try written(survey, "a.csv", ["columns": ["x", "y", "z", "never_classified"]])
    #expect(never.text == "x,y,z,never_classified\n1,2,3,1\n-0.5,0.25,100,0\n")
    let error = #expect(throws: InvalidFormatOption.self) {
      try written(scene, "a.xyz", ["columns": ["x", "y", "z", "density"]])
    }
    #expect(error?.message.contains("the scene has no 'density', but x, y, z") == true)
  }

  @Test func `an origin restores the coordinates of a grid`() throws {
    let result = try written(
      scene, "a.xyz",
      ["columns": ["x", "y", "z"], "header": false, "origin": [450_000, -5_411_000, 0]])
    #expect(
      result.text == "450001.0000 -5410998.0000 3\n449999.5000 -5410999.7500 100\n")
    #expect(
      result.scene.pointClouds[0].positions == [Vector3(1, 2, 3), Vector3(-0.5, 0.25, 100)])
  }

  @Test func `a PTS file has its count, intensities and colours`() throws {
    let result = try written(scene, "a.pts")
    #expect(result.text == "2\n1 2 3 700 1 2 3\n-0.5 0.25 100 9 255 0 7\n")
    #expect(
      result.warnings == [
        "Leica PTS can't hold everything: classification, normals will be lost"
      ])
    var bare = scene
    bare.pointClouds[0] = PointCloud(positions: scene.pointClouds[0].positions)
    #expect(try written(bare, "a.pts").text == "2\n1 2 3\n-0.5 0.25 100\n")
  }

  @Test func `vertices of a mesh are points`() throws {
    let result = try written(Scene(meshes: [MeshFixtures.cube]), "a.xyz")
    #expect(result.scene.pointClouds[0].positions == MeshFixtures.cube.positions)
    #expect(result.warnings.contains { $0.contains("faces") && $0.contains("will be lost") })
  }

  @Test(.needs("trimesh"))
  func `trimesh and numpy find the same points`() throws {
    let folder = try TemporaryFolder()
    let plain: [String: JSONValue] = [
      "header": false, "columns": ["x", "y", "z", "red", "green", "blue"],
    ]
    for (name, options) in [("a.xyz", plain), ("b.csv", [:])] {
      let format = try #require(FormatRegistry(builtInFormats).writer(forPath: name))
      try format.write(
        SceneFixtures.points, to: OutputSet(folder: folder.path, mainFileName: name),
        in: WritingContext(options: options))
    }
    let output = try Checkers.run(
      "Tools/checks/points.py", [folder.path + "/a.xyz", folder.path + "/b.csv"])
    let clouds = try JSONDecoder().decode([[[Double]]].self, from: Data(output.utf8))
    let expected = SceneFixtures.points.pointClouds[0]
    for cloud in clouds {
      #expect(cloud.map { Vector3(Float($0[0]), Float($0[1]), Float($0[2])) } == expected.positions)
    }
    let colors = clouds[1].map { Color(red: UInt8($0[3]), green: UInt8($0[4]), blue: UInt8($0[5])) }
    #expect(colors == expected.colors)
  }
}
