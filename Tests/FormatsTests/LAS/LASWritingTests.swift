import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct LASWritingTests {
  /// Z up, with what LAS has fields for and what it has not.
  private var scene: Scene {
    var cloud = PointCloud(positions: [
      Vector3(1, 2, 3), Vector3(-0.5, 0.25, 100), Vector3(0, 0, 0), Vector3(9, 9, 9.1234),
    ])
    cloud.colors = (0..<4).map { Color(red: UInt8($0), green: 255, blue: 7) }
    cloud.normals = [Vector3](repeating: Vector3(0, 0, 1), count: 4)
    cloud.confidences = [0, 1, 2, 0.5]
    cloud.classes = FaceClasses(
      labels: [1, 2, 3, 20], names: FaceClasses.arkitNames + ["sofa"])
    cloud.attributes = [
      CustomAttribute("intensity", values: .float32([0, 70_000, 12.4, -3])),
      CustomAttribute("return_number", values: .uint8([1, 2, 3, 1])),
      CustomAttribute("gps_time", values: .float64([0.5, 1e9, -1, 2])),
      CustomAttribute("scan_angle_rank", values: .int8([0, 10, -10, 90])),
      CustomAttribute("rot", width: 2, values: .float32((0..<8).map { Float($0) })),
      CustomAttribute("Nähe", values: .int32([-7, 0, 7, 70_000])),
    ]
    return Scene(pointClouds: [cloud], coordinateSystem: .blender)
  }

  private func written(
    _ scene: Scene, _ options: [String: JSONValue] = [:]
  ) throws -> (path: String, folder: TemporaryFolder, warnings: [String]) {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.las")
    let context = WritingContext(options: options)
    try LAS.write(scene, to: output, in: context)
    return (output.mainPath, folder, context.stage.warnings)
  }

  @Test func `colours of 16 bits stay as they are, unless a point's colour was changed`() throws {
    var fixture = LASFixture(format: 2)
    let words: [[UInt16]] = [[1, 2, 65535], [1000, 40_000, 256], [257, 514, 12_345], [0, 0, 0]]
    fixture.points = words.enumerated().map { index, words in
      LASFixture.point(
        Int32(index), 0, 0,
        [UInt8](repeating: 0, count: 8) + words.flatMap { LASFixture.little($0) })
    }
    let folder = try TemporaryFolder()
    var scene = try Reading(folder.write("s.las", fixture.bytes)).scene
    #expect(scene.pointClouds[0].attributes == [])
    let once = try written(scene)
    let first = try Reading(once.path).scene.pointClouds[0]
    #expect(first.wideColors?.map { [$0.red, $0.green, $0.blue] } == words)
    scene.pointClouds[0].colors?[1] = Color(red: 1, green: 2, blue: 3)
    let twice = try written(scene)
    let second = try Reading(twice.path).scene.pointClouds[0]
    #expect(second.wideColors?[1] == WideColor(red: 257, green: 514, blue: 771))
    #expect(second.wideColors?[2] == WideColor(red: 257, green: 514, blue: 12_345))
  }

  @Test(
    arguments: [
      ("scalar_Intensity", [0.0, 0.25, 1], [0, 16_384, 65_535], true),
      ("Intensity", [0, 0.5, 0.75], [0, 32_768, 49_151], true),
      ("scalar_intensity", [0, 17, 65_535], [0, 17, 65_535], false),
      ("Scalar_field_Intensity", [3, 17, 255], [3, 17, 255], false),
      ("reflectance", [-20, 0, 5], [0, 52_428, 65_535], true),
      ("scalar_Intensity", [0, 1, 1], [0, 1, 1], false),
    ] as [(String, [Float], [UInt16], Bool)])
  func `intensities under other programs' names reach the field`(
    name: String, values: [Float], expected: [UInt16], isScaled: Bool
  ) throws {
    var cloud = PointCloud(positions: [.zero, Vector3(1, 0, 0), Vector3(2, 0, 0)])
    cloud.attributes = [CustomAttribute(name, values: .float32(values))]
    let file = try written(Scene(pointClouds: [cloud], coordinateSystem: .blender))
    let found = try Reading(file.path).scene.pointClouds[0]
    #expect(found.attributes == [CustomAttribute("intensity", values: .uint16(expected))])
    #expect(file.warnings.contains { $0.contains("0 to 65535") } == isScaled)
  }

  @Test(
    arguments: [
      // Decibels, fractions of which one cloud has none, and what the field can hold.
      ([[-20, 0], [-10, 5]], [0, 52_428, 26_214, 65_535], ["-20 to 5 become"]),
      ([[0, 1], [0.25, 0.5]], [0, 65_535, 16_384, 32_768], ["0 to 1 become"]),
      ([[0, 17], [300, 4095]], [0, 17, 300, 4095], []),
      ([[0, 0.7], [0, 200]], [0, 1, 0, 200], ["other clouds reach 200"]),
    ] as [([[Float]], [UInt16], [String])])
  func `the intensities of all clouds are scaled alike, with one warning`(
    clouds: [[Float]], expected: [UInt16], warnings: [String]
  ) throws {
    var scene = Scene(coordinateSystem: .blender)
    for values in clouds {
      var cloud = PointCloud(positions: [.zero, Vector3(1, 0, 0)])
      cloud.attributes = [CustomAttribute("intensity", values: .float32(values))]
      scene.pointClouds.append(cloud)
    }
    let file = try written(scene)
    let found = try Reading(file.path).scene.pointClouds[0]
    #expect(found.attributes == [CustomAttribute("intensity", values: .uint16(expected))])
    #expect(file.warnings.count == warnings.count)
    for (warning, part) in zip(file.warnings, warnings) { #expect(warning.contains(part)) }
  }

  @Test func `intensities of 16 bits stay beside fractions, and are scaled along with decibels`()
    throws
  {
    for (others, expected) in [
      ([0.5, 1], [7, 500, 32_768, 65_535]), ([-500, 0], [33_226, 65_535, 0, 32_768]),
    ] as [([Float], [UInt16])] {
      var scene = Scene(coordinateSystem: .blender)
      for values in [.uint16([7, 500]), .float32(others)] as [CustomAttribute.Values] {
        var cloud = PointCloud(positions: [.zero, Vector3(1, 0, 0)])
        cloud.attributes = [CustomAttribute("intensity", values: values)]
        scene.pointClouds.append(cloud)
      }
      let file = try written(scene)
      let found = try Reading(file.path).scene.pointClouds[0]
      #expect(found.attributes == [CustomAttribute("intensity", values: .uint16(expected))])
    }
  }

  @Test func `coordinates that metres can't hold are an error`() throws {
    var cloud = PointCloud(positions: [Vector3(0, 0, 0), Vector3(1, 3e38, 1)])
    cloud.name = "far"
    var scene = Scene(pointClouds: [cloud])
    scene.coordinateSystem.metersPerUnit = 1000
    for format in [LAS.self, PTS.self] as [any WritableFormat.Type] {
      let folder = try TemporaryFolder()
      let output = OutputSet(folder: folder.path, mainFileName: "a.las")
      let error = #expect(throws: UnwritableScene.self) {
        try format.write(scene, to: output, in: WritingContext())
      }
      #expect(error?.message.contains("vertex 1 of 'far'") == true)
    }
  }

  @Test(arguments: ["1.2", "1.3", "1.4"])
  func `what is written comes back`(version: String) throws {
    let file = try written(scene, ["version": JSONValue(.string(version))])
    let reading = try Reading(file.path)
    let (found, expected) = (reading.scene.pointClouds[0], scene.pointClouds[0])
    #expect(reading.warnings == [])
    #expect(found.positions == expected.positions && found.colors == expected.colors)
    #expect(found.normals == expected.normals && found.confidences == expected.confidences)
    #expect(found.attributes["rot"] == expected.attributes["rot"])
    #expect(found.attributes["Nähe"] == expected.attributes["Nähe"])
    // From -3 to 70000, as the field can't hold them.
    #expect(found.attributes["intensity"]?.values == .uint16([3, 65_535, 14, 0]))
    #expect(file.warnings[0].contains("-3 to 70000 become 0 to 65535"))
    #expect(found.attributes["return_number"]?.values == .uint8([1, 2, 3, 1]))
    let classes = try #require(found.classes)
    let names = classes.labels.map { classes.names[Int($0)] }
    if version == "1.4" {
      #expect(file.warnings.count == 1)
      #expect(names == ["wall", "floor", "ceiling", "sofa"])
      #expect(found.attributes["scan_angle"]?.values == .int16([0, 1667, -1667, 15_000]))
      #expect(found.attributes["gps_time"]?.values == .float64([0.5, 1e9, -1, 2]))
    } else {
      #expect(file.warnings.count == 2)
      #expect(file.warnings.contains { $0.contains("ceiling, sofa; version 1.4") })
      #expect(names == ["wall", "floor", "none", "none"])
      #expect(found.attributes["scan_angle_rank"]?.values == .int8([0, 10, -10, 90]))
    }
  }

  @Test func `a Y-up scene in millimetres is written upright in metres`() throws {
    var scene = Scene(pointClouds: [PointCloud(positions: [Vector3(1000, 2000, 3000)])])
    scene.coordinateSystem.metersPerUnit = 0.001
    let file = try written(scene)
    let reading = try Reading(file.path)
    #expect(reading.scene.pointClouds[0].positions == [Vector3(1, -3, 2)])
    #expect(reading.scene.pointClouds[0].attributes == [])
  }

  @Test func `an origin restores the coordinates of a grid`() throws {
    let file = try written(scene, ["origin": [450_000, 5_411_000, 0], "scale": 0.001])
    let reading = try Reading(file.path)
    #expect(reading.warnings == [])
    #expect(reading.scene.origin == SIMD3(450_000, 5_411_000, 0))
    #expect(reading.scene.pointClouds[0].positions[0] == Vector3(1, 2, 3))
    // What was read is written where it was, also with another up axis.
    var scene = reading.scene
    scene.convert(to: .arkit)
    let copy = try written(scene, ["scale": 0.001])
    let again = try Reading(copy.path)
    #expect(again.scene.origin == SIMD3(450_000, 5_411_000, 0))
    #expect(again.scene.pointClouds[0].positions == reading.scene.pointClouds[0].positions)
  }

  @Test func `a scene too large for its step has a larger one`() throws {
    let scene = Scene(pointClouds: [PointCloud(positions: [Vector3(1e9, 0, 0), .zero])])
    let file = try written(scene)
    #expect(file.warnings == ["ASPRS LAS rounds coordinates to 1 m, since the scene is so large"])
    #expect(try Reading(file.path).scene.pointCount == 2)
  }

  @Test func `a coarser step in feet is told in metres`() throws {
    var scene = Scene(
      pointClouds: [PointCloud(positions: [Vector3(1e8, 0, 0), .zero])], coordinateSystem: .blender)
    var system = ReferenceSystem()
    (system.horizontalUnit, system.verticalUnit) = (0.3048, 0.3048)
    system.records = [LASRecords.text(of: "LOCAL_CS[\"site\",UNIT[\"foot\",0.3048]]")]
    scene.survey = Survey()
    scene.survey?.referenceSystem = system
    let file = try written(scene)
    #expect(file.warnings.contains { $0.contains("rounds coordinates to 0.3048 m") })
  }

  @Test func `the code of a system alone is enough, or its loss is told`() throws {
    func found(_ code: String, _ version: String) throws -> (String?, [String]) {
      var scene = Scene(
        pointClouds: [PointCloud(positions: [Vector3(1, 2, 3)])], coordinateSystem: .blender)
      scene.survey = Survey()
      scene.survey?.referenceSystem = ReferenceSystem()
      scene.survey?.referenceSystem?.code = code
      let file = try written(scene, ["version": JSONValue(.string(version))])
      return (try Reading(file.path).scene.survey?.referenceSystem?.code, file.warnings)
    }
    for version in ["1.2", "1.4"] {
      for code in ["EPSG:25833", "EPSG:2056"] {
        let (kept, warnings) = try found(code, version)
        #expect(kept == code && warnings.isEmpty, "\(code) in \(version): \(warnings)")
      }
      // In feet, with heights, and in degrees.
      for code in ["EPSG:2263", "EPSG:25832+7837", "EPSG:4326", "local"] {
        let (kept, warnings) = try found(code, version)
        #expect(kept == nil && warnings.count == 1)
        #expect(warnings.first?.contains("the reference system \(code) is left out") == true)
      }
    }
  }

  @Test(.needs("laspy"), arguments: ["1.2", "1.4"])
  func `laspy finds the same points`(version: String) throws {
    struct View: Decodable {
      var version: String
      var format: Int
      var scales: [Double]
      var mins: [Double]
      var maxs: [Double]
      var lookup: [String: String]
      var dimensions: [String: [Double]]
    }
    let file = try written(scene, ["version": JSONValue(.string(version))])
    let output = try Checkers.run("Tools/checks/laspoints.py", [file.path])
    let view = try JSONDecoder().decode([View].self, from: Data(output.utf8))[0]
    #expect(view.version == version && view.format == (version == "1.4" ? 7 : 3))
    #expect(view.scales == [0.0001, 0.0001, 0.0001])
    for (found, expected) in zip(view.mins + view.maxs, [-0.5, 0, 0, 9, 9, 100]) {
      #expect(abs(found - expected) < 1e-9)
    }
    #expect(
      view.dimensions["x"] == [1, -0.5, 0, 9] && view.dimensions["z"] == [3, 100, 0, 9.1234])
    #expect(view.dimensions["red"] == [0, 257, 514, 771])
    #expect(view.dimensions["gps_time"] == [0.5, 1e9, -1, 2])
    #expect(view.dimensions["rot_1"] == [1, 3, 5, 7] && view.dimensions["Nähe"]?[3] == 70_000)
    #expect(view.dimensions["return_number"] == [1, 2, 3, 1])
    let codes: [Double] = version == "1.4" ? [6, 2, 67, 64] : [6, 2, 1, 1]
    #expect(view.dimensions["classification"] == codes)
    #expect(view.lookup["6"] == "wall" && view.lookup["2"] == "floor")
  }
}
