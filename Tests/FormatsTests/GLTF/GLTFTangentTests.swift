import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// Tangents and the second set of texture coordinates in glTF.
@Suite struct GLTFTangentTests {
  // MARK: Reading

  /// A square of two faces in the XY plane, whose U grows along X and whose V, from the top, along -Y.
  private func square(
    _ attributes: String, material: String = "{}", node: String = "", targets: String = ""
  ) -> String {
    func bytes(_ values: [Float]) -> [UInt8] {
      values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
    }
    let arrays: [([UInt8], type: Int, count: Int, shape: String)] = [
      (bytes([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]), 5126, 4, "VEC3"),
      ([0, 1, 2, 0, 2, 3, 0, 0], 5121, 6, "SCALAR"),
      (bytes([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]), 5126, 4, "VEC3"),
      (bytes([1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 2, 0, 0, 1]), 5126, 4, "VEC4"),
      (bytes([0, 1, 1, 1, 1, 0, 0, 0]), 5126, 4, "VEC2"),
      // Normalised bytes: 0.2, 0.4 and so on.
      ([51, 102, 102, 102, 102, 204, 51, 204], 5121, 4, "VEC2"),
      // 127 is 1, and -127 is -1.
      ([127, 0, 0, 129, 127, 0, 0, 129, 127, 0, 0, 129, 0, 127, 0, 127], 5120, 4, "VEC4"),
      (bytes([-1, 1, 0, -1, 1, 0, -1, 1, 0, 0, 0, 0]), 5126, 4, "VEC3"),
    ]
    var (views, accessors, offset) = ([String](), [String](), 0)
    for (index, array) in arrays.enumerated() {
      views.append(#"{"buffer":0,"byteOffset":\#(offset),"byteLength":\#(array.0.count)}"#)
      let isNormalized = array.type != 5126 && index != 1
      accessors.append(
        #"{"bufferView":\#(index),"componentType":\#(array.type),"count":\#(array.count),"#
          + #""type":"\#(array.shape)","normalized":\#(isNormalized)}"#)
      offset += array.0.count
    }
    let content = Data(arrays.flatMap(\.0)).base64EncodedString()
    return """
      {"asset":{"version":"2.0"},
      "buffers":[{"byteLength":\(offset),"uri":"data:application/octet-stream;base64,\(content)"}],
      "bufferViews":[\(views.joined(separator: ","))],
      "accessors":[\(accessors.joined(separator: ","))],
      "images":[{"uri":"\(Self.picture)"}],"textures":[{"source":0}],"materials":[\(material)],
      "meshes":[{"primitives":[{"attributes":{"POSITION":0,\(attributes)},"indices":1,"material":0
        \(targets)}]}],
      "nodes":[{"mesh":0\(node)}]}
      """
  }

  private static let picture =
    "data:image/png;base64," + Data(SceneFixtures.picture).base64EncodedString()

  private let full = #""NORMAL":2,"TANGENT":3,"TEXCOORD_0":4,"TEXCOORD_1":5"#
  /// TEXCOORD_0 and TEXCOORD_1 of the corners 0, 1, 2, 0, 2, 3, from the lower left.
  private let firstSet = [(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)].map { Vector2($0, $1) }
  private let secondSet = [(0.2, 0.6), (0.4, 0.6), (0.4, 0.2), (0.2, 0.6), (0.4, 0.2), (0.2, 0.2)]
    .map { Vector2($0, $1) }

  private func expect(
    _ found: [Vector2]?, _ expected: [Vector2], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try #require(found, sourceLocation: sourceLocation)
    try #require(found.count == expected.count, sourceLocation: sourceLocation)
    for (one, other) in zip(found, expected) {
      #expect(
        abs(one.x - other.x) < 1e-6 && abs(one.y - other.y) < 1e-6,
        sourceLocation: sourceLocation)
    }
  }

  @Test func `a file's second set and tangents are those of the corners`() throws {
    let mesh = try Reading.mesh("a.gltf", square(full))
    try expect(mesh.textureCoordinates, firstSet)
    try expect(mesh.secondTextureCoordinates, secondSet)
    // Of length 1, whatever they are in the file.
    #expect(mesh.tangents == [Tangent](repeating: Tangent(SIMD3(1, 0, 0), w: 1), count: 6))
    // The bitangent, Y, is where V grows from below, and not where the file's grows.
    #expect(mesh.tangentError < 1e-6)
  }

  @Test func `tangents may be normalised integers`() throws {
    let mesh = try Reading.mesh("a.gltf", square(#""NORMAL":2,"TANGENT":6,"TEXCOORD_0":4"#))
    #expect(mesh.tangents?[0] == Tangent(SIMD3(1, 0, 0), w: -1))
    #expect(mesh.tangents?[5] == Tangent(SIMD3(0, 1, 0), w: 1))
    #expect(mesh.secondTextureCoordinates == nil)
  }

  @Test func `a node that mirrors keeps bitangents on the surface`() throws {
    let mesh = try Reading.mesh("a.gltf", square(full, node: #","scale":[-2,1,1]"#))
    #expect(mesh.tangents?[0] == Tangent(SIMD3(-1, 0, 0), w: -1))
    #expect(mesh.tangentError < 1e-6)
  }

  @Test func `tangents move with morph targets, and without normals they have no meaning`() throws {
    let morphed = try Reading.mesh(
      "a.gltf",
      square(full, node: #","weights":[1]"#, targets: #","targets":[{"TANGENT":7}]"#))
    #expect(morphed.tangents?[0] == Tangent(SIMD3(0, 1, 0), w: 1))
    let bare = try Reading.mesh("a.gltf", square(#""TANGENT":3,"TEXCOORD_0":4"#))
    #expect(bare.tangents == nil)
  }

  @Test func `the set that the picture uses is the first one`() throws {
    let uses = [
      #""pbrMetallicRoughness":{"baseColorTexture":{"index":0,"texCoord":1}}"#,
      #""normalTexture":{"index":0,"texCoord":1}"#,
      #""pbrMetallicRoughness":{"baseColorTexture":{"index":0,"extensions":{"#
        + #""KHR_texture_transform":{"texCoord":1}}}}"#,
    ]
    for use in uses {
      let mesh = try Reading.mesh("a.gltf", square(full, material: "{\(use)}"))
      try expect(mesh.textureCoordinates, secondSet)
      try expect(mesh.secondTextureCoordinates, firstSet)
    }
  }

  @Test func `a normal map with other coordinates than the colours is left out`() throws {
    let text = square(
      full,
      material: """
        {"pbrMetallicRoughness":{"baseColorTexture":{"index":0}},
        "normalTexture":{"index":0,"texCoord":1}}
        """)
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write("a.gltf", text))
    #expect(reading.scene.materials[0].baseColorTexture == 0)
    #expect(reading.scene.materials[0].normalTexture == nil)
    #expect(
      reading.warnings == [
        "a.gltf: materials[0] uses TEXCOORD_0 for its colours, but TEXCOORD_1 for its normal map, "
          + "which is left out"
      ])
  }

  // MARK: Writing

  private func write(
    _ scene: Scene, _ format: any WritableFormat.Type = GLB.self
  ) throws -> (reading: Reading, checker: GLTFChecker, warnings: [String]) {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.\(format.extensions[0])")
    let context = WritingContext()
    try format.write(scene, to: output, in: context)
    let checker = try GLTFChecker(path: output.mainPath)
    #expect(checker.faults == [])
    return (try Reading(output.mainPath), checker, context.stage.warnings)
  }

  private var cube: Mesh {
    var mesh = MeshFixtures.cube
    mesh.addTangentSpace()
    return mesh
  }

  private func attributes(_ checker: GLTFChecker) -> [[String: Int]] {
    checker.list("meshes").flatMap { $0["primitives"] as? [[String: Any]] ?? [] }
      .map { $0["attributes"] as? [String: Int] ?? [:] }
  }

  @Test(arguments: [GLB.self, GLTF.self] as [any WritableFormat.Type])
  func `the numbers of the file are those of the corners`(format: any WritableFormat.Type) throws {
    let (reading, checker, warnings) = try write(Scene(meshes: [cube]), format)
    #expect(warnings == [])
    let found = try #require(reading.scene.meshes.first)
    #expect(found.vertexCount == 8)
    #expect(found.tangents?.map(\.w) == cube.tangents?.map(\.w))
    #expect(found.secondTextureCoordinates?.count == 36)
    #expect(found.secondSetError < 1e-5)
    #expect(found.tangentError < 1e-5)

    // Split where faces meet, and nowhere else: the first three faces are two quads' halves.
    let places = try #require(attributes(checker).first)
    let tangents = checker.values(ofAccessor: try #require(places["TANGENT"]))
    let second = checker.values(ofAccessor: try #require(places["TEXCOORD_1"]))
    #expect(tangents.count == 24)
    for (corner, tangent) in zip(cube.indices, try #require(cube.tangents)) {
      let field = linearField(cube.positions[Int(corner)])
      let isThere = zip(tangents, second).contains { numbers, place in
        numbers == [tangent.x, tangent.y, tangent.z, tangent.w].map(Double.init)
          && abs(place[0] - Double(field.x)) < 1e-5 && abs(place[1] - Double(1 - field.y)) < 1e-5
      }
      #expect(isThere)
    }
  }

  @Test func `vertices are split where only the second set or the tangents differ`() throws {
    var mesh = MeshFixtures.grid(columns: 2, rows: 1)
    mesh.normals = mesh.positions.map { _ in Vector3(0, 1, 0) }
    var unwrapped = mesh
    unwrapped.secondTextureCoordinates = mesh.indices.indices.map { Vector2($0 < 6 ? 0 : 1, 0) }
    mesh.tangents = mesh.indices.indices.map { Tangent(SIMD3(1, 0, 0), w: $0 < 6 ? 1 : -1) }
    for mesh in [unwrapped, mesh] {
      let (reading, checker, _) = try write(Scene(meshes: [mesh]))
      let position = try #require(attributes(checker).first?["POSITION"])
      #expect(checker.values(ofAccessor: position).count == 8)
      let found = try #require(reading.scene.meshes.first)
      #expect(found.vertexCount == 6)
      #expect(found.tangents == mesh.tangents)
      #expect(found.secondTextureCoordinates == mesh.secondTextureCoordinates)
    }
  }

  @Test func `a part without tangents has none in the file, a corner without one gets any`() throws
  {
    var mesh = MeshFixtures.grid(columns: 2, rows: 1)
    mesh.normals = mesh.positions.map { _ in Vector3(0, 1, 0) }
    mesh.faceMaterials = [0, 0, 1, 1]
    mesh.tangents = mesh.indices.indices.map {
      $0 == 0 || $0 >= 6 ? .none : Tangent(SIMD3(1, 0, 0), w: 1)
    }
    let materials = [Material(name: "a"), Material(name: "b")]
    let (reading, checker, _) = try write(Scene(meshes: [mesh], materials: materials))
    #expect(attributes(checker).map { $0["TANGENT"] != nil } == [true, false])
    let tangents = try #require(reading.scene.meshes[0].tangents)
    #expect(tangents[0].direction.dot(SIMD3(0, 1, 0)) == 0)
    #expect(tangents.filter { $0 == .none }.count == 6)
  }

  @Test func `tangents without normals are lost with a warning`() throws {
    var mesh = cube
    mesh.cornerNormals = nil
    let (reading, _, warnings) = try write(Scene(meshes: [mesh]))
    #expect(reading.scene.meshes[0].tangents == nil)
    #expect(
      warnings == [
        "Binary glTF 2.0 can't hold tangents without normals: tangents will be lost"
      ])
  }

  @Test(arguments: [PLY.self, OBJ.self, STL.self] as [any WritableFormat.Type])
  func `other formats say what is lost`(format: any WritableFormat.Type) throws {
    let folder = try TemporaryFolder()
    let context = WritingContext()
    var mesh = cube
    // Others than those that texture coordinates and normals give, which any program can make.
    mesh.tangents = mesh.tangents?.map { Tangent(-$0.direction, w: $0.w) }
    try format.write(
      Scene(meshes: [mesh]),
      to: OutputSet(folder: folder.path, mainFileName: "a.\(format.extensions[0])"), in: context)
    let warning = try #require(context.stage.warnings.first)
    #expect(warning.contains("second texture coordinates") && warning.contains("tangents"))
  }

  @Test func `meshscene holds both, bit by bit`() throws {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.meshscene")
    let scene = Scene(meshes: [cube, MeshFixtures.cube])
    try MeshScene.write(scene, to: output, in: WritingContext())
    #expect(try Reading(output.mainPath).scene == scene)
  }
}
