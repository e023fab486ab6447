import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

extension Reading {
  /// Reads USD as text, beside which are other files.
  init(usda text: String, _ others: [(String, String)] = []) throws {
    let folder = try TemporaryFolder()
    for (name, text) in others { try folder.write(name, text) }
    self = try withExtendedLifetime(folder) {
      try Reading(folder.write("a.usda", "#usda 1.0\n" + text))
    }
  }
}

/// What files of other programs contain, as text.
struct USDTextReadingTests {
  private func scene(_ text: String, _ others: [(String, String)] = []) throws -> Reading {
    try Reading(usda: text, others)
  }

  private static let square = """
    float3[] extent = [(0, 0, 0), (1, 1, 0)]
    int[] faceVertexCounts = [4]
    int[] faceVertexIndices = [0, 1, 2, 3]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    uniform token subdivisionScheme = "none"
    """

  @Test func `axes and unit are those of the file, and centimetres without a word`() throws {
    let z = try scene("(upAxis = \"Z\"\nmetersPerUnit = 0.001)\ndef Mesh \"a\" { \(Self.square) }")
    #expect(z.scene.coordinateSystem.up == .z)
    #expect(z.scene.coordinateSystem.metersPerUnit == 0.001)
    let plain = try scene("def Mesh \"a\" { \(Self.square) }")
    #expect(plain.scene.coordinateSystem.up == .y)
    #expect(plain.scene.coordinateSystem.metersPerUnit == 0.01)
    #expect(plain.warnings == [])
  }

  @Test func `transforms are applied from the last to the first, and can begin again`() throws {
    let reading = try scene(
      """
      def Xform "a" {
        double3 xformOp:translate = (10, 0, 0)
        float xformOp:rotateZ = 90
        float3 xformOp:scale:big = (2, 2, 2)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ", "xformOp:scale:big"]
        def Mesh "b" { \(Self.square) }
        def Mesh "c" {
          \(Self.square)
          float3 xformOp:translate = (0, 0, 5)
          uniform token[] xformOpOrder = ["!resetXformStack!", "!invert!xformOp:translate"]
        }
      }
      """)
    let meshes = reading.scene.meshes
    #expect(meshes.map(\.name) == ["b", "c"])
    // (1, 0, 0) becomes (2, 0, 0), (0, 2, 0), (10, 2, 0).
    #expect((meshes[0].positions[1].simd - SIMD3(10, 2, 0)).max() < 1e-5)
    #expect(meshes[1].positions[1] == Vector3(1, 0, -5))
  }

  @Test func `faces of any size, left-handed ones and holes`() throws {
    let reading = try scene(
      """
      def Mesh "a" {
        int[] faceVertexCounts = [3, 5, 4, 2]
        int[] faceVertexIndices = [0, 1, 2, 0, 1, 2, 3, 4, 0, 1, 2, 3, 0, 1]
        int[] holeIndices = [2]
        uniform token orientation = "leftHanded"
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0.5, 1.5, 0), (0, 1, 0)]
        normal3f[] normals = [(0, 0, -2), (0, 0, -1), (0, 0, -1), (0, 0, -1)] (interpolation = "uniform")
      }
      """)
    let mesh = reading.scene.meshes[0]
    #expect(mesh.faceCount == 4)
    #expect(Array(mesh.indices.prefix(3)) == [0, 2, 1])
    for face in 0..<4 { #expect(mesh.flatNormal(ofFace: face).z < 0) }
    #expect(mesh.cornerNormals == [Vector3](repeating: Vector3(0, 0, -1), count: 12))
    #expect(
      reading.warnings == [
        "a.usda: faces with fewer than three corners (1) are left out",
        "a.usda: subdivision surfaces are read as their control meshes",
      ])
  }

