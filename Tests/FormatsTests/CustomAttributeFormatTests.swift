import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Attributes that meshpipe has no meaning for, in files.
struct CustomAttributeFormatTests {
  private func write(
    _ scene: Scene, _ format: any WritableFormat.Type, _ options: [String: JSONValue] = [:]
  ) throws -> (path: String, warnings: [String], folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.\(format.extensions[0])")
    let context = WritingContext(options: options)
    try format.write(scene, to: output, in: context)
    return (output.mainPath, context.stage.warnings, folder)
  }

  private var cube: Mesh {
    var mesh = MeshFixtures.cube
    mesh.addCustomAttributes()
    return mesh
  }

  // MARK: PLY

  @Test(arguments: Kind.allCases)
  func `what no attribute takes is a custom attribute, in its type`(kind: Kind) throws {
    let file = PLYFixture(kind)
    file.element(
      "vertex", 3,
      [
        "property float x", "property uchar r", "property float y", "property float z",
        "property double scalar_GpsTime", "property int instance", "property uint id",
        "property float rot_0", "property float rot_1", "property float rot_2",
        "property char t", "property ushort intensity", "property float feature_0",
      ])
    file.element(
      "face", 1,
      [
        "property uchar red", "property list uchar int vertex_indices", "property short part",
      ])
    file.endHeader()
    for vertex in 0..<3 {
      let number = Double(vertex)
      file.value(number, .float32).value(200 + number, .uint8).value(number * number, .float32)
      file.value(0, .float32).value(1_234_567_890.123 + number, .float64)
      file.value(-2_000_000_001 - number, .int32).value(4_000_000_001 + number, .uint32)
      for part in 0..<3 { file.value(0.25 * number + Double(part), .float32) }
      file.value(-number, .int8).value(60_000 + number, .uint16).value(1.5, .float32).endRecord()
    }
    file.value(7, .uint8).list(.uint8, [0, 1, 2], .int32).value(-300, .int16).endRecord()
    let folder = try TemporaryFolder()
    let mesh = try #require(Reading(folder.write("a.ply", file.bytes)).scene.meshes.first)
    #expect(mesh.colors == nil && mesh.textureCoordinates == nil)
    #expect(
      mesh.vertexAttributes == [
        CustomAttribute("r", values: .uint8([200, 201, 202])),
        CustomAttribute(
          "scalar_GpsTime",
          values: .float64([1_234_567_890.123, 1_234_567_891.123, 1_234_567_892.123])),
        CustomAttribute(
          "instance", values: .int32([-2_000_000_001, -2_000_000_002, -2_000_000_003])),
        CustomAttribute("id", values: .uint32([4_000_000_001, 4_000_000_002, 4_000_000_003])),
        CustomAttribute(
          "rot", width: 3, values: .float32([0, 1, 2, 0.25, 1.25, 2.25, 0.5, 1.5, 2.5])),
        CustomAttribute("t", values: .int8([0, -1, -2])),
        CustomAttribute("intensity", values: .uint16([60_000, 60_001, 60_002])),
        CustomAttribute("feature_0", values: .float32([1.5, 1.5, 1.5])),
      ])
    #expect(
      mesh.faceAttributes == [
        CustomAttribute("red", values: .uint8([7])),
        CustomAttribute("part", values: .int16([-300])),
      ])
  }

  @Test(arguments: Kind.allCases)
  func `triangles of a polygon share its attributes`(kind: Kind) throws {
    let file = PLYFixture(kind)
    file.element("vertex", 4, ["property float x", "property float y", "property float z"])
    file.element("face", 2, ["property list uchar int vertex_indices", "property int part"])
    file.endHeader()
    for (x, y) in [(0.0, 0.0), (1, 0), (1, 1), (0, 1)] {
      file.value(x, .float32).value(y, .float32).value(0, .float32).endRecord()
    }
    file.list(.uint8, [0, 1, 2, 3], .int32).value(5, .int32).endRecord()
    file.list(.uint8, [2, 1, 0], .int32).value(6, .int32).endRecord()
    let folder = try TemporaryFolder()
    let mesh = try #require(Reading(folder.write("a.ply", file.bytes)).scene.meshes.first)
    #expect(mesh.faceAttributes == [CustomAttribute("part", values: .int32([5, 5, 6]))])
  }

  @Test(arguments: [[:], ["ascii": true]] as [[String: JSONValue]])
  func `a PLY file holds those of vertices, faces and points`(options: [String: JSONValue]) throws {
    var mesh = cube
    let special: [Double] = [
      .nan, .infinity, -.infinity, 0.1, -1e300, .leastNonzeroMagnitude, 1e17, -0.0,
    ]
    mesh.vertexAttributes.append(CustomAttribute("odd", values: .float64(special)))
    let written = try write(Scene(meshes: [mesh]), PLY.self, options)
    #expect(
      written.warnings.first
        == "Stanford PLY can't hold attributes of each corner: seam will be lost")
    let read = try #require(Reading(written.path).scene.meshes.first)
    #expect(Array(read.vertexAttributes.dropLast()) == Array(mesh.vertexAttributes.dropLast()))
    #expect(read.faceAttributes == mesh.faceAttributes)
    let odd = try #require(read.vertexAttributes["odd"]).values.doubles
    #expect(odd[0].isNaN)
    #expect(odd.dropFirst().map(\.bitPattern) == special.dropFirst().map(\.bitPattern))
  }

  @Test func `parts without an attribute that others have get zeros`() throws {
    var plain = MeshFixtures.cube
    plain.vertexAttributes = [
      CustomAttribute("instance", values: .uint8([UInt8](repeating: 9, count: 8)))
    ]
    var cloud = PointCloud(positions: [Vector3(3, 3, 3)])
    cloud.attributes = [CustomAttribute("x", values: .float32([4]))]
    let written = try write(Scene(meshes: [cube, plain], pointClouds: [cloud]), PLY.self)
    let read = try #require(Reading(written.path).scene.meshes.first)
    #expect(read.vertexAttributes.map(\.name) == ["field", "instance", "custom_x"])
    let instances = try #require(read.vertexAttributes["instance"])
    #expect(instances.type == .float64)
    #expect(
      instances.values.doubles == (0..<8).map(Double.init) + [Double](repeating: 9, count: 8) + [0])
    #expect(
      read.vertexAttributes["custom_x"]?.values == .float32([Float](repeating: 0, count: 16) + [4]))
  }

  // MARK: glTF

  @Test func `glTF holds those of vertices and corners`() throws {
    var mesh = cube
    mesh.vertexAttributes.append(
      CustomAttribute("long", width: 5, values: .uint8((0..<40).map { UInt8($0) })))
    mesh.vertexAttributes.append(
      CustomAttribute("time", values: .float64([Double](repeating: 0.1, count: 8))))
    let written = try write(Scene(meshes: [mesh]), GLB.self)
    #expect(
      written.warnings == [
        "Binary glTF 2.0 can't hold attributes of each face: part will be lost",
        "Binary glTF 2.0 holds these attributes as floats, which rounds them: time",
      ])
    let read = try #require(Reading(written.path).scene.meshes.first)
    #expect(read.vertexCount == 8)
    #expect(read.fieldError == 0)
    #expect(read.vertexAttributes["field"]?.width == 2)
    let numbers = try #require(read.vertexAttributes["instance"]).values.doubles
    for vertex in 0..<8 {
      #expect(read.positions[vertex] == mesh.positions[Int(numbers[vertex])])
      for part in 0..<5 {
        let long = try #require(read.vertexAttributes["long_\(part)"])
        #expect(long.type == .uint8)
        #expect(long.values.double(at: vertex) == 5 * numbers[vertex] + Double(part))
      }
    }
    // Every corner has its own value, so that each vertex was split.
    let seams = try #require(read.cornerAttributes["seam"])
    #expect(seams.type == .uint16)
    for corner in read.indices.indices {
      let original = Int(seams.values.double(at: corner))
      #expect(
        read.positions[Int(read.indices[corner])]
          == mesh.positions[Int(mesh.indices[original])])
    }
  }

  @Test func `points of glTF have theirs`() throws {
    var cloud = PointCloud(positions: (0..<5).map { Vector3(Float($0), 0, 0) })
    cloud.attributes = [
      CustomAttribute("intensity", values: .float32([1, 2, .nan, 4, 5])),
      CustomAttribute("label", width: 3, values: .int8((0..<15).map { Int8($0) })),
    ]
    let written = try write(Scene(pointClouds: [cloud]), GLTF.self)
    #expect(written.warnings.isEmpty)
    let read = try #require(Reading(written.path).scene.pointClouds.first)
    #expect(read.attributes["label"] == cloud.attributes["label"])
    #expect(read.attributes["intensity"]?.values.double(at: 2).isNaN == true)
    #expect(read.attributes["intensity"]?.values.double(at: 4) == 5)
  }

  // MARK: Others

  @Test func `meshscene holds all of them, bit by bit`() throws {
    var scene = Scene(meshes: [cube, MeshFixtures.cube], pointClouds: [PointCloud()])
    scene.pointClouds[0].positions = [.zero, Vector3(1, 1, 1)]
    scene.pointClouds[0].attributes = [
      CustomAttribute("a", width: 2, values: .int16([1, -2, 3, -4])),
      CustomAttribute("b", values: .float64([.infinity, 0.1])),
    ]
    let written = try write(scene, MeshScene.self)
    #expect(written.warnings.isEmpty)
    #expect(try Reading(written.path).scene == scene)
  }

  @Test func `a format without custom attributes names what is lost`() throws {
    let written = try write(Scene(meshes: [cube]), STL.self)
    #expect(
      written.warnings.first
        == "STL can't hold everything: custom attributes (field, instance, part, seam) will be lost"
    )
  }

  @Test(.needs("trimesh"))
  func `trimesh finds the same values`() throws {
    struct View: Decodable {
      var positions: [[Double]]
      var attributes: [String: [Double]]
    }
    var mesh = cube
    mesh.cornerAttributes = []
    let scene = Scene(meshes: [mesh])
    let files = try [
      write(scene, PLY.self), write(scene, PLY.self, ["ascii": true]), write(scene, GLB.self),
    ]
    let text = try Checkers.run("Tools/checks/attributes.py", files.map(\.path))
    let views = try JSONDecoder().decode([View].self, from: Data(text.utf8))
    for (file, view) in zip(files, views) {
      let isPLY = file.path.hasSuffix("ply")
      let names = isPLY ? ["field_0", "instance"] : ["_field", "_instance"]
      let fields = try #require(view.attributes[names[0]])
      let instances = try #require(view.attributes[names[1]])
      #expect(instances.count == 8)
      for (index, place) in view.positions.enumerated() {
        let position = Vector3(Float(place[0]), Float(place[1]), Float(place[2]))
        #expect(Float(fields[isPLY ? index : 2 * index]) == linearField(position).x)
        #expect(mesh.positions[Int(instances[index])] == position)
      }
    }
  }
}
