import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct ThreeMFReadingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Packs parts as a package, and reads it.
  private func read(
    _ parts: [(name: String, text: String)], in context: ReadingContext = ReadingContext()
  ) throws -> Scene {
    let path = folder.path + "/x.3mf"
    try? FileManager.default.removeItem(atPath: path)
    let package = try ThreeMFPackageWriter(creating: path, in: StageContext())
    for part in parts { try package.add(part.name, Array(part.text.utf8)) }
    try package.finish()
    return try ThreeMF.read(path, in: context)
  }

  private func model(_ resources: String, build: String, attributes: String = "") -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <model xmlns="\(ThreeMFParser.core)" xmlns:m="\(ThreeMFParser.materials)"
     xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06" \(attributes)>
    <resources>\(resources)</resources><build>\(build)</build></model>
    """
  }

  private let relationships = (
    "_rels/.rels",
    """
    <Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
    <Relationship Target="/3D/a.model" Id="a" \
    Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>
    """
  )

  /// Two triangles of the unit square; properties as attributes of each.
  private func square(
    id: Int, _ first: String = "", _ second: String = "", object: String = ""
  ) -> String {
    """
    <object id="\(id)" \(object)><mesh><vertices>
    <vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/>
    <vertex x=" 1.0e0 " y="+1" z="0"/><vertex x="0" y="1" z="0"/>
    </vertices><triangles>
    <triangle v1="0" v2="1" v3="2" \(first)/><triangle v1="0" v2="2" v3="3" \(second)/>
    </triangles></mesh></object>
    """
  }

  private func readModel(
    _ resources: String, build: String, attributes: String = "",
    in context: ReadingContext = ReadingContext()
  ) throws -> Scene {
    let text = model(resources, build: build, attributes: attributes)
    return try read([relationships, ("3D/a.model", text)], in: context)
  }

  @Test func `components are put where their transforms say, one inside another`() throws {
    let scene = try readModel(
      square(id: 1, object: "name=\"tile\"")
        // Turned by a quarter around z, then moved.
        + """
        <object id="2"><components>
        <component objectid="1" transform="0 1 0 -1 0 0 0 0 1 10 0 0"/>
        <component objectid="1"/></components></object>
        """,
      build: "<item objectid=\"2\" transform=\"2 0 0 0 2 0 0 0 2 0 0 5\"/>",
      attributes: "unit=\"inch\"")
    #expect(scene.coordinateSystem.metersPerUnit == 0.0254)
    #expect(scene.coordinateSystem.up == .z)
    #expect(scene.meshes.map(\.name) == ["tile", "tile"])
    #expect(
      scene.meshes[0].positions
        == [Vector3(20, 0, 5), Vector3(20, 2, 5), Vector3(18, 2, 5), Vector3(18, 0, 5)])
    #expect(
      scene.meshes[1].positions
        == [Vector3(0, 0, 5), Vector3(2, 0, 5), Vector3(2, 2, 5), Vector3(0, 2, 5)])
  }

  @Test func `what is not built is not read, and parts of their own unit come to scale`() throws {
    let other = model(square(id: 1), build: "", attributes: "unit=\"meter\"")
    let main = model(
      square(id: 7),
      build: "<item objectid=\"1\" p:path=\"/3D/Objects/B.model\"/>", attributes: "")
    let scene = try read([
      relationships, ("3D/Objects/b.model", other), ("3D/a.model", main),
    ])
    #expect(scene.faceCount == 2)
    #expect(scene.meshes[0].bounds.maximum == SIMD3(1000, 1000, 0))
  }

  @Test func `colours of faces are materials, and those of corners colours of vertices`() throws {
    let colors = """
      <m:colorgroup id="1"><m:color color="#FF0000"/><m:color color="#00ff0080"/>
      <m:color color="#0000FF"/></m:colorgroup>
      """
    let faces = try readModel(
      colors + square(id: 2, "pid=\"1\" p1=\"0\"", "p1=\"1\"", object: "pid=\"1\" pindex=\"2\""),
      build: "<item objectid=\"2\"/>")
    #expect(faces.materials.map(\.name) == ["color-ff0000", "color-00ff00"])
    #expect(faces.materials.map(\.baseColor) == [SIMD4(1, 0, 0, 1), SIMD4(0, 1, 0, 128 / 255)])
    #expect(faces.meshes[0].faceMaterials == [0, 1])
    #expect(faces.meshes[0].colors == nil)

    let corners = try readModel(
      colors
        + square(id: 2, "pid=\"1\" p1=\"0\" p2=\"1\" p3=\"2\"", object: "pid=\"1\" pindex=\"2\""),
      build: "<item objectid=\"2\"/>")
    // The first vertex is red in one face and blue in the other.
    let mesh = corners.meshes[0]
    #expect(mesh.vertexCount == 5)
    let seen = mesh.indices.map { mesh.colors?[Int($0)] }
    let (red, green, blue) = (
      Color(red: 255, green: 0, blue: 0), Color(red: 0, green: 255, blue: 0, alpha: 128),
      Color(red: 0, green: 0, blue: 255)
    )
    #expect(seen == [red, green, blue, blue, blue, blue])
    #expect(corners.materials.isEmpty)
  }

  @Test func `base materials give classes, textures coordinates from the lower left`() throws {
    let resources = """
      <basematerials id="1" displaypropertiesid="9"><base name="Wall" displaycolor="#808080"/>
      <base name="Floor" displaycolor="#FFFFFF"/></basematerials>
      <m:pbmetallicdisplayproperties id="9"><m:pbmetallic name="a" metallicness="1" roughness="0.25"/>
      <m:pbmetallic name="b" metallicness="0" roughness="0.5"/></m:pbmetallicdisplayproperties>
      <m:texture2d id="2" path="/3D/Textures/Oak.png" contenttype="image/png"/>
      <m:texture2dgroup id="3" texid="2"><m:tex2coord u="0" v="0"/><m:tex2coord u="1" v="0"/>
      <m:tex2coord u="1" v="0.5"/></m:texture2dgroup>
      <m:multiproperties id="4" pids="1 3"><multi pindices="1 0"/><multi pindices="1 1"/>
      <multi pindices="1 2"/></m:multiproperties>
      """
    let text = model(
      resources
        + square(
          id: 5, "pid=\"4\" p1=\"0\" p2=\"1\" p3=\"2\"", object: "pid=\"1\" pindex=\"0\""),
      build: "<item objectid=\"5\"/>")
    let scene = try read([
      relationships, ("3D/Textures/oak.PNG", "no picture, but bytes"), ("3D/a.model", text),
    ])
    let mesh = scene.meshes[0]
    #expect(mesh.classes?.labels.map { mesh.classes?.names[Int($0)] } == ["floor", "wall"])
    #expect(scene.materials.map(\.name) == ["Floor", "Wall"])
    #expect(scene.materials[0].baseColorTexture == 0)
    #expect(scene.materials[1].baseColorTexture == nil)
    #expect(scene.materials[1].metallic == 1 && scene.materials[1].roughness == 0.25)
    #expect(scene.textures.map(\.fileName) == ["Oak.png"])
    #expect(
      mesh.textureCoordinates?.prefix(3) == [Vector2(0, 0), Vector2(1, 0), Vector2(1, 0.5)])
  }

  @Test func `mixtures are mixed by their shares`() throws {
    let scene = try readModel(
      """
      <basematerials id="1"><base name="a" displaycolor="#FF0000"/>
      <base name="b" displaycolor="#0000FF"/></basematerials>
      <m:compositematerials id="2" matid="1" matindices="1 0"><m:composite values="3 1"/>
      </m:compositematerials>
      """ + square(id: 3, object: "pid=\"2\" pindex=\"0\""), build: "<item objectid=\"3\"/>")
    let color = try #require(scene.materials.first?.baseColor)
    #expect(abs(color.x - 0.25) < 0.01 && color.y == 0 && abs(color.z - 0.75) < 0.01)
  }

  @Test(
    arguments: [
      (
        "<object id=\"1\"><mesh><vertices><vertex x=\"0\" y=\"a\" z=\"0\"/></vertices></mesh></object>",
        "y is 'a', which is not a number"
      ),
      (
        "<object id=\"1\"><mesh><vertices><vertex x=\"0\" z=\"0\"/></vertices></mesh></object>",
        "lacks a coordinate"
      ),
      (
        "<object id=\"1\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/></vertices><triangles>"
          + "<triangle v1=\"0\" v2=\"0\" v3=\"4294967296\"/></triangles></mesh></object>",
        "v3 is '4294967296', which is not an index"
      ),
      (
        "<object id=\"1\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/></vertices><triangles>\n"
          + "<triangle v1=\"0\" v2=\"0\" v3=\"1\"/></triangles></mesh></object>",
        "line 5: a triangle refers to vertex 1, but there are 1"
      ),
      ("<object id=\"2\"/>", "there is no object 1"),
      (
        "<object id=\"1\"><components><component objectid=\"1\"/></components></object>",
        "more than 64 deep"
      ),
      ("<object id=\"1\">", "is not well-formed XML"),
      ("<object id=\"1\"/>", "has no build item with faces"),
      (
        "<basematerials id=\"3\"><base name=\"a\" displaycolor=\"#+F0000\"/></basematerials>",
        "'#+F0000' is not a colour"
      ),
    ] as [(String, String)])
  func `what is wrong is told with its line`(resources: String, message: String) throws {
    let error = #expect(throws: ReadingError.self) {
      try readModel(resources, build: "<item objectid=\"1\"/>")
    }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("x.3mf") == true)
  }

  @Test func `a file that unfolds without end, or has entities, is refused`() throws {
    var objects = square(id: 1)
    for id in 2...60 {
      objects +=
        "<object id=\"\(id)\"><components><component objectid=\"\(id - 1)\"/>"
        + "<component objectid=\"\(id - 1)\"/></components></object>"
    }
    let bomb = #expect(throws: ReadingError.self) {
      try readModel(objects, build: "<item objectid=\"60\"/>")
    }
    #expect(bomb?.message.contains("expands to more data than plausible") == true)
    // Without a single vertex it is still a tree without end.
    objects = objects.replacing("<triangle ", with: "<nothing ")
    let hollow = #expect(throws: ReadingError.self) {
      try readModel(objects, build: "<item objectid=\"60\"/>")
    }
    #expect(hollow?.message.contains("expands to more data than plausible") == true)

    let entities = "<!DOCTYPE a [<!ENTITY b \"bbbbbbbb\">]>" + model(square(id: 1), build: "")
    let laughs = #expect(throws: ReadingError.self) {
      try read([relationships, ("3D/a.model", entities)])
    }
    #expect(laughs?.message.contains("DOCTYPE") == true)
  }

  @Test func `extensions are passed over, or refused by name`() throws {
    let context = ReadingContext()
    let slices = try readModel(
      square(id: 1), build: "<item objectid=\"1\"/>",
      attributes: """
        xmlns:s="http://schemas.microsoft.com/3dmanufacturing/slice/2015/07" requiredextensions="s m p"
        """, in: context)
    #expect(slices.faceCount == 2)
    #expect(context.stage.warnings == ["x.3mf: slices are left out"])
    let volume = #expect(throws: ReadingError.self) {
      try readModel(
        square(id: 1), build: "<item objectid=\"1\"/>",
        attributes: """
          xmlns:v="http://schemas.microsoft.com/3dmanufacturing/volumetric/2022/01" \
          requiredextensions="v"
          """)
    }
    #expect(volume?.message.contains("needs the extension 'volumetric'") == true)
  }

  @Test func `a model of a draft, and slices alone, get their true causes`() throws {
    let draft = "http://schemas.microsoft.com/3dmanufacturing/2013/01"
    let text = model(square(id: 1), build: "<item objectid=\"1\"/>")
      .replacing(ThreeMFParser.core, with: draft)
    let old = #expect(throws: ReadingError.self) {
      try read([relationships, ("3D/a.model", text)])
    }
    #expect(old?.message.contains("its model is of '\(draft)', as drafts") == true)
    let slices = #expect(throws: ReadingError.self) {
      try readModel(
        "<object id=\"1\" s:slicestackid=\"2\"><mesh><vertices/><triangles/></mesh></object>",
        build: "<item objectid=\"1\"/>",
        attributes: "xmlns:s=\"http://schemas.microsoft.com/3dmanufacturing/slice/2015/07\"")
    }
    #expect(slices?.message.contains("(slices are left out)") == true)
  }

  @Test func `secure content is refused only where it hides a part`() throws {
    let secure = """
      xmlns:sc="http://schemas.microsoft.com/3dmanufacturing/securecontent/2019/04" requiredextensions="sc"
      """
    let text = model(square(id: 1), build: "<item objectid=\"1\"/>", attributes: secure)
    #expect(try read([relationships, ("3D/a.model", text)]).faceCount == 2)
    let both = (
      relationships.0,
      relationships.1.replacing(
        "</Relationships>",
        with: """
          <Relationship Target="/Secure/keystore.xml" Id="k" \
          Type="http://schemas.microsoft.com/3dmanufacturing/2019/04/keystore"/></Relationships>
          """)
    )
    func keystore(_ path: String) -> (name: String, text: String) {
      (
        "Secure/keystore.xml",
        """
        <keystore xmlns="http://schemas.microsoft.com/3dmanufacturing/securecontent/2019/04">
        <resourcedatagroup keyuuid="a"><resourcedata path="\(path)"/></resourcedatagroup></keystore>
        """
      )
    }
    let other = keystore("/3D/other.model")
    #expect(try read([both, other, ("3D/a.model", text)]).faceCount == 2)
    let painted = model(
      "<m:texture2d id=\"3\" path=\"/3D/a.png\" contenttype=\"image/png\"/>" + square(id: 1),
      build: "<item objectid=\"1\"/>")
    for hidden in ["3d/a.model", "3d/a.png"] {
      let refusal = #expect(throws: ReadingError.self) {
        try read([both, keystore("/\(hidden)"), ("3D/a.model", painted), ("3D/a.png", "no PNG")])
      }
      #expect(refusal?.message.contains("its part '\(hidden)' is encrypted") == true)
    }
  }

  @Test func `a property that does not exist costs the faces their look only`() throws {
    let context = ReadingContext()
    let scene = try readModel(
      square(id: 1, "pid=\"8\" p1=\"0\""), build: "<item objectid=\"1\"/>", in: context)
    #expect(scene.faceCount == 2)
    #expect(
      context.stage.warnings
        == ["x.3mf: faces refer to properties that do not exist (group 8)"])
  }

  /// The archive around it is whole, so that the damage reaches the model.
  @Test func `a damaged model gives a sound scene or an error about the file`() throws {
    let resources = """
      <basematerials id="1"><base name="Wall" displaycolor="#808080"/></basematerials>
      <m:colorgroup id="2"><m:color color="#FF0000"/><m:color color="#00FF0080"/></m:colorgroup>
      <m:texture2d id="3" path="/3D/a.png" contenttype="image/png"/>
      <m:texture2dgroup id="4" texid="3"><m:tex2coord u="0" v="0"/><m:tex2coord u="1" v="1"/>
      </m:texture2dgroup><m:compositematerials id="5" matid="1" matindices="0 0">
      <m:composite values="1 2"/></m:compositematerials>
      <m:multiproperties id="6" pids="1 4 2" blendmethods="multiply mix">
      <m:multi pindices="0 1 1"/><m:multi pindices="0"/></m:multiproperties>
      """
    let text = model(
      resources
        + square(id: 7, "pid=\"6\" p1=\"0\" p2=\"1\"", "p1=\"0\"", object: "pid=\"5\" pindex=\"0\"")
        + square(id: 8, "pid=\"2\" p1=\"0\" p2=\"1\" p3=\"0\"")
        + "<object id=\"9\"><components><component objectid=\"7\"/><component objectid=\"8\" "
        + "transform=\"1 0 0 0 1 0 0 0 -1 4 5 6\"/></components></object>",
      build: "<item objectid=\"9\"/><item objectid=\"7\" p:path=\"/3D/a.model\"/>")
    // Like ReaderFuzzTests, with the model in the place of the file. Most damage leaves no XML, so
    // every other model has other numbers only.
    let bytes = Array(text.utf8)
    let seconds = ProcessInfo.processInfo.environment["MESHPIPE_FUZZ_SECONDS"].flatMap(UInt64.init)
    var readings = 0
    for seed in 0..<(seconds ?? 2) * 100 {
      var mutator = Mutator(seed: seed)
      let damaged = seed.isMultiple(of: 2) ? mutator.mutate(bytes) : mutator.mutateNumbers(bytes)
      do {
        let text = String(decoding: damaged, as: UTF8.self)
        let scene = try read([relationships, ("3D/a.png", "-"), ("3D/a.model", text)])
        for mesh in scene.meshes { try mesh.validate(materialCount: scene.materials.count) }
        readings += 1
      } catch let error as any UserError {
        #expect(error.exitCode == .data, "\(error.message)")
        #expect(error.message.contains("x.3mf"), "\(error.message)")
      }
    }
    #expect(readings > 10)
  }

  @Test func `what is no package says so`() throws {
    let path = folder.path + "/letter.3mf"
    try Data("This is a letter, not a model.\n".utf8).write(to: URL(filePath: path))
    let error = #expect(throws: ReadingError.self) { try ThreeMF.read(path, in: ReadingContext()) }
    #expect(error?.message.contains("is not a 3MF package") == true)
    let empty = #expect(throws: ReadingError.self) { try read([relationships]) }
    #expect(empty?.message.contains("there is no '3d/a.model' in the package") == true)
  }

  @Test(.needs("lib3mf"), .needsShared("formats/3mf"))
  func `samples of the 3MF Consortium are read as its own library reads them`() throws {
    let samples = try #require(Checkout.shared("formats/3mf"))
    let output = try Program.run(
      Checkers.python, [Checkout.path("Tools/checks/threemf.py"), samples])
    guard output.status == 0 else { throw ProgramFailure(output) }
    let peers = try JSONDecoder().decode([String: PeerModel].self, from: Data(output.output.utf8))
    #expect(peers.count > 15)
    for (name, peer) in peers {
      let scene = try? ThreeMF.read("\(samples)/\(name)", in: ReadingContext())
      guard let faces = peer.faces, faces > 0 else {
        // It refuses two that are no XML and one whose layers are no properties, of which the shape is
        // all there; and two hold beams only.
        #expect(scene == nil || name.contains("Chapter3.4.2"), "\(name)")
        continue
      }
      #expect(scene?.faceCount == faces, "\(name)")
      let bounds = try #require(scene?.bounds)
      let (low, high) = (try #require(peer.low), try #require(peer.high))
      for axis in 0..<3 {
        #expect(abs(Double(bounds.minimum[axis]) - low[axis]) < 1e-3, "\(name)")
        #expect(abs(Double(bounds.maximum[axis]) - high[axis]) < 1e-3, "\(name)")
      }
    }
  }

  private struct PeerModel: Decodable {
    var faces: Int?
    var low: [Double]?
    var high: [Double]?
  }
}
