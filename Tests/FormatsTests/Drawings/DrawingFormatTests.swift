import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Drawings in their formats, as other programs find them.
struct DrawingFormatTests {
  private static let formats: [any WritableFormat.Type] = [
    SVGFormat.self, PDFFormat.self, DXF.self,
  ]
  private static let scene = PlanFixtures.scene(PlanFixtures.flat, PlanFixtures.room)

  private func write(
    _ scene: Scene, _ format: any WritableFormat.Type, to folder: TemporaryFolder,
    _ options: [String: JSONValue] = [:], context: WritingContext = WritingContext()
  ) throws -> String {
    var context = context
    context.options = options
    let output = OutputSet(folder: folder.path, mainFileName: "a.\(format.extensions[0])")
    try format.write(scene, to: output, in: context)
    return output.mainPath
  }

  private func checked(_ script: String, _ arguments: String...) throws -> [String] {
    let run = try Program.run(Checkers.python, ["-c", script] + arguments)
    #expect(run.status == 0, "\(run)")
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test func `the same drawing has the same bytes, and a scene without one has none`() throws {
    for format in Self.formats {
      let folder = try TemporaryFolder()
      let first = try FileSystem.contents(of: write(Self.scene, format, to: folder))
      let second = try FileSystem.contents(of: write(Self.scene, format, to: folder))
      #expect(first == second && first.count > 1000, "\(format.id)")
      #expect(throws: UnwritableScene.self) {
        try write(SceneFixtures.room, format, to: folder)
      }
      #expect(throws: InvalidFormatOption.self) {
        try write(Self.scene, format, to: folder, ["sheet": "a9"])
      }
    }
  }

  // MARK: SVG

  private final class Elements: NSObject, XMLParserDelegate {
    var ids: [String] = []
    var classes: Set<String> = []
    var texts: [String] = []
    var size = ""
    private var isText = false
    func parser(
      _: XMLParser, didStartElement name: String, namespaceURI _: String?,
      qualifiedName _: String?, attributes: [String: String]
    ) {
      if let id = attributes["id"] { ids.append(id) }
      if let one = attributes["class"] { classes.insert(one) }
      if name == "svg" { size = "\(attributes["width"] ?? "") \(attributes["viewBox"] ?? "")" }
      isText = name == "text"
      if isText { texts.append("") }
    }
    func parser(_: XMLParser, foundCharacters text: String) {
      if isText { texts[texts.count - 1] += text }
    }
    func parser(
      _: XMLParser, didEndElement _: String, namespaceURI _: String?, qualifiedName _: String?
    ) {
      isText = false
    }
  }

  @Test func `SVG has a group for each layer, texts, and millimetres of paper`() throws {
    let folder = try TemporaryFolder()
    let path = try write(Self.scene, SVGFormat.self, to: folder)
    let elements = Elements()
    let parser = XMLParser(data: Data(try FileSystem.contents(of: path)))
    parser.delegate = elements
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    #expect(Set(elements.ids).count == elements.ids.count)
    #expect(elements.ids.contains("sheet-1.A-WALL") && elements.ids.contains("sheet-2.A-WALL"))
    #expect(
      elements.classes.isSuperset(of: [
        "A-WALL", "A-DOOR", "A-GLAZ", "A-FLOR-IDEN", "A-ANNO-DIMS", "A-FURN", "S-COLS", "DOOR",
      ]))
    #expect(elements.texts.contains("Living room") && elements.texts.contains("Flat & attic"))
    #expect(elements.texts.contains("Scale 1:50") && elements.texts.contains("A3  1/2"))
    // Two sheets and a gap.
    #expect(elements.size == "420mm 0 0 420 604")
  }

  @Test func `a metre is twenty millimetres at 1:50`() throws {
    let folder = try TemporaryFolder()
    let path = try write(
      PlanFixtures.section, SVGFormat.self, to: folder, ["scale": "1:50"])
    let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    let line = try #require(
      text.firstMatch(of: #/<g id="sheet-1\.A-WALL"[^\n]*\n<path d="M(\S+) (\S+)L(\S+) /#))
    let places = [line.1, line.3].compactMap { Double($0) }
    #expect(places.count == 2 && abs(places[1] - places[0] - 40) < 1e-6)
    #expect(text.contains("A-SECT-MY_CHAIR"))
    // The hole is part of the filled area, by its own loop.
    let fill = try #require(text.firstMatch(of: #/<path d="([^"]*)" fill="\#bebebe"/#))
    #expect(fill.1.count { $0 == "M" } == 2)
  }

  // MARK: DXF

  @Test(.needs("ezdxf")) func `ezdxf finds nothing to mend in DXF, and what was drawn`() throws {
    let folder = try TemporaryFolder()
    let path = try write(Self.scene, DXF.self, to: folder)
    let script = """
      import sys, ezdxf
      from ezdxf import recover, bbox
      doc = ezdxf.readfile(sys.argv[1])
      audit = doc.audit()
      _, mended = recover.readfile(sys.argv[1])
      print(len(audit.errors) + len(audit.fixes) + len(mended.errors) + len(mended.fixes))
      print(doc.dxfversion, doc.units, doc.header["$MEASUREMENT"])
      space = doc.modelspace()
      print(" ".join(sorted({e.dxftype() for e in space})))
      print(all(e.closed for e in space.query('LWPOLYLINE[layer=="A-WALL"]')))
      print(" ".join(sorted({e.dxf.name for e in space.query("INSERT")})))
      texts = {e.dxf.text for e in space.query("DIMENSION")}
      print(all(abs(e.get_measurement() - float(e.dxf.text)) < 0.0006 for e in space.query("DIMENSION")))
      print(all(e.get_geometry_block() is not None for e in space.query("DIMENSION")))
      print("33." in " ".join(e.dxf.text for e in space.query("TEXT")), "12.00 m\\u00b2" in {e.dxf.text for e in space.query("TEXT")})
      low, high = [bbox.extents(space.query('LWPOLYLINE[layer=="A-WALL"]')).extmin, None]
      print(round(low.x, 3), round(low.y, 3))
      print(all(doc.layers.get(e.dxf.layer).dxf.lineweight > 0 for e in space))
      """
    let lines = try checked(script, path)
    try #require(lines.count == 10, "\(lines)")
    #expect(lines[0] == "0" && lines[1] == "AC1015 6 1")
    #expect(lines[2] == "DIMENSION HATCH INSERT LINE LWPOLYLINE TEXT")
    #expect(lines[3] == "True" && lines[4] == "DOOR DOOR-DOUBLE WINDOW")
    #expect(lines[5] == "True" && lines[6] == "True")
    #expect(lines[7].hasSuffix("True") && lines[8] == "-0.15 -0.15" && lines[9] == "True")
  }

  @Test(.needs("ezdxf")) func `letters of any script come back from DXF`() throws {
    var storey = PlanFixtures.room
    storey.rooms[0].name = "Küche 台所 100%% ^"
    let folder = try TemporaryFolder()
    let path = try write(PlanFixtures.scene(storey), DXF.self, to: folder)
    let script = """
      import sys
      from ezdxf import recover
      doc, _ = recover.readfile(sys.argv[1])
      print(ascii([e.dxf.text for e in doc.modelspace().query('TEXT[layer=="A-FLOR-IDEN"]')][0]))
      """
    #expect(try checked(script, path) == ["'K\\xfcche \\u53f0\\u6240 100%% ^'"])
  }

  // MARK: PDF

  @Test func `PDF has a page for each storey, to scale, with its texts`() throws {
    let folder = try TemporaryFolder()
    let path = try write(Self.scene, PDFFormat.self, to: folder)
    let info = try Program.run(Checkers.program("pdfinfo"), [path])
    #expect(info.status == 0 && info.output.contains("Pages:           2"))
    #expect(info.output.contains("1190.55 x 841.89 pts (A3)"))
    #expect(!info.output.contains("Date"))
    let text = try Program.run(Checkers.program("pdftotext"), ["-layout", path, "-"])
    for word in ["Living room", "12.00 m²", "9.700", "Scale 1:50", "± 4.0 mm", "Flat & attic"] {
      #expect(text.output.contains(word), "\(word)")
    }
  }

  @Test func `a page of PDF is black where the plan is`() throws {
    let folder = try TemporaryFolder()
    let path = try write(
      PlanFixtures.section, PDFFormat.self, to: folder, ["scale": "1:20", "sheet": "a4"])
    let prefix = folder.path + "/page"
    let run = try Program.run(
      Checkers.program("pdftoppm"),
      ["-gray", "-r", "25.4", "-aa", "no", "-singlefile", path, prefix])
    #expect(run.status == 0)
    // One pixel is a millimetre.
    let bytes = [UInt8](try FileSystem.contents(of: prefix + ".pgm"))
    let header = String(decoding: bytes.prefix(20), as: UTF8.self).split { $0.isWhitespace }
    let size = try SIMD2(#require(Int(header[1])), #require(Int(header[2])))
    #expect((297...298).contains(size.x) && (210...211).contains(size.y))
    // The filling is 100 mm square less 50 mm square.
    let filled = bytes.suffix(size.x * size.y).count { (185...195).contains($0) }
    #expect(abs(filled - 7500) < 450, "\(filled)")
  }

  @Test func `letters that PDF lacks are told`() throws {
    var storey = PlanFixtures.room
    storey.rooms[0].name = "台所"
    let context = WritingContext()
    let folder = try TemporaryFolder()
    _ = try write(PlanFixtures.scene(storey), PDFFormat.self, to: folder, context: context)
    #expect(context.stage.warnings.count == 1)
  }

  // MARK: Provenance

  @Test func `drawings say what made them`() throws {
    let json: JSONValue = [
      "version": 1, "meshpipe": "9.9.9",
      "pipeline": ["name": "plans", "sha256": "aabb"],
      "inputs": [["name": "scan <&\\ é.obj", "sha256": "ccdd"]],
    ]
    var context = WritingContext()
    let provenance: Provenance = try #require(Provenance(json))
    context.provenance = provenance
    for format in Self.formats {
      let folder = try TemporaryFolder()
      let path = try write(Self.scene, format, to: folder, context: context)
      guard case .provenance(let found)? = try ProvenanceReader.read(path) else {
        Issue.record("\(format.id) says nothing")
        continue
      }
      #expect(found.json == json, "\(format.id)")
    }
  }
}
