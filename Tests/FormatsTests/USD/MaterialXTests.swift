import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Materials of MaterialX, in documents that USD refers to and in USD itself.
struct MaterialXTests {
  private static let mesh = """
    def Mesh "m" {
      int[] faceVertexCounts = [3]
      int[] faceVertexIndices = [0, 1, 2]
      point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
      texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1)] (interpolation = "vertex")
      uniform token subdivisionScheme = "none"
      rel material:binding = </Looks/Paint>
    }
    """

  private static func document(
    _ nodes: String, _ attributes: String = "colorspace=\"lin_rec709\""
  ) -> String {
    """
    <?xml version="1.0"?>
    <materialx version="1.38" \(attributes)>
      \(nodes)
      <surfacematerial name="Paint" type="material">
        <input name="surfaceshader" type="surfaceshader" nodename="S" />
      </surfacematerial>
    </materialx>
    """
  }

  private static let pictures = [
    "tex/color.png", "tex/rough.png", "tex/metal.png", "tex/normal.png",
  ]

  /// Reads a mesh whose materials are in a document beside other files.
  private func reading(
    _ document: String, _ others: [(String, String)] = [], over: String = ""
  ) throws -> Reading {
    let folder = try TemporaryFolder()
    for (place, name) in Self.pictures.enumerated() {
      try folder.write(name, SceneFixtures.picture + [UInt8](repeating: 0, count: place))
    }
    try folder.write("paint.mtlx", document)
    for (name, text) in others { try folder.write(name, text) }
    return try withExtendedLifetime(folder) {
      try Reading(
        folder.write(
          "a.usda",
          """
          #usda 1.0
          def "Looks" (references = @./paint.mtlx@</MaterialX/Materials>) { \(over) }
          \(Self.mesh)
          """))
    }
  }

  private func material(_ reading: Reading) throws -> Material {
    let index = try #require(reading.scene.meshes.first?.faceMaterials?.first)
    return reading.scene.materials[Int(index)]
  }

  private func name(_ texture: Int?, _ reading: Reading) -> String? {
    texture.map { reading.scene.textures[$0].fileName }
  }

  private static func image(_ name: String, _ type: String, _ file: String, _ more: String = "")
    -> String
  {
    """
    <image name="\(name)" type="\(type)">
      <input name="file" type="filename" value="\(file)" /> \(more)
    </image>
    """
  }

  // MARK: Surfaces

  @Test func `pictures are found through graphs and normal maps`() throws {
    let reading = try reading(
      Self.document(
        """
        <nodegraph name="NG">
          \(Self.image("c", "color3", "tex/color.png"))
          \(Self.image("r", "float", "tex/rough.png"))
          \(Self.image("m", "float", "tex/metal.png"))
          \(Self.image("n", "vector3", "tex/normal.png"))
          <normalmap name="nm" type="vector3"><input name="in" type="vector3" nodename="n" /></normalmap>
          <multiply name="half" type="color3">
            <input name="in1" type="color3" nodename="c" />
            <input name="in2" type="float" value="0.5" />
          </multiply>
          <output name="color" type="color3" nodename="half" />
          <output name="rough" type="float" nodename="r" />
          <output name="metal" type="float" nodename="m" />
          <output name="normal" type="vector3" nodename="nm" />
        </nodegraph>
        <standard_surface name="S" type="surfaceshader">
          <input name="base" type="float" value="0.5" />
          <input name="base_color" type="color3" nodegraph="NG" output="color" />
          <input name="specular_roughness" type="float" nodegraph="NG" output="rough" />
          <input name="metalness" type="float" nodegraph="NG" output="metal" />
          <input name="normal" type="vector3" nodegraph="NG" output="normal" />
        </standard_surface>
        """))
    let material = try material(reading)
    #expect(name(material.baseColorTexture, reading) == "color.png")
    #expect(material.baseColor == SIMD4(0.25, 0.25, 0.25, 1))
    #expect(name(material.normalTexture, reading) == "normal.png")
    #expect(name(material.metallicRoughnessTexture, reading) == "rough-metallic-roughness.png")
    #expect(material.metallic == 1 && material.roughness == 1)
    #expect(reading.warnings == [])
  }

