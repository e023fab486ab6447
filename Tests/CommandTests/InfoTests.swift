import Formats
import Foundation
import MeshPipeline
import Testing

@testable import MeshpipeCommand

private func info(_ name: String, in folder: TemporaryFolder) throws -> [String: Any] {
  let outcome = try CommandProcess.run(["info", "--json", name], in: folder)
  #expect(outcome.status == 0, "\(outcome.errors)")
  return try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
}

@Test func `info counts and measures what is known by reasoning`() throws {
  let folder = try TemporaryFolder()
  try folder.writeScan(cells: 4, materials: "paint.mtl")
  try folder.write("newmtl paint\nKd 1 0 0\nmap_Kd wood.png\n", to: "paint.mtl")
  try folder.writePicture("wood.png")
  let json = try info("scan.obj", in: folder)
  #expect(json["format"] as? String == "obj")
  #expect(json["vertices"] as? Int == 25)
  #expect(json["faces"] as? Int == 32)
  #expect(json["size"] as? [Double] == [1, 0, 1])
  #expect(abs((json["area"] as? Double ?? 0) - 1) < 1e-6)
  #expect(json["boundaryEdges"] as? Int == 16)
  #expect(json["nonManifoldEdges"] as? Int == 0)
  #expect(json["components"] as? Int == 1)
  #expect(json["materials"] as? [String] == ["paint"])
  let classes = try #require(json["classes"] as? [[String: Any]])
  #expect(Set(classes.compactMap { $0["name"] as? String }) == ["floor", "wall"])
  for share in classes {
    #expect(share["faces"] as? Int == 16)
    #expect(abs((share["area"] as? Double ?? 0) - 0.5) < 1e-6)
  }
  let texture = try #require((json["textures"] as? [[String: Any]])?.first)
  #expect(texture["width"] as? Int == 1 && texture["height"] as? Int == 1)
  let system = try #require(json["coordinateSystem"] as? [String: Any])
  #expect(system["up"] as? String == "y")
}

@Test(arguments: [
  ["info", "a.usda"], ["preview", "a.usda", "-o", "a.png"],
  ["run", "a.usda", "-s", "weld", "-o", "a.ply"],
])
func `what was left out of a file is shown although nothing remains of it`(arguments: [String])
  throws
{
  let folder = try TemporaryFolder()
  try folder.write(
    "#usda 1.0\ndef Mesh \"a\" { token visibility = \"invisible\" }\n", to: "a.usda")
  let outcome = try CommandProcess.run(arguments, in: folder)
  #expect(outcome.status == 65)
  #expect(outcome.errors.contains("invisible prims (1) are left out"))
  #expect(outcome.errors.contains("a.usda: contains no faces or points"))
}

@Test(arguments: zip(["mm", "ft", "usft"], [0.001, 0.3048, 1200.0 / 3937]))
func `an input can be said to be in another unit`(unit: String, meters: Double) throws {
  let folder = try TemporaryFolder()
  try folder.writeScan()
  let run = try CommandProcess.run(
    ["run", "scan.obj", "--input-unit", unit, "-o", "scan.glb"], in: folder)
  #expect(run.status == 0, "\(run.errors)")
  let size = try #require(try info("scan.glb", in: folder)["size"] as? [Double])
  #expect(abs(size[0] - meters) < 1e-6 * meters && abs(size[2] - meters) < 1e-6 * meters)
}

@Test func `info shows several files, for people and for programs`() throws {
  let folder = try TemporaryFolder()
  try folder.writeScan("a.obj")
  try folder.writeScan("b.obj", cells: 2)
  let text = try CommandProcess.run(["info", "a.obj", "b.obj"], in: folder)
  #expect(text.status == 0)
  let lines = Set(text.text.split(separator: "\n").map { $0.split(separator: " ") })
  for line in [["a.obj"], ["b.obj"], ["faces", "32"], ["faces", "8"], ["wall", "16", "0.500"]] {
    #expect(lines.contains(line.map { $0[...] }), "\(text.text)")
  }
  let json = try CommandProcess.run(["info", "--json", "a.obj", "b.obj"], in: folder)
  let list = try JSONSerialization.jsonObject(with: json.output) as? [[String: Any]]
  #expect(list?.compactMap { $0["faces"] as? Int } == [32, 8])
}

@Test func `edges with three faces and separate parts are told`() {
  var mesh = Mesh(positions: [])
  for index in 0..<8 { mesh.positions.append(Vector3(Float(index), Float(index * index), 0)) }
  mesh.indices = [0, 1, 2, 1, 0, 3, 0, 1, 4, 5, 6, 7]
  let summary = SceneSummary(Scene(meshes: [mesh]))
  #expect(summary.nonManifoldEdges == 1)
  #expect(summary.boundaryEdges == 9)
  #expect(summary.components == 2)
}

