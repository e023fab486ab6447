import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Formats

/// Materials of glTF files: textures, factors, opacity and emitted light.
struct GLTFMaterialTests {
  /// A triangle whose only material is given, with two textures.
  private func reading(_ material: String) throws -> Reading {
    let picture = Data(SceneFixtures.picture).base64EncodedString()
    let folder = try TemporaryFolder()
    return try Reading(folder.write("a.gltf", text(material, picture)))
  }

  private func text(_ material: String, _ picture: String = "") -> String {
    GLTFText.document(
      [GLTFText.floats([0, 0, 0, 1, 0, 0, 1, 1, 0]), GLTFText.floats([0, 0, 1, 0, 1, 1])],
      """
      "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
        {"bufferView":1,"componentType":5126,"count":3,"type":"VEC2"}],
      "images":[{"uri":"data:image/png;base64,\(picture)"},{"uri":"data:image/png;base64,\(picture)AA"}],
      "textures":[{"source":0},{"source":1}],"materials":[\(material)],
      "meshes":[{"primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":1},"material":0}]}],
      "nodes":[{"mesh":0}]
      """)
  }

  @Test func `all textures and factors are read`() throws {
    let reading = try reading(
      """
      {"pbrMetallicRoughness":{"baseColorTexture":{"index":0},
        "metallicRoughnessTexture":{"index":1},"metallicFactor":0.5,"roughnessFactor":7},
      "occlusionTexture":{"index":1},"emissiveTexture":{"index":0},"emissiveFactor":[0.5,1,-3],
      "extensions":{"KHR_materials_emissive_strength":{"emissiveStrength":4}}}
      """)
    let material = reading.scene.materials[0]
    #expect(material.baseColorTexture == 0)
    #expect(material.metallicRoughnessTexture == 1)
    #expect(material.occlusionTexture == 1)
    #expect(material.emissiveTexture == 0)
    #expect((material.metallic, material.roughness) == (0.5, 1))
    #expect(material.emissive == SIMD3(2, 4, 0))
    #expect(reading.scene.textures.count == 2)
    #expect(reading.warnings == [])
  }

  @Test(arguments: [(true, Float(0)), (false, 1)])
  func `an unlit material without a factor is not metal`(isUnlit: Bool, metallic: Float) throws {
    let extensions = isUnlit ? #""extensions":{"KHR_materials_unlit":{}},"# : ""
    let reading = try reading("{\(extensions)\"name\":\"a\"}")
    #expect(reading.scene.materials[0].isUnlit == isUnlit)
    #expect(reading.scene.materials[0].metallic == metallic)
  }

