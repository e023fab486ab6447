import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// glTF compressed by `EXT_meshopt_compression`, with gltfpack as the other program.
struct GLTFCompressionTests {
  /// A scene as gltfpack packs it, and its path.
  private func packed(_ scene: Scene, _ options: [String], in folder: TemporaryFolder) throws
    -> String
  {
    let (plain, packed) = (folder.path + "/plain.glb", folder.path + "/packed.glb")
    try GLB.write(
      scene, to: OutputSet(folder: folder.path, mainFileName: "plain.glb"), in: WritingContext())
    let run = try Program.run(
      Checkers.program("gltfpack"), ["-i", plain, "-o", packed, "-km"] + options)
    #expect(run.status == 0, "\(run.output)")
    return packed
  }

  /// The corners of each face, in an order that doesn't depend on the file's.
  private func faces(_ mesh: Mesh) -> [[[Float]]] {
    let faces = (0..<mesh.faceCount).map { face -> [[Float]] in
      let corners = (0..<3).map { corner -> [Float] in
        let number = 3 * face + corner
        let position = mesh.positions[Int(mesh.indices[number])]
        let place = mesh.textureCoordinates?[number] ?? .zero
        return [position.x, position.y, position.z, place.x, place.y]
      }
      let first = (0..<3).min { corners[$0].lexicographicallyPrecedes(corners[$1]) } ?? 0
      return Array(corners[first...] + corners[..<first])
    }
    return faces.sorted { $0.joined().lexicographicallyPrecedes($1.joined()) }
  }

  @Test func `compressed files without quantisation have the same faces`() throws {
    let folder = try TemporaryFolder()
    let mesh = MeshFixtures.torus()
    let path = try packed(Scene(meshes: [mesh]), ["-cc", "-noq"], in: folder)
    let bytes = try Data(contentsOf: URL(filePath: path))
    #expect(bytes.range(of: Data("EXT_meshopt_compression".utf8)) != nil)
    let read = try Reading(path)
    #expect(read.warnings.isEmpty)
    let result = try #require(read.scene.meshes.first)
    #expect(read.scene.meshes.count == 1 && faces(result) == faces(mesh))
  }