  @Test(arguments: [
    (
      "standard_surface", #"<input name="base_color" type="color3" value="0.5, 0.25, 1" />"#,
      SIMD4<Float>(0.5, 0.25, 1, 1), Float(0), Float(0.2)
    ),
    (
      "open_pbr_surface",
      #"<input name="base_color" type="color3" value="1, 1, 1" /><input name="base_weight" type="float" value="0.5" />"#
        + #"<input name="geometry_opacity" type="float" value="0.25" />"#,
      SIMD4(0.5, 0.5, 0.5, 0.25), 0, 0.3
    ),
    (
      "UsdPreviewSurface",
      #"<input name="metallic" type="float" value="1" /><input name="roughness" type="float" value="0.75" />"#,
      SIMD4(0.18, 0.18, 0.18, 1), 1, 0.75
    ),
    (
      "gltf_pbr", #"<input name="alpha" type="float" value="0.5" />"#, SIMD4(1, 1, 1, 0.5), 1, 1
    ),
  ])
  func `each kind of surface has its own inputs, and values of its own without them`(
    category: String, inputs: String, color: SIMD4<Float>, metallic: Float, roughness: Float
  ) throws {
    let reading = try reading(
      Self.document(
        "<\(category) name=\"S\" type=\"surfaceshader\">\(inputs)</\(category)>"))
    let material = try material(reading)
    #expect((material.baseColor - color).max() < 1e-6 && (color - material.baseColor).max() < 1e-6)
    #expect(material.metallic == metallic && material.roughness == roughness)
    #expect(reading.warnings == [])
  }

  @Test func `emitted light and colours in sRGB become linear`() throws {
    let reading = try reading(
      Self.document(
        """
        <open_pbr_surface name="S" type="surfaceshader">
          <input name="base_color" type="color3" value="0.5, 0, 1" colorspace="srgb_texture" />
          <input name="emission_luminance" type="float" value="2000" />
          <input name="emission_color" type="color3" value="0.25, 0.5, 0" />
        </open_pbr_surface>
        """))
    let material = try material(reading)
    #expect(abs(material.baseColor.x - 0.21404) < 1e-4 && material.baseColor.z == 1)
    #expect(material.emissive == SIMD3(0.5, 1, 0))
  }