  @Test func `what is invisible, a guide or inactive is not read`() throws {
    let reading = try scene(
      """
      def Mesh "shown" { \(Self.square) }
      def Xform "hidden" { token visibility = "invisible"
        def Mesh "a" { \(Self.square) } }
      def Xform "guides" { uniform token purpose = "guide"
        def Mesh "a" { \(Self.square) } }
      def Mesh "off" (active = false) { \(Self.square) }
      class Mesh "pattern" { \(Self.square) }
      over "nothing" { }
      def NurbsPatch "patch" { int uOrder = 2 }
      """)
    #expect(reading.scene.meshes.map(\.name) == ["shown"])
    #expect(
      reading.warnings == [
        "a.usda: invisible prims (1) are left out",
        "a.usda: prims for orientation ('guide') and previews ('proxy') (1) are left out",
        "a.usda: prims of the type 'NurbsPatch' (1) are left out",
      ])
  }

  @Test func `references, sublayers, inherited prims and variants are composed`() throws {
    let reading = try scene(
      """
      (subLayers = [@./sub.usda@])
      def "one" (references = @parts.usda@) { }
      def "two" (prepend references = @parts.usda@</Other>) { double3 xformOp:translate = (5, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"] }
      def Mesh "three" (inherits = </_class>
        variants = { string shape = "large" }
        prepend variantSets = "shape") {
        variantSet "shape" = {
          "small" { int[] faceVertexCounts = [] }
          "large" { \(Self.square) }
        }
      }
      class "_class" { color3f[] primvars:displayColor = [(1, 0, 0)] }
      """,
      [
        ("sub.usda", "#usda 1.0\ndef Mesh \"four\" { \(Self.square) }"),
        (
          "parts.usda",
          "#usda 1.0\n(defaultPrim = \"Part\")\ndef Mesh \"Part\" { \(Self.square) }\n"
            + "def Xform \"Other\" { def Mesh \"in\" { \(Self.square) } }"
        ),
      ])
    #expect(reading.scene.meshes.map(\.name).sorted() == ["four", "in", "one", "three"])
    let inner = try #require(reading.scene.meshes.first { $0.name == "in" })
    #expect(inner.positions[0] == Vector3(5, 0, 0))
    let three = try #require(reading.scene.meshes.first { $0.name == "three" })
    let material = try #require(three.faceMaterials?.first)
    #expect(reading.scene.materials[Int(material)].baseColor == SIMD4(1, 0, 0, 1))
    #expect(reading.warnings == ["a.usda: of the variants 'shape' only 'large' is read"])
    #expect(reading.openedFiles.count == 2)
  }

  @Test func `what refers to the same file many times reads it once`() throws {
    let square = "def Mesh \"in\" { \(Self.square) }"
    // Each sublayer would be read 20,000 times, and each of these 20,000 would list as many.
    let list = String(repeating: "@./a.usda@, @x/../a.usda@, ", count: 10_000)
    let own = try scene("(subLayers = [\(list)])\n\(square)")
    #expect(own.scene.meshes.count == 1)
    let spellings = (0..<2000).map { "@\(String(repeating: "./", count: $0 % 50))part.usda@" }
    let references = try scene(
      "def \"a\" (references = [\(spellings.joined(separator: ", "))]) { }",
      [("part.usda", "#usda 1.0\n(defaultPrim = \"Part\")\ndef Mesh \"Part\" { \(Self.square) }")])
    #expect(references.scene.meshes.map(\.name) == ["a"])
    let entries = String(repeating: "references = </b> ", count: 3000)
    let repeated = try scene("def \"a\" (\(entries)) { }\ndef \"b\" { \(square) }")
    #expect(repeated.scene.meshes.count == 2)
  }

  @Test func `axes and unit are the main layer's alone, and textures those of their folder`() throws
  {
    func textured(_ name: String) -> String {
      """
      #usda 1.0
      (defaultPrim = "P"
      metersPerUnit = 7
      upAxis = "Z")
      def Xform "P" {
        def Mesh "\(name)" { \(Self.square)
          texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1)] (interpolation = "vertex")
          rel material:binding = </P/Plain>
          rel material:binding:preview = </P/M> }
        def Material "Plain" { }
        def Material "M" {
          token outputs:surface.connect = </P/M/S.outputs:surface>
          def Shader "S" { uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor.connect = </P/M/T.outputs:rgb>
            token outputs:surface }
          def Shader "T" { uniform token info:id = "UsdUVTexture"
            asset inputs:file = @./t.png@
            float3 outputs:rgb }
        }
      }
      """
    }
    let folder = try TemporaryFolder()
    try folder.write("a/m.usda", textured("one"))
    try folder.write("b/m.usda", textured("two"))
    try folder.write("a/t.png", SceneFixtures.picture)
    try folder.write("b/t.png", SceneFixtures.picture + [0])
    let path = try folder.write(
      "main.usda",
      """
      #usda 1.0
      (subLayers = [@a/m.usda@])
      def "other" (references = @b/m.usda@) { }
      """)
    let scene = try Reading(path).scene
    #expect(scene.coordinateSystem.up == .y && scene.coordinateSystem.metersPerUnit == 0.01)
    #expect(scene.meshes.map(\.name).sorted() == ["one", "two"])
    #expect(Set(scene.textures.map(\.bytes.count)).count == 2)

    // Out of the folder, as far as that is allowed.
    let inner = try folder.write(
      "inner/main.usda", "#usda 1.0\n(subLayers = [@../a/m.usda@, @../b/../b/m.usda@])")
    let outer = try Reading(inner, allowsExternalFiles: true)
    #expect(outer.scene.meshes.map(\.name).sorted() == ["one", "two"])
    #expect(outer.warnings == [])
    #expect(outer.scene.textures.count == 1)
  }

  @Test func `a material is followed through its inputs, and its coordinates are changed`() throws {
    let reading = try scene(
      """
      def Mesh "a" (prepend apiSchemas = ["MaterialBindingAPI"]) {
        \(Self.square)
        rel material:binding = </m>
        texCoord2f[] primvars:UVMap = [(0, 0), (1, 0), (1, 1), (0, 1)] (interpolation = "vertex")
        texCoord2f[] primvars:other = [(0.5, 0.5)] (interpolation = "constant")
      }
      def Material "m" {
        float inputs:shine = 0.75
        token outputs:surface.connect = </m/graph.outputs:surface>
        def NodeGraph "graph" {
          token outputs:surface.connect = </m/graph/s.outputs:surface>
          def Shader "s" {
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor.connect = </m/t.outputs:rgb>
            float inputs:roughness.connect = </m.inputs:shine>
            token outputs:surface
          }
        }
        def Shader "t" {
          uniform token info:id = "UsdUVTexture"
          asset inputs:file = @a.png@
          float4 inputs:scale = (0.5, 1, 1, 1)
          float2 inputs:st.connect = </m/u.outputs:result>
          float3 outputs:rgb
        }
        def Shader "u" {
          uniform token info:id = "UsdTransform2d"
          float2 inputs:in.connect = </m/r.outputs:result>
          float inputs:rotation = 90
          float2 inputs:scale = (2, 1)
          float2 inputs:translation = (0, 0.25)
          float2 outputs:result
        }
        def Shader "r" {
          uniform token info:id = "UsdPrimvarReader_float2"
          string inputs:varname = "UVMap"
          float2 outputs:result
        }
      }
      """, [("a.png", "\u{89}PNG")])
    let scene = reading.scene
    #expect(scene.materials[0].roughness == 0.75)
    #expect(scene.materials[0].baseColor == SIMD4(0.5, 1, 1, 1))
    #expect(scene.materials[0].baseColorTexture == 0)
    let corner = try #require(scene.meshes[0].textureCoordinates?[2])
    // (1, 1) is (2, 1), turned (-1, 2), moved.
    #expect(abs(corner.x + 1) < 1e-6 && abs(corner.y - 2.25) < 1e-6)
    #expect(scene.meshes[0].secondTextureCoordinates?[0] == Vector2(0.5, 0.5))
    #expect(reading.warnings == [])
  }

  @Test(arguments: [
    ("def Mesh \"a\" {", "a.usda:2: a '}' is missing"),
    ("def Mesh \"a\" { int[] x = [1, }", "a.usda:2: expected a number"),
    ("nonsense", "a.usda:2: expected 'def', 'over' or 'class' instead of 'nonsense'"),
    ("def Mesh \"a { }", "a.usda:2: a text has no closing quote"),
    ("def \"a\" { }", "a.usda: contains no faces or points"),
    (
      "def Mesh \"a\" { int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 7]\n"
        + "point3f[] points = [(0, 0, 0), (1, 1, 1)] }",
      "a.usda: /a: refers to point 7, but there are 2"
    ),
    (
      "def Mesh \"a\" { int[] faceVertexCounts = [4]\nint[] faceVertexIndices = [0, 1, 0]\n"
        + "point3f[] points = [(0, 0, 0), (1, 1, 1)] }",
      "a.usda: /a: the faces have 4 corners, but faceVertexIndices has 3"
    ),
    ("def \"a\" (references = </a>) { }", "a.usda: its references form a circle"),
  ])
  func `an error names the place`(text: String, message: String) throws {
    #expect(try readingFault("a.usda", "#usda 1.0\n" + text) == message)
  }

  @Test func `names that no model has are errors`() throws {
    let name = String(repeating: "a", count: 5000)
    #expect(
      try readingFault("a.usda", "#usda 1.0\ndef Mesh \"\(name)\" { \(Self.square) }")
        .hasPrefix("a.usda:2: "))
  }

  @Test func `deep nesting and endless references are errors`() throws {
    let deep = String(repeating: "def \"a\" { ", count: 1000) + String(repeating: "}", count: 1000)
    #expect(
      try readingFault("a.usda", "#usda 1.0\n" + deep)
        == "a.usda:2: the tree of prims is deeper than 200 levels")
    // Each prim has two of the next one.
    let chain = (0..<60).map { number in
      "def \"p\(number)\" { def \"a\" (references = </p\(number + 1)>) {} "
        + "def \"b\" (references = </p\(number + 1)>) {} }"
    }
    #expect(
      try readingFault("a.usda", "#usda 1.0\n" + chain.joined(separator: "\n"))
        == "a.usda: its references expand to more prims than plausible; is it damaged?")
  }
}

