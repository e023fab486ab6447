import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// Copies by `EXT_mesh_gpu_instancing`, and variants of materials.
struct GLTFInstancingTests {
  @Test func `what is far from zero keeps its shape`() throws {
    let folder = try TemporaryFolder()
    let text = GLTFText.document(
      [GLTFText.floats([0, 0, 0, 0.001, 0, 0, 0, 0.002, 0])],
      """
      "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
      "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
      "nodes":[{"mesh":0,"translation":[500000.25,100,-4000000]},
        {"mesh":0,"translation":[500001.25,100,-4000000]}]
      """)
    let reading = try Reading(folder.write("a.gltf", text))
    #expect(reading.scene.origin == SIMD3(500_000, 0, -4_000_000))
    let (one, other) = (reading.scene.meshes[0].positions, reading.scene.meshes[1].positions)
    #expect(one[0] == Vector3(0.25, 100, 0))
    #expect(abs(one[1].x - one[0].x - 0.001) < 1e-7)
    #expect(abs(other[0].x - one[0].x - 1) < 1e-7)
    #expect(reading.warnings == [])
  }

  @Test func `a scene stands where its centre on the globe says`() throws {
    let folder = try TemporaryFolder()
    func reading(_ center: String) throws -> Reading {
      try Reading(
        folder.write(
          "a.gltf",
          GLTFText.document(
            [GLTFText.floats([0, 0, 0, 1, 0, 0, 0, 2, 0])],
            """
            "extensionsRequired":["CESIUM_RTC"],"extensions":{"CESIUM_RTC":{"center":\(center)}},
            "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
            "nodes":[{"mesh":0,"translation":[1,0,0]}]
            """)))
    }
    // Z is the globe's axis, and up in glTF is Y.
    let scene = try reading("[-3954870.5, 3352330.25, 3701400]").scene
    let corner = scene.meshes[0].positions[0].double + scene.origin
    #expect((corner - SIMD3(-3_954_869.5, 3_701_400, -3_352_330.25)).length < 1e-3)
    #expect(scene.meshes[0].bounds.extent == 2)
    #expect(throws: ReadingError.self) { try reading("[1, 2]") }
  }

  /// A triangle of one metre, drawn where floats say; `attributes` name accessors 1 to 3.
  private func document(
    _ attributes: String, _ translations: [Float], _ rotations: [Float], _ scales: [Float],
    counts: [Int]
  ) -> String {
    let triangle: [Float] = [0, 0, 0, 1, 0, 0, 0, 1, 0]
    let accessors = zip(["VEC3", "VEC3", "VEC4", "VEC3"], [3] + counts).enumerated().map {
      #"{"bufferView":\#($0),"componentType":5126,"type":"\#($1.0)","count":\#($1.1)}"#
    }
    return GLTFText.document(
      [triangle, translations, rotations, scales].map { GLTFText.floats($0) },
      """
      "extensionsRequired":["EXT_mesh_gpu_instancing"],
      "nodes":[{"mesh":0,"name":"leaf","translation":[10,0,0],
        "extensions":{"EXT_mesh_gpu_instancing":{"attributes":{\(attributes)}}}}],
      "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
      "accessors":[\(accessors.joined(separator: ","))]
      """)
  }

  private static let all = #""TRANSLATION":1,"ROTATION":2,"SCALE":3"#

  @Test func `copies are where nodes with these transforms would be`() throws {
    let half = Float(0.5).squareRoot()
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "a.gltf",
      Array(
        document(
          Self.all, [0, 0, 0, 0, 2, 0], [0, 0, 0, 1, 0, 0, half, half], [1, 1, 1, 2, 3, 1],
          counts: [2, 2, 2]
        ).utf8))
    let scene = try Reading(path).scene
    #expect(scene.meshes.map(\.name) == ["leaf", "leaf"])
    let corners = scene.meshes.map { mesh in mesh.indices.map { mesh.positions[Int($0)].simd } }
    #expect(corners[0] == [SIMD3(10, 0, 0), SIMD3(11, 0, 0), SIMD3(10, 1, 0)])
    // Scaled, a quarter of a turn about Z, moved.
    for (found, expected) in zip(
      corners[1], [SIMD3<Float>(10, 2, 0), SIMD3(10, 4, 0), SIMD3(7, 2, 0)])
    {
      #expect((found - expected).length < 1e-5)
    }
  }

  @Test func `translations alone do`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "a.gltf",
      Array(
        document(
          #""TRANSLATION":1,"_ID":3"#, [0, 0, 0, 5, 0, 0], [], [1, 1, 1], counts: [2, 0, 1]
        )
        .utf8))
    let scene = try Reading(path).scene
    #expect(scene.meshes.map { $0.positions.map(\.x).min() } == [10, 15])
  }

  @Test func `different numbers of values are refused`() throws {
    let text = document(
      Self.all, [0, 0, 0, 5, 0, 0], [0, 0, 0, 1], [1, 1, 1], counts: [2, 1, 1])
    #expect(
      try readingFault("a.gltf", text)
        == "a.gltf: nodes[0]: its instances have 2 and 1 and 1 values")
  }

  @Test func `more copies than a file can mean are refused`() throws {
    // An accessor without a view is all zeros and may claim many elements.
    let text = document(#""TRANSLATION":1"#, [], [], [], counts: [1_000_000, 0, 0])
      .replacingOccurrences(of: #"{"bufferView":1,"#, with: "{")
    #expect(
      try readingFault("a.gltf", text)
        == "a.gltf: meshes[0]: its 1000000 instances are more data than plausible; is the file damaged?"
    )
  }

  @Test func `the default materials of variants are read, and the rest is told`() throws {
    let folder = try TemporaryFolder()
    let text = document(#""TRANSLATION":1"#, [0, 0, 0], [], [], counts: [1, 0, 0])
      .replacingOccurrences(
        of: #"{"POSITION":0}}"#,
        with:
          #"{"POSITION":0},"material":0,"extensions":{"KHR_materials_variants":"#
          + #"{"mappings":[{"material":1,"variants":[1]}]}}}"#
      )
      .replacingOccurrences(
        of: #""accessors""#,
        with:
          #""materials":[{"name":"red"},{"name":"blue"}],"extensions":{"KHR_materials_variants":"#
          + #"{"variants":[{"name":"day"},{"name":"night"}]}},"accessors""#
      )
    let reading = try Reading(try folder.write("a.gltf", Array(text.utf8)))
    #expect(reading.scene.materials.map(\.name) == ["red"])
    #expect(
      reading.warnings == [
        "a.gltf: the material variants 'day', 'night' are left out; the default materials are read"
      ])
  }
}