@Test(
  arguments: [
    ("ply\nformat ascii 1.0\n", 100, "ply"), ("glTF\u{2}\0\0\0", 100, "glb"),
    ("# comment\n\nmtllib x.mtl\nv 0 0 0\n", 100, "obj"), ("solid cube\nfacet\n", 100, "stl"),
    ("  { \"asset\": {} }", 100, "gltf"), ("Kaydara FBX Binary  \0", 100, "fbx"),
    ("PK\u{3}\u{4}", 100, "3mf"), ("<?xml version='1.0'?><COLLADA>", 100, "dae"),
    ("<X3D>", 100, "x3d"), ("OFF\n3 1 0\n", 100, "off"), ("; FBX 7.4\n", 100, "fbx"),
    ("meshpipe", 100, "meshscene"), ("LASF\0\0", 300, "las"),
    ("# .PCD v0.7 - Point Cloud Data file format\n", 100, "pcd"),
    ("VERSION 0.7\nFIELDS x y z\n", 100, "pcd"), ("1 2 3\n4 5 6\n", 12, "xyz"),
    ("what is this\n", 100, nil), ("", 0, nil),
  ] as [(String, Int, String?)])
func `formats are told by how files begin`(head: String, size: Int, id: String?) {
  let reader = FormatRegistry(builtInFormats).reader(forHead: FileHead(head.utf8, fileSize: size))
  #expect(reader?.id == id)
}

@Test func `a binary STL is told by its length`() {
  var head = [UInt8](repeating: 0x20, count: 84)
  head.replaceSubrange(80..<84, with: [2, 0, 0, 0])
  let registry = FormatRegistry(builtInFormats)
  #expect(registry.reader(forHead: FileHead(head, fileSize: 184))?.id == "stl")
  #expect(registry.reader(forHead: FileHead(head, fileSize: 185)) == nil)
}

@Test(arguments: ["stages", "formats", "schema"])
func `lists are JSON where that is asked for`(verb: String) throws {
  let outcome = try CommandProcess.run([verb, "--json"])
  #expect(outcome.status == 0)
  let json = try JSONSerialization.jsonObject(with: outcome.output)
  #expect((json as? [Any])?.isEmpty == false || (json as? [String: Any])?.isEmpty == false)
  if verb != "schema" {
    #expect(try CommandProcess.run([verb]).text.contains(verb == "stages" ? "weld" : "glb"))
  }
}

@Test func `a plan says what runs, what doesn't, and what is open`() throws {
  let folder = try TemporaryFolder()
  try folder.writeScan()
  try folder.writePipeline(stages: [
    #"{ "id": "kept", "use": "filter-classification", "when": "classification", "with": { "keep": ["floor"] } }"#,
    #"{ "use": "center", "when": "frames" }"#,
    #"{ "use": "weld", "when": "faces > 10" }"#,
    #"{ "use": "clean", "enabled": false }"#,
  ])
  let before = folder.names
  let outcome = try CommandProcess.run(["plan", "pipeline.json", "scan.obj"], in: folder)
  #expect(outcome.status == 0, "\(outcome.errors)")
  for line in [
    "  1  kept (filter-classification): runs, 'classification' holds",
    "  2  center: skipped, 'frames' is false",
    "  3  weld: open, 'faces > 10' is decided during the run",
    "  4  clean: skipped, disabled", "  scan.glb  Binary glTF 2.0, from clean",
  ] { #expect(outcome.text.contains(line + "\n"), "\(outcome.text)") }
  #expect(folder.names == before, "a plan writes nothing")
  let json = try CommandProcess.run(["plan", "pipeline.json", "scan.obj", "--json"], in: folder)
  #expect(try JSONSerialization.jsonObject(with: json.output) is [String: Any])
}

@Test func `info shows levels and limits of a pipeline`() throws {
  let folder = try TemporaryFolder()
  try folder.write(
    """
    {
      "meshpipe": 1, "description": "Meshes for a viewer.",
      "variables": { "faces": { "type": "amount", "default": "20%", "help": "Faces to keep" } },
      "levels": { "near": {}, "far": { "with": { "faces": "5%" } } },
      "stages": [{ "use": "decimate", "with": { "faces": "${faces}" } }],
      "outputs": [
        { "path": "${stem}.${level}.glb", "maximumBytes": "2MB" },
        { "path": "${stem}.glb", "levels": "together" }
      ]
    }
    """, to: "viewer.json")
  let outcome = try CommandProcess.run(["info", "viewer.json", "--json"], in: folder)
  let facts = try #require(
    try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any], "\(outcome.errors)")
  let levels = try #require(facts["levels"] as? [[String: Any]])
  #expect(levels.map { $0["name"] as? String } == ["near", "far"])
  #expect(levels[1]["values"] as? [String: String] == ["faces": "5%"])
  let outputs = try #require(facts["outputs"] as? [[String: Any]])
  #expect(outputs.map { $0["maximumBytes"] as? String } == ["2MB", nil])
  #expect(outputs.map { $0["levels"] as? String } == [nil, "together"])
  #expect(facts["stages"] as? [String] == ["decimate"])
  let page = try CommandProcess.run(["info", "viewer.json"], in: folder)
  for line in [
    "viewer.json", "  pipeline   Meshes for a viewer.",
    "  variables  faces: amount, default 20%", "  levels     near", "             far: faces=5%",
    "  outputs    ${stem}.${level}.glb, maximumBytes=2MB",
    "             ${stem}.glb, levels=together",
  ] {
    #expect(page.text.contains(line + "\n"), "\(page.text)")
  }
  // What is no pipeline is told as before.
  try folder.write("{ \"a\": 1 }", to: "other.json")
  #expect(try CommandProcess.run(["info", "other.json"], in: folder).status == 69)
}
