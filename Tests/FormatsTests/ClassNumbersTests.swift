import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// The numbers of classes in files of points, which programs of surveys take for codes.
struct ClassNumbersTests {
  static let names = ["a.csv", "a.xyz", "a.ply", "a.pcd"]

  private func read(_ path: String) throws -> Scene {
    let format = try #require(FormatRegistry(builtInFormats).reader(forPath: path))
    return try ScanSource(path: path, format: format, reading: InputReading())
      .read(in: ReadingContext())
  }

  private func read(_ name: String, _ contents: [UInt8]) throws -> Scene {
    let folder = try TemporaryFolder()
    return try read(folder.write(name, contents))
  }

  /// What is written as text with the classes in the last column, and what that is read as.
  private func written(
    _ scene: Scene, _ name: String
  ) throws -> (text: String, numbers: [Int], scene: Scene) {
    let folder = try TemporaryFolder()
    let format = try #require(FormatRegistry(builtInFormats).writer(forPath: name))
    let output = OutputSet(folder: folder.path, mainFileName: name)
    let isText = name.hasSuffix("csv") || name.hasSuffix("xyz")
    try format.write(
      scene, to: output, in: WritingContext(options: isText ? [:] : ["ascii": true]))
    let text = String(decoding: try FileSystem.contents(of: output.mainPath), as: UTF8.self)
    let numbers = text.split(separator: "\n").suffix(scene.pointCount).compactMap { line in
      line.split { $0 == " " || $0 == "," }.last.flatMap { Int($0) }
    }
    return (text, numbers, try read(output.mainPath))
  }

  private func classes(_ scene: Scene) throws -> [String] {
    let classes = try #require(scene.pointClouds[0].classes)
    return classes.labels.map { classes.names[Int($0)] }
  }

  private func table(_ codes: [Int], column: String = "classification") -> [UInt8] {
    let rows = codes.enumerated().map { "\($0.offset),0,1,\($0.element)\n" }
    return Array("x,y,z,\(column)\n\(rows.joined())".utf8)
  }

  @Test(arguments: names)
  func `codes of the ASPRS stay what they are`(name: String) throws {
    for codes in [[2, 5, 6, 64, 70], [0, 2], [1, 2], [0, 1, 2, 1, 18, 255], [1, 1], [0, 0]] {
      let scene = try read("a.csv", table(codes))
      let found = try written(scene, name)
      #expect(found.numbers == codes)
      #expect(try classes(found.scene) == classes(scene))
      #expect(found.scene.survey == scene.survey)
      #expect(found.scene.pointClouds[0].attributes == scene.pointClouds[0].attributes)
      #expect(try written(found.scene, name).text == found.text)
    }
  }

  @Test(arguments: names)
  func `codes of LAS and their names go along`(name: String) throws {
    let codes: [UInt8] = [0, 1, 2, 40, 70, 6]
    var fixture = LASFixture(minor: 4, format: 6)
    fixture.records = [("LASF_Spec", 0, [70] + LASFixture.text("kiosk", 15))]
    fixture.points = codes.map {
      LASFixture.point(Int32($0), 0, 0, [0, 0, 0x11, 0, $0] + [UInt8](repeating: 0, count: 13))
    }
    var scene = try read("a.las", fixture.bytes)
    scene.pointClouds[0].attributes.removeAll { $0.name != Survey.neverClassified }
    let found = try written(scene, name)
    #expect(found.numbers == codes.map(Int.init))
    // CSV has no comments for names.
    let last = name.hasSuffix("csv") ? "class-70" : "kiosk"
    #expect(
      try classes(found.scene) == ["none", "none", "ground", "class-40", last, "building"])
    #expect(found.scene.pointClouds[0].attributes == scene.pointClouds[0].attributes)
  }

  @Test(arguments: names)
  func `numbers without names stay what they are`(name: String) throws {
    let scene = try read("a.csv", table([3, 0, 40, 300, 3], column: "label"))
    let found = try written(scene, name)
    #expect(found.numbers == [3, 0, 40, 300, 3])
    guard !name.hasSuffix("csv") else { return }
    #expect(
      try classes(found.scene) == ["label-3", "label-0", "label-40", "label-300", "label-3"])
  }

  @Test func `a number that another class has is given to no second one`() throws {
    var scene = try read("a.csv", table([3, 1, 20], column: "label"))
    scene.pointClouds[0].classes = FaceClasses(
      labels: [3, 20, 21, 22],
      names: FaceClasses.arkitNames + ["label-3", "class-40", "label-40"])
    scene.pointClouds[0].positions.append(Vector3(9, 0, 0))
    let found = try written(scene, "a.ply")
    #expect(found.numbers == [3, 20, 40, 21])
    #expect(try classes(found.scene) == ["ceiling", "label-3", "class-40", "label-40"])
  }

  @Test(arguments: names)
  func `ARKit's classes have ARKit's numbers`(name: String) throws {
    var cloud = PointCloud(positions: (0..<4).map { Vector3(Float($0), 0, 0) })
    cloud.classes = FaceClasses(labels: [0, 1, 2, 20], names: FaceClasses.arkitNames + ["sofa"])
    let found = try written(Scene(pointClouds: [cloud]), name)
    #expect(found.numbers == [0, 1, 2, 20])
    guard !name.hasSuffix("csv") else { return }
    #expect(try classes(found.scene) == ["none", "wall", "floor", "sofa"])
  }
}