/// Files of Pixar's library, in the versions that it can write.
struct USDCrateReadingTests {
  @Test(
    .needs("pxr"),
    arguments: ["0.0.1", "0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "0.9.0", "0.10.0"])
  func `crates of all versions say the same as their text`(version: String) throws {
    let folder = try TemporaryFolder()
    let box = try Checkers.run("Tools/checks/usd_crates.py", [folder.path, version])
      .split { $0.isWhitespace }.compactMap { Double($0) }
    let text = try Reading(folder.path + "/a.usda")
    let crate = try Reading(folder.path + "/a.usdc")
    let head = try FileSystem.head(of: folder.path + "/a.usdc", count: 11)
    #expect(head[8...].map { "\($0)" }.joined(separator: ".") == version)
    #expect(text.scene.faceCount == 418)
    #expect(text.scene.pointCount == 40)
    let bounds = text.scene.bounds
    let found = [
      bounds.minimum.x, bounds.minimum.y, bounds.minimum.z, bounds.maximum.x, bounds.maximum.y,
      bounds.maximum.z,
    ]
    #expect(box.count == 6)
    for (one, other) in zip(found, box) { #expect(abs(Double(one) - other) < 1e-4) }
    #expect(crate.scene.meshes == text.scene.meshes)
    #expect(crate.scene.pointClouds == text.scene.pointClouds)
    #expect(crate.scene.materials == text.scene.materials)
    #expect(crate.warnings.map { $0.replacing("a.usdc", with: "a.usda") } == text.warnings)
  }
}