  @Test func `glass and wax have the colour of what goes through`() throws {
    let reading = try reading(
      Self.document(
        """
        <standard_surface name="S" type="surfaceshader">
          <input name="base" type="float" value="0" />
          <input name="transmission" type="float" value="1" />
          <input name="transmission_color" type="color3" value="0.5, 1, 0.75" />
        </standard_surface>
        """))
    #expect(try material(reading).baseColor == SIMD4(0.5, 1, 0.75, 1))
    #expect(
      reading.warnings == [
        "a.usda: its MaterialX materials are read without what has no place here: 'transmission'"
      ])
  }

  // MARK: Networks

  /// Values after the formulas of the nodes in the MaterialX specification.
  @Test(arguments: [
    (
      #"<constant name="n" type="color3"><input name="value" type="color3" value="0.5, 1, 0" /></constant>"#,
      [0.5, 1, 0]
    ),
    (
      #"<mix name="n" type="color3"><input name="fg" type="color3" value="1, 1, 1" /><input name="bg" type="color3" value="0, 0.5, 1" /><input name="mix" type="float" value="0.25" /></mix>"#,
      [0.25, 0.625, 1]
    ),
    (
      #"<power name="n" type="color3"><input name="in1" type="color3" value="0.5, 1, 0" /><input name="in2" type="float" value="2" /></power>"#,
      [0.25, 1, 0]
    ),
    (
      #"<combine3 name="n" type="color3"><input name="in1" type="float" value="0.25" /><input name="in2" type="float" value="0.5" /><input name="in3" type="float" value="1" /></combine3>"#,
      [0.25, 0.5, 1]
    ),
    (
      #"<invert name="n" type="color3"><input name="in" type="color3" value="0.25, 1, 0" /></invert>"#,
      [0.75, 0, 1]
    ),
    (
      #"<convert name="n" type="color3"><input name="in" type="float" value="0.5" /></convert>"#,
      [0.5, 0.5, 0.5]
    ),
  ])
  func `numbers are calculated`(node: String, color: [Float]) throws {
    let reading = try reading(
      Self.document(
        node
          + #"<standard_surface name="S" type="surfaceshader"><input name="base_color" type="color3" nodename="n" /></standard_surface>"#
      ))
    let found = try material(reading).baseColor
    #expect(found == SIMD4(color[0], color[1], color[2], 1))
    #expect(reading.warnings == [])
  }

  @Test func `channels are chosen, and files are inputs of graphs`() throws {
    let reading = try reading(
      Self.document(
        """
        <nodegraph name="NG">
          <input name="picture" type="filename" value="metal.png" />
          <image name="o" type="vector3">
            <input name="file" type="filename" interfacename="picture" />
          </image>
          <separate3 name="s" type="multioutput"><input name="in" type="vector3" nodename="o" /></separate3>
          <extract name="e" type="float">
            <input name="in" type="vector3" nodename="o" /><input name="index" type="integer" value="2" />
          </extract>
          <output name="rough" type="float" nodename="s" output="outy" />
          <output name="metal" type="float" nodename="e" />
        </nodegraph>
        <standard_surface name="S" type="surfaceshader">
          <input name="specular_roughness" type="float" nodegraph="NG" output="rough" />
          <input name="metalness" type="float" nodegraph="NG" output="metal" />
        </standard_surface>
        """, "fileprefix=\"tex/\""))
    // Green and blue of one picture are what is wanted, so that it is taken as it is.
    #expect(name(try material(reading).metallicRoughnessTexture, reading) == "metal.png")
    #expect(reading.warnings == [])
  }

  /// A prefix that the file repeats, since OpenUSD does not read it.
  @Test func `a prefix of files may be there twice`() throws {
    let reading = try reading(
      Self.document(
        Self.image("c", "color3", "tex/color.png")
          + #"<standard_surface name="S" type="surfaceshader"><input name="base_color" type="color3" nodename="c" /></standard_surface>"#,
        "fileprefix=\"./tex/\""))
    #expect(name(try material(reading).baseColorTexture, reading) == "color.png")
    #expect(reading.warnings == [])
  }

  /// The corner at (1, 1), after the formulas of `place2d`, `tiledimage` and `gltf_image` in MaterialX' own library.
  @Test(arguments: [
    (
      #"<image name="c" type="color3"><input name="texcoord" type="vector2" nodename="p" /> FILE </image><place2d name="p" type="vector2"><input name="scale" type="vector2" value="0.5, 2" /><input name="rotate" type="float" value="90" /><input name="offset" type="vector2" value="0.25, 0" /></place2d>"#,
      SIMD2<Float>(0.25, -2)
    ),
    (
      #"<tiledimage name="c" type="color3"> FILE <input name="uvtiling" type="vector2" value="2, 3" /><input name="uvoffset" type="vector2" value="0.5, 1" /></tiledimage>"#,
      SIMD2(1.5, 2)
    ),
    (
      #"<gltf_image name="c" type="color3"> FILE <input name="scale" type="vector2" value="2, 3" /><input name="offset" type="vector2" value="0.5, 0.25" /></gltf_image>"#,
      SIMD2(2.5, 0.75)
    ),
    (
      #"<image name="c" type="color3"> FILE <input name="texcoord" type="vector2" nodename="p" /></image><multiply name="p" type="vector2"><input name="in1" type="vector2" nodename="t" /><input name="in2" type="float" value="4" /></multiply><texcoord name="t" type="vector2" />"#,
      SIMD2(4, 4)
    ),
  ])
  func `coordinates are changed as by the nodes`(nodes: String, place: SIMD2<Float>) throws {
    let file = #"<input name="file" type="filename" value="tex/color.png" />"#
    let reading = try reading(
      Self.document(
        nodes.replacing("FILE", with: file)
          + #"<standard_surface name="S" type="surfaceshader"><input name="base_color" type="color3" nodename="c" /></standard_surface>"#
      ))
    let corner = try #require(reading.scene.meshes[0].textureCoordinates?[2])
    #expect(abs(corner.x - place.x) < 1e-5 && abs(corner.y - place.y) < 1e-5)
    #expect(reading.warnings == [])
  }

  @Test func `what is passed over is named once`() throws {
    let reading = try reading(
      Self.document(
        Self.image("c", "color3", "tex/color.png")
          + """
          <hsvadjust name="h" type="color3"><input name="in" type="color3" nodename="c" /></hsvadjust>
          <noise2d name="n" type="float" />
          <standard_surface name="S" type="surfaceshader">
            <input name="base_color" type="color3" nodename="h" />
            <input name="specular_roughness" type="float" nodename="n" />
            <input name="coat" type="float" value="1" />
          </standard_surface>
          """))
    let material = try material(reading)
    #expect(name(material.baseColorTexture, reading) == "color.png")
    #expect(material.roughness == 0.2)
    #expect(
      reading.warnings == [
        "a.usda: its MaterialX materials are read without what has no place here: 'coat', 'hsvadjust', 'noise2d'"
      ])
  }

  // MARK: In USD

  @Test func `networks in USD itself are read, and a layer changes what a document says`() throws {
    let own = try Reading(
      usda: """
        \(Self.mesh)
        def "Looks" {
          def Material "Paint" {
            token outputs:mtlx:surface.connect = </Looks/Paint/S.outputs:out>
            def Shader "S" {
              uniform token info:id = "ND_open_pbr_surface_surfaceshader"
              color3f inputs:base_color.connect = </Looks/Paint/G.outputs:color>
              float inputs:specular_roughness = 0.75
              token outputs:out
            }
            def NodeGraph "G" {
              color3f outputs:color.connect = </Looks/Paint/G/c.outputs:out>
              def Shader "c" {
                uniform token info:id = "ND_image_color3"
                asset inputs:file = @a.png@ (colorSpace = "srgb_texture")
                float2 inputs:texcoord.connect = </Looks/Paint/G/t.outputs:out>
                color3f outputs:out
              }
              def Shader "t" {
                uniform token info:id = "ND_geompropvalue_vector2"
                string inputs:geomprop = "st"
                float2 outputs:out
              }
            }
          }
        }
        """, [("a.png", "\u{89}PNG")])
    #expect(try material(own).roughness == 0.75)
    #expect(name(try material(own).baseColorTexture, own) == "a.png")
    #expect(own.warnings == [])

    let changed = try reading(
      Self.document(#"<standard_surface name="S" type="surfaceshader" />"#),
      over: #"over "Paint" { color3f inputs:base_color = (1, 0, 0) }"#)
    #expect(try material(changed).baseColor == SIMD4(1, 0, 0, 1))
  }

  // MARK: Damage

  @Test(arguments: [
    ("<materialx><nodegraph name=\"a\">", "is left out: line 1: is not well-formed XML"),
    ("", "is left out: line 1: is not well-formed XML"),
    ("<svg />", "is left out: line 1: is XML, but no MaterialX document"),
    (
      "<!DOCTYPE a [<!ENTITY b \"c\">]><materialx>&b;</materialx>",
      "is left out: line 1: has a document type (DOCTYPE)"
    ),
    (
      "<materialx>" + String(repeating: "<nodegraph name=\"a\">", count: 100)
        + String(repeating: "</nodegraph>", count: 100) + "</materialx>",
      "is left out: line 1: has more elements than plausible"
    ),
  ])
  func `a damaged document costs materials alone`(text: String, message: String) throws {
    let reading = try reading(text)
    #expect(reading.scene.meshes.count == 1)
    #expect(reading.warnings.count == 2)
    #expect(reading.warnings[0].contains("the MaterialX document './paint.mtlx' " + message))
    #expect(reading.warnings[1] == "a.usda: the material '/Looks/Paint' does not exist")
  }

  @Test func `documents include others, and never themselves`() throws {
    let include = #"<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="FILE" />"#
    let surface = Self.document(
      include.replacing("FILE", with: "../paint.mtlx") + Self.image("c", "color3", "color.png")
        + #"<standard_surface name="S" type="surfaceshader"><input name="base_color" type="color3" nodename="c" /></standard_surface>"#,
      "fileprefix=\"tex/\"")
    let reading = try reading(
      "<materialx>" + include.replacing("FILE", with: "paint.mtlx")
        + include.replacing("FILE", with: "lib/surface.mtlx") + "</materialx>",
      [("lib/surface.mtlx", surface)])
    #expect(name(try material(reading).baseColorTexture, reading) == "color.png")
    #expect(reading.warnings == [])
  }

  @Test func `networks that lead back to themselves, or fan out endlessly, end`() throws {
    let surface =
      #"<standard_surface name="S" type="surfaceshader"><input name="base_color" type="color3" nodename="n0" /></standard_surface>"#
    func node(_ place: Int, _ next: Int) -> String {
      """
      <multiply name="n\(place)" type="color3">
        <input name="in1" type="color3" nodename="n\(next)" />
        <input name="in2" type="color3" nodename="n\(next)" />
      </multiply>
      """
    }
    for nodes in [node(0, 1) + node(1, 0), (0..<60).map { node($0, $0 + 1) }.joined()] {
      let reading = try reading(Self.document(nodes + surface))
      #expect(reading.scene.meshes.count == 1)
      #expect(reading.warnings.count == 1)
      #expect(reading.warnings.first?.contains("'networks of many nodes'") == true)
    }
  }

  @Test func `a layer of another kind is left out`() throws {
    let reading = try Reading(
      usda: "def \"other\" (references = @b.abc@) { }\n\(Self.mesh)", [("b.abc", "Ogawa")])
    #expect(reading.scene.meshes.count == 1)
    #expect(
      reading.warnings.first
        == "a.usda: the layer 'b.abc' is neither USD nor MaterialX and is left out")
  }
}