  @Test func `specular-glossiness materials keep their colours, and are not metal`() throws {
    func glossy(_ more: String) throws -> Reading {
      try reading(
        #"{"extensions":{"KHR_materials_pbrSpecularGlossiness":{"diffuseFactor":[1,0.5,0.25,1],"#
          + #""diffuseTexture":{"index":1},"glossinessFactor":0.75\#(more)}}}"#)
    }
    let plain = try glossy("")
    let material = plain.scene.materials[0]
    #expect(material.baseColor == SIMD4(1, 0.5, 0.25, 1))
    #expect(material.baseColorTexture == 0 && plain.scene.textures.count == 1)
    #expect((material.metallic, material.roughness) == (0, 0.25))
    #expect(plain.warnings == [])
    let varied = try glossy(#","specularGlossinessTexture":{"index":0}"#)
    #expect(varied.scene.materials[0].roughness == 1)
    #expect(
      varied.warnings == [
        "a.gltf: the shine of specular-glossiness materials is left out, while their colours are read"
      ])
  }

  @Test(arguments: [(33_071, 1), (33_648, 1), (10_497, 0)])
  func `textures that end at their border are told where faces go beyond`(
    mode: Int, warnings: Int
  ) throws {
    func wrapped(_ far: Float) throws -> Reading {
      let folder = try TemporaryFolder()
      let picture = Data(SceneFixtures.picture).base64EncodedString()
      return try Reading(
        folder.write(
          "a.gltf",
          GLTFText.document(
            [
              GLTFText.floats([0, 0, 0, 1, 0, 0, 1, 1, 0]), GLTFText.floats([0, 0, far, 0, 1, 1]),
            ],
            """
            "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
              {"bufferView":1,"componentType":5126,"count":3,"type":"VEC2"}],
            "images":[{"uri":"data:image/png;base64,\(picture)"}],
            "samplers":[{},{"wrapT":\(mode)}],"textures":[{"source":0,"sampler":1}],
            "materials":[{"name":"sign","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":1},"material":0}]}],
            "nodes":[{"mesh":0}]
            """)))
    }
    #expect(try wrapped(1).warnings == [])
    let beyond = try wrapped(2)
    #expect(beyond.warnings.count == warnings)
    #expect(beyond.warnings.allSatisfy { $0.contains("'sign'") })
  }

  @Test(
    arguments: [
      (#""alphaMode":"MASK""#, .mask(cutoff: 0.5), 0.5, 0),
      (#""alphaMode":"MASK","alphaCutoff":0.125"#, .mask(cutoff: 0.125), 0.5, 0),
      (#""alphaMode":"MASK","alphaCutoff":9"#, .mask(cutoff: 1), 0.5, 0),
      (#""alphaMode":"BLEND""#, .blend, 0.5, 0), (#""doubleSided":true"#, .opaque, 1, 0),
      (#""alphaMode":"HAZE""#, .opaque, 1, 1),
    ] as [(String, Material.AlphaMode, Float, Int)])
  func `alpha modes are read`(
    members: String, mode: Material.AlphaMode, opacity: Float, warnings: Int
  ) throws {
    let reading = try reading(
      #"{"pbrMetallicRoughness":{"baseColorFactor":[1,1,1,0.5]},\#(members)}"#)
    #expect(reading.scene.materials[0].alphaMode == mode)
    #expect(reading.scene.materials[0].baseColor.w == opacity)
    #expect(reading.warnings.count == warnings)
  }

  @Test func `a texture whose coordinates are changed in another way is left out`() throws {
    func use(_ texture: Int, _ offset: String) -> String {
      #"{"index":\#(texture),"extensions":{"KHR_texture_transform":{"offset":\#(offset)}}}"#
    }
    let reading = try reading(
      """
      {"pbrMetallicRoughness":{"baseColorTexture":\(use(0, "[0.5,0]")),
        "metallicRoughnessTexture":\(use(1, "[0.25,0]"))},
      "emissiveTexture":\(use(1, "[0.5,0]")),"emissiveFactor":[1,1,1],
      "normalTexture":{"index":1}}
      """)
    let material = reading.scene.materials[0]
    #expect(material.emissiveTexture == 1)
    #expect(material.metallicRoughnessTexture == nil)
    #expect(material.normalTexture == nil)
    // The file's 1 was for the picture.
    #expect(material.metallic == 0)
    let message =
      "a.gltf: materials[0] changes the texture coordinates of its colours in another way "
    #expect(
      reading.warnings == [
        message + "than those of its normal map, which is left out",
        message + "than those of its metallic-roughness map, which is left out",
      ])
    #expect(reading.scene.meshes[0].textureCoordinates?[1].x == 1.5)
  }

  @Test func `a change that changes nothing is none`() throws {
    let reading = try reading(
      """
      {"pbrMetallicRoughness":{"baseColorTexture":{"index":0}},
      "normalTexture":{"index":1,"extensions":{"KHR_texture_transform":{"scale":[1,1]}}}}
      """)
    #expect(reading.scene.materials[0].normalTexture == 1)
    #expect(reading.warnings == [])
  }

  /// The pixels of the picture of all tests are red, green, blue and white.
  @Test func `maps are taken at their strength`() throws {
    let reading = try reading(
      """
      {"normalTexture":{"index":0,"scale":0.5},"occlusionTexture":{"index":0,"strength":0.5},
      "emissiveTexture":{"index":0}}
      """)
    let material = reading.scene.materials[0]
    #expect(reading.warnings == [])
    #expect(material.emissiveTexture == 0)
    func pixels(_ texture: Int?) throws -> [SIMD4<UInt8>] {
      try TextureRaster(reading.scene.textures[#require(texture)]).pixels
    }
    #expect(try pixels(material.occlusionTexture).map(\.x) == [255, 128, 128, 255])
    // Blue is (-1, -1, 1), which becomes (-0.5, -0.5, 1) of the length 1.22.
    #expect(try pixels(material.normalTexture)[2] == SIMD4(75, 75, 232, 255))
    #expect(try pixels(material.emissiveTexture)[2] == SIMD4(0, 0, 255, 255))
  }

  @Test(arguments: ["1e300", "-1e300", "-0.0", "1"])
  func `any strength is one`(scale: String) throws {
    let reading = try reading(#"{"normalTexture":{"index":0,"scale":\#(scale)}}"#)
    let texture = try #require(reading.scene.materials[0].normalTexture)
    #expect((texture == 0) == (scale == "1"))
    #expect(reading.warnings == [])
  }

  @Test func `a damaged map is taken in full`() throws {
    let folder = try TemporaryFolder()
    let material = #"{"occlusionTexture":{"index":0,"strength":0.5}}"#
    let picture = SceneFixtures.picture.prefix(40)
    let path = try folder.write("a.gltf", text(material, Data(picture).base64EncodedString()))
    let reading = try Reading(path)
    #expect(reading.scene.materials[0].occlusionTexture == 0)
    #expect(
      reading.warnings.contains {
        $0.contains("materials[0]: the strength of its occlusion map is left out: ")
      })
  }

  @Test func `wrong references are errors that name the material`() throws {
    for (material, message) in [
      (
        #"{"emissiveTexture":{"index":2}}"#,
        "its emissive map: textures[2] does not exist; there are 2"
      ),
      (
        #"{"pbrMetallicRoughness":{"metallicRoughnessTexture":{"index":-1}}}"#,
        "expected a whole number"
      ),
      (#"{"emissiveFactor":[1,2]}"#, "a colour is invalid"),
    ] {
      #expect(try readingFault("a.gltf", text(material)) == "a.gltf: materials[0]: \(message)")
    }
  }

  @Test func `light that is more than white is an extension`() throws {
    var room = SceneFixtures.room
    room.materials[0].emissive = SIMD3(1, 8, 2)
    room.materials[0].alphaMode = .blend
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.glb")
    try GLB.write(room, to: output, in: WritingContext())
    let checker = try GLTFChecker(path: output.mainPath)
    #expect(checker.faults == [])
    let plaster = try #require(
      checker.list("materials").first { $0["emissiveFactor"] != nil })
    #expect(plaster["emissiveFactor"] as? [Double] == [0.125, 1, 0.25])
    #expect(plaster["alphaMode"] as? String == "BLEND")
    let found = try Reading(output.mainPath).scene.materials
    #expect(found.contains { $0.emissive == SIMD3(1, 8, 2) && $0.alphaMode == .blend })
  }
}
