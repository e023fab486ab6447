import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Formats

/// Maps of metalness, roughness, emitted light and opacity in USD files.
struct USDMaterialMapTests {
  @Test(.needs("pxr"))
  func `Pixar's library finds the channels of maps, and their factors`() throws {
    let room = SceneFixtures.mappedRoom(
      packed: SceneFixtures.picture, emissive: SIMD3(2, 1, 0.5))
    let folder = try TemporaryFolder()
    for view in try USDView.opening(try writeUSD(room, to: folder)) {
      #expect(view.faults == [])
      let plaster = try #require(view.materials["Plaster"])
      func texture(_ words: String) -> USDView.Input { .text("UsdUVTexture \(words)") }
      #expect(plaster["roughness"] == texture("g room_packed.png raw (1, 0.75, 0.5, 1)"))
      #expect(plaster["metallic"] == texture("b room_packed.png raw (1, 0.75, 0.5, 1)"))
      #expect(plaster["occlusion"] == texture("r room_packed.png raw"))
      #expect(plaster["emissiveColor"] == texture("rgb room_light.png sRGB (2, 1, 0.5, 1)"))
      #expect(plaster["opacity"] == texture("a room_wall-paper.png sRGB"))
      #expect(plaster["opacityThreshold"] == .numbers([0.25]))
    }
  }

  /// A triangle with a material whose surface has these inputs, and textures `a.png` to `c.png`.
  private func reading(_ inputs: String) throws -> Reading {
    let folder = try TemporaryFolder()
    let values: [String: SIMD4<UInt8>] = [
      "a": SIMD4(10, 20, 30, 128), "b": SIMD4(40, 50, 60, 255), "c": SIMD4(70, 80, 90, 255),
    ]
    for (name, value) in values {
      let raster = TextureRaster(size: SIMD2(1, 1), pixels: [value])
      try folder.write("\(name).png", raster.encoded(as: .png, quality: 100))
    }
    let textures = values.keys.sorted().map { name in
      """
      def Shader "\(name)" {
        uniform token info:id = "UsdUVTexture"
        asset inputs:file = @\(name).png@
        float4 inputs:scale = (1, 0.5, 0.25, 0.75)
        float outputs:r
        float outputs:g
        float outputs:b
        float outputs:a
        float3 outputs:rgb
      }
      """
    }
    return try Reading(
      folder.write(
        "a.usda",
        """
        #usda 1.0
        def Mesh "mesh" (prepend apiSchemas = ["MaterialBindingAPI"]) {
          uniform token subdivisionScheme = "none"
          int[] faceVertexCounts = [3]
          int[] faceVertexIndices = [0, 1, 2]
          point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
          texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1)] (interpolation = "vertex")
          rel material:binding = </m>
        }
        def Material "m" {
          token outputs:surface.connect = </m/s.outputs:surface>
          def Shader "s" {
            uniform token info:id = "UsdPreviewSurface"
            \(inputs)
            token outputs:surface
          }
          \(textures.joined(separator: "\n"))
        }
        """))
  }

  private func texel(_ texture: Int?, of reading: Reading) throws -> SIMD4<UInt8>? {
    try texture.map { try TextureRaster(reading.scene.textures[$0]).pixels[0] }
  }

  @Test func `maps in files of their own become one`() throws {
    let reading = try reading(
      """
      float inputs:roughness.connect = </m/a.outputs:r>
      float inputs:metallic.connect = </m/b.outputs:r>
      color3f inputs:emissiveColor.connect = </m/c.outputs:rgb>
      """)
    let material = reading.scene.materials[0]
    #expect((material.roughness, material.metallic) == (1, 1))
    #expect(try texel(material.metallicRoughnessTexture, of: reading) == SIMD4(0, 10, 40, 255))
    #expect(material.emissive == SIMD3(1, 0.5, 0.25))
    #expect(try texel(material.emissiveTexture, of: reading) == SIMD4(70, 80, 90, 255))
    #expect(reading.warnings == [])
  }

  @Test func `a file with both is taken as it is, also where one of them is 0`() throws {
    for metallic in ["metallic.connect = </m/b.outputs:b>", "metallic = 0"] {
      let reading = try reading(
        "float inputs:roughness.connect = </m/b.outputs:g>\nfloat inputs:\(metallic)")
      let material = reading.scene.materials[0]
      #expect(material.roughness == 0.5)
      #expect(material.metallic == (metallic.hasSuffix("0") ? 0 : 0.25))
      #expect(reading.scene.textures.map(\.fileName) == ["b.png"])
      #expect(material.metallicRoughnessTexture == 0)
    }
  }

  @Test func `a number beside a map stays one`() throws {
    let reading = try reading(
      "float inputs:roughness = 0.5\nfloat inputs:metallic.connect = </m/a.outputs:g>")
    let material = reading.scene.materials[0]
    #expect((material.roughness, material.metallic) == (0.5, 0.5))
    #expect(try texel(material.metallicRoughnessTexture, of: reading) == SIMD4(0, 255, 20, 255))
  }

  @Test func `opacity is that of the colours' texture, cut off or blended`() throws {
    let color = "color3f inputs:diffuseColor.connect = </m/a.outputs:rgb>\n"
    let opacity = color + "float inputs:opacity.connect = </m/a.outputs:a>\n"
    let blended = try reading(opacity)
    #expect(blended.scene.materials[0].alphaMode == .blend)
    #expect(blended.scene.materials[0].baseColor == SIMD4(1, 0.5, 0.25, 0.75))
    let masked = try reading(opacity + "float inputs:opacityThreshold = 0.125")
    #expect(masked.scene.materials[0].alphaMode == .mask(cutoff: 0.125))
    let other = try reading(color + "float inputs:opacity.connect = </m/b.outputs:r>\n")
    #expect(other.scene.materials[0].alphaMode == .opaque)
    #expect(other.scene.materials[0].baseColor.w == 1)
    #expect(
      other.warnings == ["a.usda: opacity from another texture than the colours is left out"])
  }
}
