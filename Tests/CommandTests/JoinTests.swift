import Foundation
import Testing

/// One model of several scans.
@Suite struct JoinTests {
  @Test func `a room in parts becomes one model with classes from the names of its files`() throws {
    let folder = try TemporaryFolder()
    try folder.write("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n", to: "Floor.obj")
    try folder.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", to: "Wall_1.obj")
    let apart = try CommandProcess.run(
      ["run", "Floor.obj", "Wall_1.obj", "-o", "one.ply"], in: folder)
    #expect(apart.status == 64)
    #expect(apart.errors.contains("--join"), "\(apart.errors)")
    let joined = try CommandProcess.run(
      ["run", "Floor.obj", "Wall_1.obj", "--join", "-o", "one.ply", "-MD"], in: folder)
    #expect(joined.status == 0, "\(joined.errors)")
    let info = try CommandProcess.run(["info", "one.ply"], in: folder).text
    #expect(info.contains("floor") && info.contains("wall"), "\(info)")
    let rule = try folder.text(of: "one.ply.d")
    #expect(rule.contains("Floor.obj") && rule.contains("Wall_1.obj"))
  }

  @Test func `files are shown as the one scan that a run makes of them`() throws {
    let folder = try TemporaryFolder()
    try folder.write("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n", to: "Floor.obj")
    try folder.write("v 0 0 0\nv 1 0 0\nv 0 4 0\nf 1 2 3\n", to: "Wall.obj")
    let names = ["Floor.obj", "Wall.obj"]
    let shown = try CommandProcess.run(["info", "--join", "--json"] + names, in: folder)
    let info = try JSONSerialization.jsonObject(with: shown.output) as? [String: Any]
    #expect(info?["faces"] as? Int == 2)
    let classes = info?["classes"] as? [[String: Any]]
    #expect(Set(classes?.compactMap { $0["name"] as? String } ?? []) == ["floor", "wall"])
    #expect(classes?.compactMap { $0["area"] as? Double }.sorted() == [0.5, 2])
    let text = try CommandProcess.run(["info", "--join"] + names, in: folder).text
    #expect(text.hasPrefix("Floor.obj and 1 more\n"), "\(text)")
    let failed = try CommandProcess.run(["info", "--join", "Floor.obj", "none.obj"], in: folder)
    #expect(failed.status == 66 && failed.errors.contains("none.obj"))
  }

  @Test func `a light model gets maps of a heavy one in another file`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan("low.obj", cells: 2)
    try folder.writeScan("high.obj", cells: 8)
    // A flat one would need no map.
    let flat = try folder.text(of: "high.obj")
    try folder.write(
      flat.replacingOccurrences(of: "v 0.5 0 0.5\n", with: "v 0.5 0.05 0.5\n"), to: "high.obj")
    let arguments = ["run", "low.obj", "-s", "unwrap size=64", "-o", "out.glb"]
    let stage = ["-s", "bake-maps from=heavy maps=normal size=64"]
    let outcome = try CommandProcess.run(
      arguments + stage + ["--input", "heavy=high.obj", "-MD"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try folder.text(of: "out.glb.d").contains("high.obj"))
    let shown = try CommandProcess.run(["info", "out.glb", "--json"], in: folder)
    let info = try JSONSerialization.jsonObject(with: shown.output) as? [String: Any]
    #expect(info?["faces"] as? Int == 8, "the light model's, not the 128 of the heavy one")
    #expect((info?["textures"] as? [Any])?.count == 1, "\(shown.text)")
    for (input, status, words) in [
      ("high.obj", Int32(64), "is not ID=FILE"), ("other=high.obj", 64, "unknown id 'heavy'"),
      ("heavy=nothing.obj", 66, "nothing.obj"),
    ] {
      let failed = try CommandProcess.run(
        arguments + stage + ["--input", input, "-o", "x.glb"], in: folder)
      #expect(failed.status == status && failed.errors.contains(words), "\(failed.errors)")
    }
  }

  @Test func `a folder of scans leads to batch`() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] { try folder.writeScan("scans/\(name).obj") }
    let outcome = try CommandProcess.run(
      ["run", "scans", "-s", "weld", "-o", "out.glb"], in: folder)
    #expect(outcome.errors.contains("meshpipe batch"), "\(outcome.errors)")
  }

  @Test func `variables come from a file`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    try folder.write(
      """
      { "meshpipe": 1, "variables": { "n": { "type": "amount", "default": 32 } },
        "stages": [ { "use": "decimate", "with": { "faces": "${n}", "preserve": [] } } ],
        "outputs": [ { "path": "${stem}.ply" } ] }
      """, to: "p.json")
    try folder.write(#"{ "n": 8 }"#, to: "v.json")
    try folder.write(#"{ "n": true }"#, to: "w.json")
    let verbs = [
      ["run", "p.json", "scan.obj", "-o", ".", "--report", "r.json"],
      ["batch", "p.json", "scan.obj", "-o", "out/"],
    ]
    for verb in verbs {
      let good = try CommandProcess.run(verb + ["--var-file", "v.json"], in: folder)
      #expect(good.status == 0, "\(good.errors)")
      let bad = try CommandProcess.run(verb + ["--var-file", "w.json"], in: folder)
      #expect(bad.status == 64, "\(bad.errors)")
      #expect(bad.errors.contains("--var-file w.json"), "\(bad.errors)")
    }
    #expect(try folder.text(of: "r.json").contains("\"variables\": { \"n\": 8 }"))
    #expect(folder.exists("out/scan.ply"))
  }
}
