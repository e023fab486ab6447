import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// How prims, materials and packages come together, as USD defines it.
struct USDCompositionTests {
  private static let square = """
    int[] faceVertexCounts = [4]
    int[] faceVertexIndices = [0, 1, 2, 3]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    uniform token subdivisionScheme = "none"
    """

  private static func material(_ name: String, red: Int) -> String {
    """
    def Material "\(name)" {
      token outputs:surface.connect = </\(name)/s.outputs:surface>
      def Shader "s" { uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor = (\(red), 0, 0)
        token outputs:surface }
    }
    """
  }

  private func materialNames(_ reading: Reading) -> [String] {
    reading.scene.meshes.map { mesh in
      mesh.faceMaterials?.first.map { reading.scene.materials[Int($0)].name } ?? "none"
    }
  }

  @Test func `variants that a file does not choose are not there`() throws {
    let reading = try Reading(
      usda: """
        def Xform "a" (prepend variantSets = "shape") {
          def Mesh "always" { \(Self.square) }
          variantSet "shape" = { "more" { def Mesh "more" { \(Self.square) } } }
        }
        """)
    #expect(reading.scene.meshes.map(\.name) == ["always"])
    #expect(
      reading.warnings == [
        "a.usda: the variants 'shape' are left out, since the file chooses none of them"
      ])
  }

  @Test func `a binding counts for what is below, unless that has one or the upper is stronger`()
    throws
  {
    let materials = Self.material("A", red: 0) + "\n" + Self.material("B", red: 1)
    func text(_ strength: String) -> String {
      """
      \(materials)
      def Xform "root" {
        rel material:binding = </B> \(strength)
        def Mesh "own" { \(Self.square)
          rel material:binding = </A> }
        def Mesh "none" { \(Self.square) }
      }
      """
    }
    let usual = try Reading(usda: text(""))
    #expect(materialNames(usual) == ["A", "B"])
    let stronger = try Reading(usda: text("(bindMaterialAs = \"strongerThanDescendants\")"))
    #expect(materialNames(stronger) == ["B", "B"])
    #expect(stronger.warnings == [])
    let collection = try Reading(
      usda: """
        \(materials)
        def Xform "root" {
          rel material:binding:collection:few = [</root.collection:few>, </A>]
          def Mesh "m" { \(Self.square) }
        }
        """)
    #expect(
      collection.warnings == [
        "a.usda: materials that collections choose ('material:binding:collection') are left out"
      ])
  }

  @Test func `what moves is where it is at the first time, whatever its default says`() throws {
    let reading = try Reading(
      usda: """
        def Mesh "a" { \(Self.square)
          double3 xformOp:translate = (9, 0, 0)
          double3 xformOp:translate.timeSamples = { 1: (5, 0, 0), 10: (7, 0, 0) }
          uniform token[] xformOpOrder = ["xformOp:translate"] }
        """)
    #expect(reading.scene.meshes[0].positions[0] == Vector3(5, 0, 0))
    #expect(reading.warnings == ["a.usda: what moves is read as it is at the first time"])
  }

  @Test func `a colour counts for the prims below`() throws {
    let reading = try Reading(
      usda: """
        def Xform "root" {
          color3f[] primvars:displayColor = [(1, 0, 0)]
          def Mesh "red" { \(Self.square) }
          def Mesh "blue" { \(Self.square)
            color3f[] primvars:displayColor = [(0, 0, 1)] (interpolation = "constant") }
          def Mesh "own" { \(Self.square)
            color3f[] primvars:displayColor = [(0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1)] (
              interpolation = "vertex") }
          def Points "points" { point3f[] points = [(0, 0, 0)] }
        }
        def Mesh "plain" { \(Self.square) }
        """)
    let colors = reading.scene.meshes.map { mesh in
      mesh.faceMaterials?.first.map { reading.scene.materials[Int($0)].baseColor }
    }
    #expect(colors == [SIMD4(1, 0, 0, 1), SIMD4(0, 0, 1, 1), nil, nil])
    #expect(reading.scene.meshes[2].colors?.first == Color(red: 0, green: 0, blue: 255))
    #expect(reading.scene.pointClouds[0].colors == [Color(red: 255, green: 0, blue: 0)])
  }

  @Test func `what is far from zero keeps its shape`() throws {
    let reading = try Reading(
      usda: """
        (metersPerUnit = 1)
        def Xform "site" {
          double3 xformOp:translate = (500000.25, 4000000, 100)
          uniform token[] xformOpOrder = ["xformOp:translate"]
          def Mesh "a" { int[] faceVertexCounts = [3]
            int[] faceVertexIndices = [0, 1, 2]
            uniform token subdivisionScheme = "none"
            point3f[] points = [(0, 0, 0), (0.001, 0, 0), (0, 0.002, 0)] }
        }
        def Mesh "b" { int[] faceVertexCounts = [3]
          int[] faceVertexIndices = [0, 1, 2]
          uniform token subdivisionScheme = "none"
          point3d[] points = [(500001.25, 4000000, 100), (500001.251, 4000000, 100), (500001, 4000000, 101)] }
        """)
    #expect(reading.scene.origin == SIMD3(500_000, 4_000_000, 0))
    let (a, b) = (reading.scene.meshes[0].positions, reading.scene.meshes[1].positions)
    #expect(a[0] == Vector3(0.25, 0, 100) && b[0] == Vector3(1.25, 0, 100))
    #expect(abs(a[1].x - a[0].x - 0.001) < 1e-7 && abs(b[1].x - b[0].x - 0.001) < 1e-6)
    #expect(reading.warnings == [])
    // A hundred metres in centimetres are not far.
    let near = try Reading(
      usda: """
        def Mesh "a" { \(Self.square)
          double3 xformOp:translate = (10001, 0, 0)
          uniform token[] xformOpOrder = ["xformOp:translate"] }
        """)
    #expect(near.scene.origin == .zero && near.scene.meshes[0].positions[1].x == 10_002)
  }

  @Test func `packages in packages, and beside a layer, are read with their textures`() throws {
    let folder = try TemporaryFolder()
    let scene = SceneFixtures.room
    try USDZ.write(
      scene, to: OutputSet(folder: folder.path, mainFileName: "part.usdz"), in: WritingContext())
    let part = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/part.usdz"))
    let text = "#usda 1.0\ndef Xform \"one\" (references = @./part.usdz@) { }\n"
    let package = USDZPackage(to: try FileWriter(creating: "\(folder.path)/outer.usdz"))
    try add([("main.usda", Array(text.utf8)), ("part.usdz", [UInt8](part))], to: package)
    let faces = try Reading("\(folder.path)/part.usdz").scene.meshes.map(\.faceCount)
    for path in ["\(folder.path)/outer.usdz", try folder.write("main.usda", text)] {
      let reading = try Reading(path)
      #expect(reading.scene.meshes.map(\.faceCount) == faces)
      #expect(reading.scene.textures.map(\.bytes) == scene.textures.map(\.bytes))
      #expect(reading.warnings == [])
    }
  }

  private func add(_ files: [(name: String, bytes: [UInt8])], to package: USDZPackage) throws {
    var package = package
    for file in files { try package.add(file.name, [.bytes(file.bytes)]) }
    try package.finish()
  }

  @Test func `a texture whose name has an at sign is found`() throws {
    let folder = try TemporaryFolder()
    let name = "a@b@@@c.usda"
    try USDA.write(
      SceneFixtures.room, to: OutputSet(folder: folder.path, mainFileName: name),
      in: WritingContext())
    let reading = try Reading("\(folder.path)/\(name)")
    #expect(reading.scene.textures.count == 1 && reading.warnings == [])
  }
}
