import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

@Suite struct GLTFReadingTests {
  private let square: [Float] = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]

  private func accessor(
    _ view: Int, _ type: Int, _ count: Int, _ shape: String, _ more: String = ""
  )
    -> String
  {
    #"{"bufferView":\#(view),"componentType":\#(type),"count":\#(count),"type":"\#(shape)"\#(more)}"#
  }

  @Test func `node transforms are applied, from the root down`() throws {
    let text = GLTFText.document(
      [GLTFText.floats(square), [0, 1, 2, 0, 2, 3]],
      """
      "accessors":[\(accessor(0, 5126, 4, "VEC3")),\(accessor(1, 5121, 6, "SCALAR"))],
      "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
      "nodes":[{"children":[1],"translation":[10,0,0]},
        {"name":"Floor","mesh":0,"rotation":[0,0,0.7071067811865476,0.7071067811865476],"scale":[2,1,1]}],
      "scenes":[{"nodes":[0]}],"scene":0
      """)
    let mesh = try Reading.mesh("a.gltf", text)
    let expected = [Vector3(10, 0, 0), Vector3(10, 2, 0), Vector3(9, 2, 0), Vector3(9, 0, 0)]
    for (position, wanted) in zip(mesh.positions, expected) {
      #expect((position.simd - wanted.simd).length < 1e-5)
    }
    #expect(mesh.indices == [0, 1, 2, 0, 2, 3])
    #expect(mesh.name == "Floor")
    #expect(mesh.classes?.labels == [2, 2])
  }

  @Test func `morph targets are applied as their weights say, the node's before the mesh's`() throws
  {
    let offsets: [Float] = [0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0]
    for (weights, node, height) in [
      ("[0.5]", "", Float(4)), ("[0.5]", #","weights":[1]"#, 8), ("[]", "", 0),
    ] {
      let text = GLTFText.document(
        [GLTFText.floats(square), GLTFText.floats(offsets), [0, 1, 2, 0, 2, 3]],
        """
        "accessors":[\(accessor(0, 5126, 4, "VEC3")),\(accessor(1, 5126, 4, "VEC3")),
          \(accessor(2, 5121, 6, "SCALAR"))],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":2,"targets":[{"POSITION":1}]}],
          "weights":\(weights)}],
        "nodes":[{"mesh":0\(node)}]
        """)
      let mesh = try Reading.mesh("a.gltf", text)
      #expect(mesh.positions[2] == Vector3(1, 1, height))
      #expect(mesh.positions[1] == Vector3(1, 0, 0))
    }
  }

  @Test func `what begins like no JSON is refused before it is taken into memory`() throws {
    #expect(
      try readingFault("a.gltf", [UInt8](repeating: 0, count: 5000))
        == "a.gltf:1: expected a JSON object")
    #expect(try readingFault("a.glb", "") == "a.glb:1: expected a JSON object")
  }

  @Test func `strips, fans and plain lists give the same surface`() throws {
    for (mode, indices) in [(4, [0, 1, 2, 0, 2, 3]), (5, [1, 2, 0, 3]), (6, [0, 1, 2, 3])] {
      let text = GLTFText.document(
        [GLTFText.floats(square), indices.flatMap { [UInt8($0), 0] }],
        """
        "accessors":[\(accessor(0, 5126, 4, "VEC3")),\(accessor(1, 5123, indices.count, "SCALAR"))],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"mode":\(mode)}]}],
        "nodes":[{"mesh":0}]
        """)
      let mesh = try Reading.mesh("a.gltf", text)
      #expect(mesh.faceCount == 2)
      for face in 0..<2 { #expect(mesh.normal(face).z == 1) }
    }
  }

  @Test func `quantised attributes, sparse values and V from the top`() throws {
    let text = GLTFText.document(
      [
        [0, 0, 0, 0, 255, 0, 0, 0, 255, 255, 0, 0, 0, 255, 0, 0],  // positions, stride 4
        [0, 0, 255, 0, 255, 255, 0, 255],  // texture coordinates
        [2], GLTFText.floats([1, 1, 5]),  // vertex 2 is elsewhere
        [0, 0, 127, 0, 0, 0, 127, 0, 0, 0, 127, 0, 0, 0, 127, 0],  // normals
        [0, 128, 255, 255],
      ],
      """
      "extensionsRequired":["KHR_mesh_quantization"],
      "accessors":[
        {"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":1,
          "indices":{"bufferView":2,"componentType":5121},"values":{"bufferView":3}}},
        \(accessor(1, 5121, 4, "VEC2", #","normalized":true"#)),
        \(accessor(4, 5120, 4, "VEC3", #","normalized":true,"byteOffset":0"#))],
      "meshes":[{"primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":1},"mode":6}]}],
      "nodes":[{"mesh":0}]
      """)
    let mesh = try Reading.mesh("a.gltf", text)
    #expect(mesh.positions == [.zero, Vector3(1, 1, 5)])
    #expect(mesh.textureCoordinates?[0] == Vector2(0, 1))
    #expect(mesh.textureCoordinates?[2] == Vector2(1, 0))
  }

  @Test func `colours are turned from linear, and pictures stay as they are`() throws {
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0]
    let folder = try TemporaryFolder()
    try folder.write("my maps/a b.png", png)
    try folder.write(
      "a.bin",
      GLTFText.floats(square) + GLTFText.floats([1, 0.2140411, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]))
    let path = try folder.write(
      "a.gltf",
      """
      {"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":96}],
      "bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":48}],
      "accessors":[\(accessor(0, 5126, 4, "VEC3")),\(accessor(1, 5126, 4, "VEC3"))],
      "images":[{"uri":"my%20maps/a%20b.png"}],"textures":[{"source":0}],
      "materials":[{"name":"skin","alphaMode":"BLEND","pbrMetallicRoughness":{
        "baseColorTexture":{"index":0},"baseColorFactor":[1,0.5,0,0.25],"roughnessFactor":0.5}}],
      "meshes":[{"primitives":[{"attributes":{"POSITION":0,"COLOR_0":1},"material":0,"mode":6}]}],
      "nodes":[{"mesh":0}]}
      """)
    let reading = try Reading(path)
    let mesh = reading.scene.meshes[0]
    #expect(mesh.colors?.first == Color(red: 255, green: 127, blue: 0))
    #expect(reading.scene.textures == [Texture(fileName: "a b.png", encoding: .png, bytes: png)])
    let material = try #require(reading.scene.materials.first)
    #expect(material.baseColor == SIMD4(1, 0.5, 0, 0.25))
    #expect((material.metallic, material.roughness) == (1, 0.5))
    #expect(material.baseColorTexture == 0)
    #expect(reading.openedFiles == ["a.bin", "my maps/a b.png"].map { folder.path + "/" + $0 })
  }

  @Test func `escapes in URIs are decoded once, unless only the name as written exists`() throws {
    func picture(_ uri: String, _ files: String...) throws -> String? {
      let folder = try TemporaryFolder()
      for file in files { try folder.write(file, [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0]) }
      try folder.write("a.bin", GLTFText.floats(square))
      let path = try folder.write(
        "a.gltf",
        """
        {"asset":{"version":"2.0"},"buffers":[{"uri":"%61.bin","byteLength":48}],
        "bufferViews":[{"buffer":0,"byteLength":48}],"accessors":[\(accessor(0, 5126, 4, "VEC3"))],
        "images":[{"uri":"\(uri)"}],"textures":[{"source":0}],
        "materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0,"mode":6}]}],
        "nodes":[{"mesh":0}]}
        """)
      return try Reading(path).scene.textures.first?.fileName
    }
    #expect(try picture("a%20b.png", "a b.png", "a%20b.png") == "a b.png")
    #expect(try picture("a%2520b.png", "a b.png", "a%20b.png") == "a%20b.png")
    #expect(try picture("a%20b.png", "a%20b.png") == "a%20b.png")
    #expect(try picture("100%.png", "100%.png") == "100%.png")
  }

  @Test func `data URIs without base64 keep bytes that are not text`() {
    #expect(DataURI.bytes(of: "data:image/png,%89PNG%0D") == [0x89, 0x50, 0x4E, 0x47, 13])
    #expect(DataURI.bytes(of: "data:,a%zz") == Array("a%zz".utf8))
  }

  @Test func `what is written is read back as it was`() throws {
    var mesh = MeshFixtures.cube
    mesh.name = "room"
    mesh.cornerNormals = (0..<mesh.cornerCount).map { mesh.normal($0 / 3) }
    mesh.textureCoordinates = (0..<mesh.cornerCount).map {
      Vector2(Float($0 % 5) / 4, Float($0 % 3) / 2)
    }
    mesh.colors = (0..<8).map { Color(red: UInt8($0 * 30), green: 255, blue: 7, alpha: 200) }
    mesh.classes = FaceClasses(
      labels: (0..<12).map { $0 < 6 ? 1 : 20 }, names: FaceClasses.arkitNames + ["lamp"])
    mesh.faceMaterials = (0..<12).map { $0 % 2 == 0 ? 0 : 1 }
    let scene = Scene(
      name: "room", meshes: [mesh],
      materials: [Material(name: "red"), Material(name: "blue", metallic: 0.5)])
    for format in [GLB.self, GLTF.self] as [any (ReadableFormat & WritableFormat).Type] {
      let folder = try TemporaryFolder()
      let output = OutputSet(folder: folder.path, mainFileName: "room." + format.extensions[0])
      try format.write(scene, to: output, in: WritingContext())
      let read = try Reading(output.mainPath).scene
      let result = try #require(read.meshes.first)
      #expect(result.vertexCount == 8)
      #expect(Set(result.positions) == Set(mesh.positions))
      #expect(read.materials.map(\.name).sorted() == ["blue", "red"])
      #expect(result.name == "room")
      func faces(_ mesh: Mesh, _ scene: Scene) -> Set<String> {
        Set(
          (0..<mesh.faceCount).map { face in
            let corners = (3 * face..<3 * face + 3).map { corner in
              let vertex = Int(mesh.indices[corner])
              let normal = mesh.cornerNormals?[corner] ?? mesh.normals?[vertex]
              return
                "\(mesh.positions[vertex])\(mesh.textureCoordinates![corner])\(normal!)\(mesh.colors![vertex])"
            }
            let first = corners.indices.min { corners[$0] < corners[$1] } ?? 0
            let material = scene.materials[Int(mesh.faceMaterials![face])].name
            let label = mesh.classes!.names[Int(mesh.classes!.labels[face])]
            return (corners[first...] + corners[..<first]).joined() + material + label
          })
      }
      #expect(faces(result, read) == faces(mesh, scene))
    }
  }

  @Test(arguments: [
    (
      #"{"asset":{"version":"1.0"}}"#,
      "asset: is glTF version 1.0; only 2 is supported; convert it to glTF 2 with gltf-pipeline"
    ),
    (#"{"asset":{"version":"2.0"},"scene":3}"#, "contains no faces or points"),
    (
      #"{"asset":{"version":"2.0"},"scenes":[{"nodes":[7]}]}"#,
      "nodes[7]: does not exist; there are 0"
    ),
    (
      #"{"asset":{"version":"2.0"},"nodes":[{"children":[0]}],"scenes":[{"nodes":[0]}]}"#,
      "nodes[0]: is more than once in the tree"
    ),
    (
      #"{"asset":{"version":"2.0"},"buffers":[{"uri":"../x.bin","byteLength":4}]}"#,
      "buffers[0]: the buffer '../x.bin' does not exist"
    ),
    (
      #"{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"componentType":5126,"type":"VEC3","count":4000000000}]}"#,
      "accessors[0]: claims 4000000000 elements, more than the file can hold"
    ),
    (
      #"{"asset":{"version":"2.0"},"buffers":[{"uri":"data:;base64,AAAA","byteLength":4}]}"#,
      "buffers[0]: has 3 bytes instead of 4"
    ),
  ])
  func `damage is told with its place`(_ text: String, _ message: String) throws {
    #expect(try readingFault("a.gltf", text) == "a.gltf: " + message)
  }

  @Test(
    arguments: [
      ("MSFT_texture_dds", "images in an unsupported format are left out"),
      ("EXT_structural_metadata", "metadata are left out"),
      ("VRMC_vrm", "character data are left out"),
      ("CESIUM_primitive_outline", "outlines are left out"),
      ("KHR_animation_pointer", "animations are left out"),
      ("KHR_node_visibility", "hidden nodes are read too"),
      ("KHR_techniques_webgl", "shader-based materials are left out"),
    ])
  func `extensions that change no shape are passed over with a warning`(
    name: String, loss: String
  ) throws {
    let text = GLTFText.document(
      [GLTFText.floats(square), [0, 1, 2, 0, 2, 3]],
      """
      "extensionsRequired":["\(name)"],
      "accessors":[\(accessor(0, 5126, 4, "VEC3")),\(accessor(1, 5121, 6, "SCALAR"))],
      "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
      "nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"scene":0
      """)
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write("a.gltf", text))
    #expect(reading.scene.faceCount == 2)
    #expect(reading.warnings == ["a.gltf: \(loss) (\(name))"])
  }

  @Test(arguments: ["EXT_mesh_manifold", "ACME_splines"])
  func `extensions that may change shapes are refused`(name: String) throws {
    let text = #"{"asset":{"version":"2.0"},"extensionsRequired":["\#(name)"]}"#
    #expect(try readingFault("a.gltf", text).contains("not supported (\(name))"))
  }

  /// A GLB of one square, its JSON padded or not.
  private func binary(isPadded: Bool) -> Data {
    let buffer = GLTFText.floats(square) + [0, 1, 2, 0, 2, 3, 0, 0]
    var json = """
      {"asset":{"version":"2.0"},"buffers":[{"byteLength":\(buffer.count)}],"bufferViews":\
      [{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":6}],"accessors":\
      [\(accessor(0, 5126, 4, "VEC3")),\(accessor(1, 5121, 6, "SCALAR"))],"meshes":\
      [{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"nodes":[{"mesh":0}],"scenes":\
      [{"nodes":[0]}]}
      """
    while json.utf8.count % 4 != (isPadded ? 0 : 1) { json += " " }
    func word(_ value: Int) -> Data { withUnsafeBytes(of: UInt32(value).littleEndian) { Data($0) } }
    let chunks =
      word(json.utf8.count) + Data("JSON".utf8) + Data(json.utf8) + word(buffer.count)
      + Data("BIN\0".utf8) + Data(buffer)
    return Data("glTF".utf8) + word(2) + word(12 + chunks.count) + chunks
  }

  @Test(arguments: [true, false])
  func `a chunk that is not padded is read with a warning`(isPadded: Bool) throws {
    let folder = try TemporaryFolder()
    try binary(isPadded: isPadded).write(to: URL(filePath: folder.path + "/a.glb"))
    let reading = try Reading(folder.path + "/a.glb")
    #expect(reading.scene.meshes.first?.positions.count == 4)
    #expect(reading.scene.faceCount == 2)
    #expect(reading.warnings.count == (isPadded ? 0 : 1))
  }
}

extension Mesh {
  fileprivate func normal(_ face: Int) -> Vector3 {
    let (a, b, c) = vertices(ofFace: face)
    let origin = positions[Int(a)].double
    let normal = (positions[Int(b)].double - origin).cross(positions[Int(c)].double - origin)
    return Vector3(SIMD3<Float>(normal.normalized))
  }
}
