import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// Skinned meshes, which are read at rest.
@Suite struct GLTFSkinTests {
  /// A strip of two joints: the first at the origin, the second at (0, 1, 0), turned by 90° about z.
  private struct Strip {
    /// Up to three vertices, and a triangle of them.
    var positions: [Float] = [0, 0, 0, 0, 2, 0, 1, 0, 0]
    var normals: [Float] = [0, 0, 1, 0, 1, 0, 0, 0, 1]
    var joints: [UInt8] = [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    var weights: [Float] = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    /// The second joint was bound where it is, but not turned.
    var bound: [Float] = [
      1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
      1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1,
    ]
    var jointNodes = "[1,2]"
    var more = ""

    var text: String {
      GLTFText.document(
        [
          GLTFText.floats(positions), GLTFText.floats(normals), joints, GLTFText.floats(weights),
          GLTFText.floats(bound),
        ],
        """
        "accessors":[
          {"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
          {"bufferView":1,"componentType":5126,"count":3,"type":"VEC3"},
          {"bufferView":2,"componentType":5121,"count":3,"type":"VEC4"},
          {"bufferView":3,"componentType":5126,"count":3,"type":"VEC4"},
          {"bufferView":4,"componentType":5126,"count":\(bound.count / 16),"type":"MAT4"}],
        "meshes":[{"primitives":[{"attributes":
          {"POSITION":0,"NORMAL":1,"JOINTS_0":2,"WEIGHTS_0":3}}]}],
        "skins":[{"joints":\(jointNodes),"inverseBindMatrices":4}],
        "nodes":[{"mesh":0,"skin":0,"translation":[50,0,0]},{"children":[2]},
          {"translation":[0,1,0],"rotation":[0,0,0.7071067811865476,0.7071067811865476]}],
        "scenes":[{"nodes":[0,1]}]\(more)
        """)
    }
  }

  private func isNear(_ vector: Vector3, _ x: Float, _ y: Float, _ z: Float) -> Bool {
    (vector.simd - SIMD3(x, y, z)).length < 1e-5
  }

  @Test func `vertices follow their joints, and not the node of the mesh`() throws {
    let folder = try TemporaryFolder()
    let read = try Reading(folder.write("a.gltf", Strip().text))
    let mesh = try #require(read.scene.meshes.first)
    #expect(isNear(mesh.positions[0], 0, 0, 0))
    #expect(isNear(mesh.positions[1], -1, 1, 0))
    #expect(isNear(mesh.positions[2], 1, 0, 0))
    #expect(isNear(try #require(mesh.normals)[1], -1, 0, 0))
    #expect(read.warnings == ["a.gltf: skinned meshes are read as their joints hold them at rest"])
  }

  @Test func `a vertex of two joints is at their weighted mean`() throws {
    var strip = Strip()
    strip.joints[4...7] = [0, 1, 0, 0]
    // Weights that do not add up to 1 are still shares.
    strip.weights[4...7] = [0.25, 0.75, 0, 0].map { 2 * $0 }[...]
    let mesh = try Reading.mesh("a.gltf", strip.text)
    #expect(isNear(mesh.positions[1], -0.75, 0.25 * 2 + 0.75, 0))
  }

  @Test func `without matrices the joints' own transforms count`() throws {
    let text = Strip().text.replacingOccurrences(of: ",\"inverseBindMatrices\":4", with: "")
    let mesh = try Reading.mesh("a.gltf", text)
    // (0, 2, 0) turned and moved up by the second joint.
    #expect(isNear(mesh.positions[1], -2, 1, 0))
  }

  @Test func `animations are told of`() throws {
    let folder = try TemporaryFolder()
    var strip = Strip()
    strip.more = #","animations":[{"channels":[],"samplers":[]},{"channels":[],"samplers":[]}]"#
    let text = strip.text.replacingOccurrences(of: "\"skin\":0,", with: "")
    let read = try Reading(folder.write("a.gltf", text))
    #expect(read.warnings == ["a.gltf: 2 animations are left out"])
    #expect(isNear(try #require(read.scene.meshes.first).positions[0], 50, 0, 0))
  }

  @Test func `damaged skins are errors`() throws {
    func fault(_ change: (inout Strip) -> Void) throws -> String {
      var strip = Strip()
      change(&strip)
      return try readingFault("a.gltf", strip.text)
    }
    #expect(
      try fault { $0.joints[4] = 7 }
        == "a.gltf: meshes[0].primitives[0]: refers to joint 7.0 of skins[0], which has 2")
    #expect(
      try fault { $0.bound.removeLast(16) }
        == "a.gltf: skins[0]: has 1 inverse bind matrices for 2 joints")
    #expect(
      try fault { $0.jointNodes = "[1,9]" } == "a.gltf: skins[0]: joint 1 is not a node of the tree"
    )
    let cycle = Strip().text.replacingOccurrences(
      of: "{\"translation\":[0,1,0],", with: "{\"children\":[1],\"translation\":[0,1,0],")
    #expect(try readingFault("a.gltf", cycle).hasPrefix("a.gltf: "))
  }
}