  @Test(arguments: ["-c", "-cc"])
  func `quantised and filtered files have the same surface`(option: String) throws {
    let folder = try TemporaryFolder()
    var mesh = MeshFixtures.sphere()
    mesh.normals = mesh.positions
    let path = try packed(Scene(meshes: [mesh]), [option], in: folder)
    let result = try #require(try Reading(path).scene.meshes.first)
    #expect(result.faceCount == mesh.faceCount)
    let normals = try #require(result.normals)
    // Positions have 14 bits for the extent of two metres, normals 8 for each of two directions.
    for position in result.positions { #expect(abs(position.simd.length - 1) < 2e-4) }
    for (position, normal) in zip(result.positions, normals) {
      #expect(normal.simd.dot(position.simd.normalized) > 0.9995)
    }
  }

  @Test func `damage is an error that names the view, or leaves a valid mesh`() throws {
    let folder = try TemporaryFolder()
    let path = try packed(Scene(meshes: [MeshFixtures.torus()]), ["-cc"], in: folder)
    let bytes = Array(try Data(contentsOf: URL(filePath: path)))
    let start = 20 + Int(bytes[12]) + Int(bytes[13]) << 8
    var random = SeededGenerator(seed: 7)
    var faults = 0
    for _ in 0..<60 {
      var damaged = bytes
      let place = Int.random(in: start..<bytes.count, using: &random)
      for offset in place..<min(place + 40, bytes.count) {
        damaged[offset] = UInt8.random(in: 0...255, using: &random)
      }
      let file = try folder.write("damaged.glb", damaged)
      do {
        _ = try Reading(file)
      } catch let error as ReadingError {
        faults += 1
        let places = ["bufferViews[", "meshes[", "accessors["]
        #expect(places.contains { error.message.contains($0) }, "\(error.message)")
      }
    }
    #expect(faults > 0)
  }

  /// A document with one compressed view of sixteen bytes.
  private func document(_ compression: String) -> String {
    let view =
      #"{"buffer":1,"byteLength":16,"extensions":{"EXT_meshopt_compression":\#(compression)}}"#
    return """
      {"asset":{"version":"2.0"},"extensionsRequired":["EXT_meshopt_compression"],
      "buffers":[{"byteLength":16,"uri":"data:;base64,oAAAAAAAAAAAAAAAAAAAAA=="},
        {"byteLength":16,"extensions":{"EXT_meshopt_compression":{"fallback":true}}}],
      "bufferViews":[\(view)],
      "nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
      "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":1}]}
      """
  }

  @Test(arguments: [
    (
      #""mode":"ATTRIBUTES","count":1099511627776,"byteStride":12"#,
      "16 bytes can't hold 1099511627776 elements"
    ),
    (
      #""mode":"ATTRIBUTES","count":9007199254740991,"byteStride":256"#,
      "16 bytes can't hold 9007199254740991 elements"
    ),
    (
      #""mode":"ATTRIBUTES","count":4,"byteStride":5"#,
      "ATTRIBUTES of 4 elements of 5 bytes can't have filter NONE"
    ),
    (
      #""mode":"TRIANGLES","count":4,"byteStride":4"#,
      "TRIANGLES of 4 elements of 4 bytes can't have filter NONE"
    ),
    (
      #""mode":"ATTRIBUTES","filter":"OCTAHEDRAL","count":4,"byteStride":12"#,
      "ATTRIBUTES of 4 elements of 12 bytes can't have filter OCTAHEDRAL"
    ),
    (
      #""mode":"STRIPS","count":4,"byteStride":4"#,
      "compression mode 'STRIPS' is unknown"
    ),
    (
      #""mode":"ATTRIBUTES","filter":"COLOR","count":4,"byteStride":12"#,
      "ATTRIBUTES of 4 elements of 12 bytes can't have filter COLOR"
    ),
    (
      #""mode":"ATTRIBUTES","filter":"ROUND","count":4,"byteStride":4"#,
      "compression filter 'ROUND' is unknown"
    ),
  ])
  func `claims that can't be true are refused`(claim: String, message: String) throws {
    let fault = try readingFault(
      "a.gltf", document(#"{"buffer":0,"byteLength":16,\#(claim)}"#))
    #expect(fault == "a.gltf: bufferViews[0]: " + message)
  }

  @Test func `a compressed view beyond its buffer is refused`() throws {
    let fault = try readingFault(
      "a.gltf",
      document(
        #"{"buffer":0,"byteOffset":8,"byteLength":16,"mode":"INDICES","count":1,"byteStride":4}"#))
    #expect(fault == "a.gltf: bufferViews[0]: reaches beyond the end of buffer 0")
  }

  @Test func `naming a file often does not raise what its views may claim`() throws {
    let folder = try TemporaryFolder()
    // Sixty blocks of 256 vertices that are all zero, in sixteen bytes each: near the largest ratio.
    try folder.write("a.bin", [0xA0] + [UInt8](repeating: 0, count: 992))
    let buffers = Array(repeating: #"{"byteLength":993,"uri":"a.bin"}"#, count: 100)
    let view = """
      {"buffer":0,"byteLength":16,"extensions":{"EXT_meshopt_compression":{"buffer":0,"byteLength":993,
      "mode":"ATTRIBUTES","count":15360,"byteStride":4}}}
      """
    let path = try folder.write(
      "a.gltf",
      """
      {"asset":{"version":"2.0"},"buffers":[\(buffers.joined(separator: ","))],
      "bufferViews":[\(Array(repeating: view, count: 100).joined(separator: ","))]}
      """)
    let error = #expect(throws: ReadingError.self) { try Reading(path) }
    #expect(
      error?.message.hasSuffix("bufferViews[1]: the views claim more than the file can hold")
        == true)
  }

  @Test func `a buffer without compression may be there or not`() throws {
    let folder = try TemporaryFolder()
    let mesh = MeshFixtures.torus()
    let path = try packed(Scene(meshes: [mesh]), ["-cf", "-noq"], in: folder)
    let fallback = folder.path + "/packed.fallback.bin"
    #expect(try Reading(path).scene.meshes.first.map(faces) == faces(mesh))
    try FileManager.default.removeItem(atPath: fallback)
    #expect(try Reading(path).scene.meshes.first.map(faces) == faces(mesh))
  }
}
