import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Formats

/// Materials of MaterialX, in documents that USD refers to and in USD itself.
struct MaterialXTests {
  // MARK: Surfaces

  @Test func `pictures are found through graphs and normal maps`() throws {
    let reading = try Reading(
      materialX: MaterialXText.document(
        """
        <nodegraph name="NG">
          \(MaterialXText.image("c", "color3", "tex/color.png"))
          \(MaterialXText.image("r", "float", "tex/rough.png"))
          \(MaterialXText.image("m", "float", "tex/metal.png"))
          \(MaterialXText.image("n", "vector3", "tex/normal.png"))
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
    let material = try reading.firstMaterial()
    #expect(reading.fileName(of: material.baseColorTexture) == "color.png")
    #expect(material.baseColor == SIMD4(0.25, 0.25, 0.25, 1))
    #expect(reading.fileName(of: material.normalTexture) == "normal.png")
    #expect(
      reading.fileName(of: material.metallicRoughnessTexture) == "rough-metallic-roughness.png")
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
    let reading = try Reading(
      materialX: MaterialXText.document(
        "<\(category) name=\"S\" type=\"surfaceshader\">\(inputs)</\(category)>"))
    let material = try reading.firstMaterial()
    #expect((material.baseColor - color).max() < 1e-6 && (color - material.baseColor).max() < 1e-6)
    #expect(material.metallic == metallic && material.roughness == roughness)
    #expect(reading.warnings == [])
  }

  @Test func `emitted light and colours in sRGB become linear`() throws {
    let reading = try Reading(
      materialX: MaterialXText.document(
        """
        <open_pbr_surface name="S" type="surfaceshader">
          <input name="base_color" type="color3" value="0.5, 0, 1" colorspace="srgb_texture" />
          <input name="emission_luminance" type="float" value="2000" />
          <input name="emission_color" type="color3" value="0.25, 0.5, 0" />
        </open_pbr_surface>
        """))
    let material = try reading.firstMaterial()
    #expect(abs(material.baseColor.x - 0.21404) < 1e-4 && material.baseColor.z == 1)
    #expect(material.emissive == SIMD3(0.5, 1, 0))
  }

  @Test func `glass and wax have the colour of what goes through`() throws {
    let reading = try Reading(
      materialX: MaterialXText.document(
        """
        <standard_surface name="S" type="surfaceshader">
          <input name="base" type="float" value="0" />
          <input name="transmission" type="float" value="1" />
          <input name="transmission_color" type="color3" value="0.5, 1, 0.75" />
        </standard_surface>
        """))
    #expect(try reading.firstMaterial().baseColor == SIMD4(0.5, 1, 0.75, 1))
    #expect(
      reading.warnings == [
        "a.usda: its MaterialX materials are read without what has no place here: 'transmission'"
      ])
  }

  // MARK: In USD

  @Test func `networks in USD itself are read, and a layer changes what a document says`() throws {
    let own = try Reading(
      usda: """
        \(MaterialXText.mesh)
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
    #expect(try own.firstMaterial().roughness == 0.75)
    #expect(try own.fileName(of: own.firstMaterial().baseColorTexture) == "a.png")
    #expect(own.warnings == [])

    let changed = try Reading(
      materialX: MaterialXText.document(#"<standard_surface name="S" type="surfaceshader" />"#),
      over: #"over "Paint" { color3f inputs:base_color = (1, 0, 0) }"#)
    #expect(try changed.firstMaterial().baseColor == SIMD4(1, 0, 0, 1))
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
    let reading = try Reading(materialX: text)
    #expect(reading.scene.meshes.count == 1)
    #expect(reading.warnings.count == 2)
    #expect(reading.warnings[0].contains("the MaterialX document './paint.mtlx' " + message))
    #expect(reading.warnings[1] == "a.usda: the material '/Looks/Paint' does not exist")
  }

  @Test func `documents include others, and never themselves`() throws {
    let include = #"<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="FILE" />"#
    let surface = MaterialXText.document(
      include.replacing("FILE", with: "../paint.mtlx")
        + MaterialXText.image("c", "color3", "color.png")
        + MaterialXText.surface(coloredBy: "c"),
      "fileprefix=\"tex/\"")
    let reading = try Reading(
      materialX:
        "<materialx>" + include.replacing("FILE", with: "paint.mtlx")
        + include.replacing("FILE", with: "lib/surface.mtlx") + "</materialx>",
      [("lib/surface.mtlx", surface)])
    #expect(try reading.fileName(of: reading.firstMaterial().baseColorTexture) == "color.png")
    #expect(reading.warnings == [])
  }

  private func including(_ surface: String, _ more: String = "") -> (String, [(String, String)]) {
    let include = #"<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="b.mtlx" />"#
    return ("<materialx>\(more)\(include)</materialx>", [("b.mtlx", surface)])
  }

  @Test func `the colour space of an included document is that of its numbers, not of pictures`()
    throws
  {
    let picture = MaterialXText.document(
      MaterialXText.image("c", "color3", "tex/color.png")
        + MaterialXText.surface(coloredBy: "c"))
    let (document, others) = including(picture)
    let reading = try Reading(materialX: document, others)
    #expect(try reading.fileName(of: reading.firstMaterial().baseColorTexture) == "color.png")
    #expect(reading.warnings == [])
    let color = MaterialXText.document(
      #"<standard_surface name="S" type="surfaceshader"><input name="base_color" type="color3" value="0.5, 0, 1" />"#
        + "</standard_surface>", "colorspace=\"srgb_texture\"")
    let (outer, inner) = including(color)
    let base = try Reading(materialX: outer, inner).firstMaterial().baseColor
    #expect(abs(base.x - 0.21404) < 1e-4 && base.y == 0 && abs(base.z - 1) < 1e-4)
  }

  @Test func `documents of too many elements together are told`() throws {
    let nodes = String(repeating: "<a/>", count: MaterialXDocument.mostElements - 3)
    let (document, others) = including(
      MaterialXText.document(MaterialXText.surface(coloredBy: "c")), nodes)
    let reading = try Reading(materialX: document, others)
    #expect(
      reading.warnings.contains {
        $0.contains("the document 'b.mtlx' is left out") && $0.contains("200000 elements")
      })
  }

  @Test func `materials that share a surface of very many inputs are left out`() throws {
    let inputs = (0..<100).map { #"<input name="i\#($0)" type="float" value="1" />"# }.joined()
    let input = #"<input name="surfaceshader" type="surfaceshader" nodename="S" />"#
    let materials = (0..<100).map {
      #"<surfacematerial name="m\#($0)" type="material">\#(input)</surfacematerial>"#
    }.joined()
    let surface = #"<standard_surface name="S" type="surfaceshader">\#(inputs)</standard_surface>"#
    let folder = try TemporaryFolder()
    let path = try folder.write("a.mtlx", MaterialXText.document(surface + materials))
    let document = try MaterialXDocument(
      USDBytes(MappedFile(path: path, allowsPipes: false), named: path))
    let error = #expect(throws: XMLError.self) {
      _ = try MaterialXLayer.layer(document, named: "a", byteCount: 1, mostInputs: 10_000)
    }
    #expect(error?.message == "its materials have more inputs than plausible")
    _ = try MaterialXLayer.layer(document, named: "a", byteCount: 1)
  }

  @Test func `a layer of another kind is left out`() throws {
    let reading = try Reading(
      usda: "def \"other\" (references = @b.abc@) { }\n\(MaterialXText.mesh)", [("b.abc", "Ogawa")])
    #expect(reading.scene.meshes.count == 1)
    #expect(
      reading.warnings.first
        == "a.usda: the layer 'b.abc' is neither USD nor MaterialX and is left out")
  }
}
