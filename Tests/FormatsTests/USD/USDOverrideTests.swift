import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// What stronger layers change in what weaker ones refer to.
struct USDOverrideTests {
  private static let asset = """
    #usda 1.0
    (defaultPrim = "Asset")
    def Xform "Asset" {
      def Mesh "m" {
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
        rel material:binding = </Asset/Looks/Paint>
      }
      def "Looks" {
        def Material "Paint" {
          color3f inputs:tint = (0, 1, 0)
          token outputs:surface.connect = </Asset/Looks/Paint/S.outputs:surface>
          def Shader "S" {
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor.connect = </Asset/Looks/Paint.inputs:tint>
            token outputs:surface
          }
        }
      }
    }
    """

  @Test func `materials of a reference have what the layer that refers to it says`() throws {
    let reading = try Reading(
      usda: """
        def "red" (references = @asset.usda@) {
          over "Looks" { over "Paint" { color3f inputs:tint = (1, 0, 0) } }
        }
        def "plain" (references = @asset.usda@) { }
        def "Asset" (references = @asset.usda@) {
          over "Looks" { over "Paint" { over "S" { float inputs:roughness = 0.125 } } }
        }
        def "group" {
          def "blue" (references = @asset.usda@) {
            over "Looks" { over "Paint" { color3f inputs:tint = (0, 0, 1) } }
          }
        }
        """, [("asset.usda", Self.asset)])
    let materials = reading.scene.meshes.compactMap { mesh in
      mesh.faceMaterials?.first.map { reading.scene.materials[Int($0)] }
    }
    #expect(
      materials.map(\.baseColor) == [
        SIMD4(1, 0, 0, 1), SIMD4(0, 1, 0, 1), SIMD4(0, 1, 0, 1), SIMD4(0, 0, 1, 1),
      ])
    #expect(materials.map(\.roughness) == [0.5, 0.5, 0.125, 0.5])
  }

  @Test func `prototypes of a reference are where the layer that refers to it puts them`() throws {
    let asset = """
      #usda 1.0
      (defaultPrim = "Asset")
      def PointInstancer "Asset" {
        rel prototypes = [</Asset/part>]
        int[] protoIndices = [0]
        point3f[] positions = [(10, 0, 0)]
        def Cube "part" { double size = 2 }
      }
      """
    let reading = try Reading(
      usda: """
        def "a" (references = @asset.usda@) {
          over "part" { double3 xformOp:translate = (5, 0, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"] }
        }
        def "b" (references = @asset.usda@) { }
        """, [("asset.usda", asset)])
    #expect(reading.scene.meshes.map { Box($0.positions).center.x } == [15, 10])
  }
}
