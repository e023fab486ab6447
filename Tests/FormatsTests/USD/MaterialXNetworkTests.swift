import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Nodes of MaterialX between surfaces and what they show.
struct MaterialXNetworkTests {
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
    // A character that stands for a million millions.
    (
      #"<convert name="n" type="color\#u{5146}"><input name="in" type="float" value="0.5" /></convert>"#,
      [0.5, 0.5, 0.5]
    ),
  ])
  func `numbers are calculated`(node: String, color: [Float]) throws {
    let reading = try Reading(
      materialX: MaterialXText.document(
        node + MaterialXText.surface(coloredBy: "n")))
    let found = try reading.firstMaterial().baseColor
    #expect(found == SIMD4(color[0], color[1], color[2], 1))
    #expect(reading.warnings == [])
  }

  @Test func `channels are chosen, and files are inputs of graphs`() throws {
    let reading = try Reading(
      materialX: MaterialXText.document(
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
    #expect(
      try reading.fileName(of: reading.firstMaterial().metallicRoughnessTexture) == "metal.png")
    #expect(reading.warnings == [])
  }

  /// A prefix that the file repeats, since OpenUSD does not read it.
  @Test func `a prefix of files may be there twice`() throws {
    let reading = try Reading(
      materialX: MaterialXText.document(
        MaterialXText.image("c", "color3", "tex/color.png")
          + MaterialXText.surface(coloredBy: "c"),
        "fileprefix=\"./tex/\""))
    #expect(try reading.fileName(of: reading.firstMaterial().baseColorTexture) == "color.png")
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
    let reading = try Reading(
      materialX: MaterialXText.document(
        nodes.replacing("FILE", with: file) + MaterialXText.surface(coloredBy: "c")))
    let corner = try #require(reading.scene.meshes[0].textureCoordinates?[2])
    #expect(abs(corner.x - place.x) < 1e-5 && abs(corner.y - place.y) < 1e-5)
    #expect(reading.warnings == [])
  }

  @Test func `what is passed over is named once`() throws {
    let reading = try Reading(
      materialX: MaterialXText.document(
        MaterialXText.image("c", "color3", "tex/color.png")
          + """
          <hsvadjust name="h" type="color3"><input name="in" type="color3" nodename="c" /></hsvadjust>
          <noise2d name="n" type="float" />
          <standard_surface name="S" type="surfaceshader">
            <input name="base_color" type="color3" nodename="h" />
            <input name="specular_roughness" type="float" nodename="n" />
            <input name="coat" type="float" value="1" />
          </standard_surface>
          """))
    let material = try reading.firstMaterial()
    #expect(reading.fileName(of: material.baseColorTexture) == "color.png")
    #expect(material.roughness == 0.2)
    #expect(
      reading.warnings == [
        "a.usda: its MaterialX materials are read without what has no place here: 'coat', 'hsvadjust', 'noise2d'"
      ])
  }

  @Test func `networks that lead back to themselves, or fan out endlessly, end`() throws {
    let surface = MaterialXText.surface(coloredBy: "n0")
    func node(_ place: Int, _ next: Int) -> String {
      """
      <multiply name="n\(place)" type="color3">
        <input name="in1" type="color3" nodename="n\(next)" />
        <input name="in2" type="color3" nodename="n\(next)" />
      </multiply>
      """
    }
    for nodes in [node(0, 1) + node(1, 0), (0..<60).map { node($0, $0 + 1) }.joined()] {
      let reading = try Reading(materialX: MaterialXText.document(nodes + surface))
      #expect(reading.scene.meshes.count == 1)
      #expect(reading.warnings.count == 1)
      #expect(reading.warnings.first?.contains("'networks of many nodes'") == true)
    }
  }

  @Test func `a picture to which something is added is read without it`() throws {
    let reading = try Reading(
      materialX: MaterialXText.document(
        """
        <UsdUVTexture name="c" type="color3">
          <input name="file" type="filename" value="tex/color.png" />
          <input name="bias" type="vector4" value="0.5, 0, 0, 0" />
        </UsdUVTexture>
        \(MaterialXText.surface(coloredBy: "c"))
        """))
    #expect(try reading.fileName(of: reading.firstMaterial().baseColorTexture) == "color.png")
    #expect(
      reading.warnings == [
        "a.usda: its MaterialX materials are read without what has no place here: 'add'"
      ])
  }
}
