import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// Outputs say what made them, and can be made again from that.
struct ProvenanceCommandTests {
  /// Formats with the extent that their files hold.
  private static let held = [
    "glb", "gltf", "ply", "obj", "pcd", "usda", "usdc", "usdz", "3mf", "meshscene", "las", "xyz",
    "fbx",
  ]
  private static let heldShort = ["dae", "x3d", "assbin"]

  private func written(_ outputs: [String], more: [String] = []) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("newmtl paint\nKd 1 0 0\n", to: "paint.mtl")
    try folder.writeScan(materials: "paint.mtl")
    let words = ["run", "scan.obj", "-s", "weld tolerance=1mm", "-s", "center"]
    let outcome = try CommandProcess.run(
      words + outputs.flatMap { ["-o", $0] } + more, in: folder)
    #expect(outcome.status == 0, Comment(rawValue: outcome.errors))
    return folder
  }

  private func json(of file: String, in folder: TemporaryFolder) throws -> [String: Any] {
    let outcome = try CommandProcess.run(["provenance", "--json", file], in: folder)
    #expect(outcome.status == 0, Comment(rawValue: "\(file): \(outcome.errors)"))
    let json = try JSONSerialization.jsonObject(with: outcome.output)
    return try #require(json as? [String: Any])
  }

  @Test func `every format says what made it`() throws {
    let names = (Self.held + Self.heldShort).map { "out.\($0)" }
    let folder = try written(names)
    for name in names {
      let json = try json(of: name, in: folder)
      let inputs = try #require(json["inputs"] as? [[String: String]])
      #expect(inputs.compactMap { $0["name"] } == ["scan.obj", "paint.mtl"], "\(name)")
      let hash = try SHA256.hexadecimal(ofFile: "\(folder.path)/scan.obj")
      #expect(inputs.first?["sha256"] == hash, "\(name)")
      let pipeline = try #require(json["pipeline"] as? [String: Any])
      let stages = pipeline["stages"] as? [[String: Any]]
      let isShort = Self.heldShort.contains { name.hasSuffix($0) }
      #expect(isShort == (stages == nil), "\(name)")
      if let stages { #expect(stages.compactMap { $0["use"] as? String } == ["weld", "center"]) }
    }
    // The material library of the OBJ, too.
    #expect(try json(of: "out.mtl", in: folder)["meshpipe"] as? String == meshpipeVersion)
  }

  @Test func `it says nothing of place, user and time`() throws {
    let folder = try written(["out.glb", "out.ply", "deep/out.usda"])
    for name in ["out.glb", "out.ply", "deep/out.usda"] {
      let file = folder.url.appendingPathComponent(name)
      let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      for word in [folder.path, NSUserName() + "/", ProcessInfo.processInfo.hostName] {
        #expect(!text.contains(word), "\(name) \(word)")
      }
    }
  }

  @Test(arguments: held)
  func `a replayed pipeline gives the same bytes`(format: String) throws {
    let folder = try written(["out.\(format)"])
    let file = folder.url.appendingPathComponent("out.\(format)")
    let first = try Data(contentsOf: file)
    let replay = try CommandProcess.run(["provenance", "--replay", "out.\(format)"], in: folder)
    #expect(replay.status == 0, Comment(rawValue: replay.errors))
    #expect(replay.errors.contains("meshpipe run PIPELINE.json scan.obj"))
    try replay.output.write(to: folder.url.appendingPathComponent("again.json"))
    try FileManager.default.removeItem(at: file)
    let again = try CommandProcess.run(
      ["run", "again.json", "scan.obj", "-o", "out.\(format)"], in: folder)
    #expect(again.status == 0, Comment(rawValue: again.errors))
    #expect(try Data(contentsOf: file) == first)
  }

  @Test func `pipelines of the house are made again, with what stages skipped`() throws {
    for name in ["blender", "clean-room", "print"] {
      let folder = try TemporaryFolder()
      try folder.writeScan()
      let pipeline = CommandProcess.packageRoot.appendingPathComponent("pipelines/\(name).json")
        .path
      let run = try CommandProcess.run(
        ["run", pipeline, "scan.obj", "-o", "out.ply", "--input-up", "z"], in: folder)
      #expect(run.status == 0, Comment(rawValue: "\(name): \(run.errors)"))
      guard run.status == 0 else { continue }
      let file = folder.url.appendingPathComponent("out.ply")
      let first = try Data(contentsOf: file)
      let replay = try CommandProcess.run(["provenance", "--replay", "out.ply"], in: folder)
      #expect(replay.errors.contains("--input-up z"), Comment(rawValue: replay.errors))
      try replay.output.write(to: folder.url.appendingPathComponent("again.json"))
      try FileManager.default.removeItem(at: file)
      let again = try CommandProcess.run(
        ["run", "again.json", "scan.obj", "-o", "out.ply", "--input-up", "z"], in: folder)
      #expect(again.status == 0, Comment(rawValue: "\(name): \(again.errors)"))
      #expect(try Data(contentsOf: file) == first, "\(name)")
    }
  }

  @Test func `without it files are as before, and the pipeline chooses`() throws {
    let folder = try written(["out.glb"], more: ["--no-provenance"])
    let bare = try CommandProcess.run(["provenance", "out.glb"], in: folder)
    #expect(bare.status == 65)
    #expect(bare.errors.contains("out.glb: says nothing of what made it"))
    let other = try CommandProcess.run(["provenance", "scan.obj"], in: folder)
    #expect(other.status == 65)
    let missing = try CommandProcess.run(["provenance", "none.glb"], in: folder)
    #expect(missing.status == 66)
    for extent in ["none", "short", "full"] {
      try folder.write(
        """
        { "meshpipe": 1, "name": "by hand", "provenance": "\(extent)", "stages": [{ "use": "weld" }],
          "outputs": [{ "path": "${stem}.glb" }] }
        """, to: "p.json")
      let run = try CommandProcess.run(["run", "p.json", "scan.obj"], in: folder)
      #expect(run.status == 0, Comment(rawValue: run.errors))
      let found = try CommandProcess.run(["provenance", "scan.glb"], in: folder)
      #expect(found.status == (extent == "none" ? 65 : 0))
      guard extent != "none" else { continue }
      #expect(found.text.contains("by hand, SHA-256"))
      #expect(found.text.contains("stages") == (extent == "full"))
      let replay = try CommandProcess.run(["provenance", "--replay", "scan.glb"], in: folder)
      #expect(replay.status == (extent == "full" ? 0 : 65))
    }
  }

  @Test func `STL has the beginnings of hashes, and OFF says where to look`() throws {
    let folder = try written(["out.stl", "out.off"], more: ["--set", "stl.unit=mm"])
    let digest = try CommandProcess.run(["provenance", "out.stl"], in: folder)
    let hash = try SHA256.hexadecimal(ofFile: "\(folder.path)/scan.obj").prefix(8)
    #expect(digest.status == 0 && digest.text.contains("input     \(hash)…"))
    let none = try CommandProcess.run(["provenance", "out.off"], in: folder)
    #expect(none.status == 65)
    #expect(none.errors.contains("has no place for it"), Comment(rawValue: none.errors))
  }

  @Test(arguments: ["a\nend_header\nv 1 2 3.obj", "quo\"te*\\.obj", "Zimmer ä室.obj", "-->&<b>.obj"])
  func `hostile names of inputs break no file`(name: String) throws {
    let folder = try TemporaryFolder()
    try folder.writeScan(name)
    let outputs = ["out.ply", "out.obj", "out.usda", "out.3mf", "out.dae", "out.x3d", "out.glb"]
    let run = try CommandProcess.run(
      ["run", "./\(name)"] + outputs.flatMap { ["-o", $0] }, in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    for output in outputs {
      let inputs = try json(of: output, in: folder)["inputs"] as? [[String: String]]
      #expect(inputs?.first?["name"] == name, "\(output)")
      let info = try CommandProcess.run(["info", "--json", output], in: folder)
      let page = try JSONSerialization.jsonObject(with: info.output) as? [String: Any]
      #expect(page?["faces"] as? Int == 32, Comment(rawValue: "\(output): \(info.errors)"))
    }
  }

  @Test func `a private run names no photograph, device or place`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan("capture/mesh.obj")
    let frames = try (0..<3).map { index in
      let name = "IMG_SECRET_\(index).png"
      try folder.writeMarkedPicture("capture/\(name)", text: "SERIAL-42 at SECRET")
      return #"{ "file_path": "\#(name)", "device": "SERIAL-42", "transform_matrix": "#
        + "[[1, 0, 0, 0.\(index)], [0, 1, 0, 0], [0, 0, 1, 2], [0, 0, 0, 1]] }"
    }
    try folder.write(
      """
      { "w": 1, "h": 1, "fl_x": 1, "fl_y": 1, "cx": 0.5, "cy": 0.5, "serial": "SERIAL-42",
        "frames": [\(frames.joined(separator: ", "))] }
      """, to: "capture/transforms.json")
    for (index, words) in [
      ["out.glb"], ["frames.jsonl"], ["transforms.json"],
      ["bundle", "--output-format", "frames-bundle"],
      ["images.txt", "--output-format", "colmap"],
    ].enumerated() {
      let place = "out\(index)"
      let run = try CommandProcess.run(
        ["run", "capture", "--private", "--force-poses", "-o", "\(place)/\(words[0])"]
          + words.dropFirst(), in: folder)
      #expect(run.status == 0, Comment(rawValue: run.errors))
      try folder.expectNoSecrets(in: place)
    }
  }

  @Test func `scans that are joined, or in a batch, name no textures`() throws {
    let folder = try TemporaryFolder()
    for name in ["one", "two"] {
      try folder.write(
        "newmtl SECRET_\(name)\nmap_Kd SECRET_\(name).png\n", to: "\(name)/SECRET_\(name).mtl")
      try folder.write(
        """
        mtllib SECRET_\(name).mtl
        v 0 0 0\nv 1 0 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1
        usemtl SECRET_\(name)\nf 1/1 3/3 2/2\n
        """, to: "\(name)/SECRET_\(name).obj")
      try folder.writeMarkedPicture("\(name)/SECRET_\(name).png", text: "SERIAL-42 at SECRET")
    }
    let scans = ["one/SECRET_one.obj", "two/SECRET_two.obj"]
    for format in ["glb", "gltf", "obj", "ply", "usda", "dae", "fbx"] {
      let run = try CommandProcess.run(
        ["run", "-s", "center", "--join", "--private", "-o", "joined/\(format)/out.\(format)"]
          + scans, in: folder)
      #expect(run.status == 0, Comment(rawValue: run.errors))
      let batch = try CommandProcess.run(
        ["batch", "-s", "center", "--private", "-o", "batch/{folder}/out.\(format)", "."]
          + ["--include", "*/SECRET*"],
        in: folder)
      #expect(batch.status == 0, Comment(rawValue: batch.errors))
    }
    try folder.expectNoSecrets(in: "joined")
    for name in ["one", "two"] { try folder.expectNoSecrets(in: "batch/\(name)") }
  }

  @Test func `a private run gives up the place on a map`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    let survey = try CommandProcess.run(
      ["run", "scan.obj", "-o", "survey.las", "--set", "las.origin=583000,4507000,30"], in: folder)
    try #require(survey.status == 0, Comment(rawValue: survey.errors))
    let run = try CommandProcess.run(
      ["run", "survey.las", "--private", "-o", "a.xyz", "-o", "b.ply", "-o", "c.las"]
        + ["--set", "ply.ascii=true"], in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    #expect(!(try folder.text(of: "a.xyz")).contains("583000"))
    #expect(!(try folder.text(of: "b.ply")).contains("583000"))
    let info = try CommandProcess.run(["info", "--json", "c.las"], in: folder)
    #expect(!info.text.contains("583000") && !info.text.contains("4507000"))
  }

  @Test func `a signature is made, checked, renewed and missed`() throws {
    let folder = try written(["out.glb"])
    let keys = try Program.run(
      "/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "key"], in: folder.path)
    try #require(keys.status == 0)
    let key = try folder.text(of: "key.pub")
    try folder.write("me \(key)", to: "allowed")
    let sign = "ssh-keygen -q -Y sign -f key -n file"
    let check = "ssh-keygen -q -Y verify -f allowed -I me -n file -s \"$1.sig\" < \"$1\""
    func run(_ more: [String]) throws -> Outcome {
      let words = ["run", "scan.obj", "-o", "out.glb", "--sign", sign]
      return try CommandProcess.run(words + more, in: folder)
    }
    func verified(_ path: String) throws -> Outcome {
      try CommandProcess.run(["verify", "--signature", check, path], in: folder)
    }
    #expect(try verified("out.glb").status == 65)
    #expect(try run([]).status == 0)
    let valid = try verified("out.glb")
    #expect(valid.text == "out.glb is signed\n", Comment(rawValue: valid.errors))
    #expect(valid.status == 0)
    // Other bytes need another signature, which takes the place of the old one.
    #expect(try run(["-s", "center", "--report", "report.json"]).status == 0)
    let both = try verified("report.json")
    #expect(both.text.contains("out.glb is signed"), Comment(rawValue: both.text))
    #expect(both.status == 0)
    try folder.write("other", to: "out.glb")
    #expect(try verified("out.glb").status == 65)
    let failed = try CommandProcess.run(
      ["run", "scan.obj", "-o", "b.glb", "--sign", "false"], in: folder)
    #expect(failed.status == 73 && failed.errors.contains("b.glb: is written, but not signed"))
    let absent = try CommandProcess.run(
      ["run", "scan.obj", "-o", "c.glb", "--sign", "no-such-program"], in: folder)
    #expect(absent.status == 69)
  }

  @Test func `what was up to date is signed if it has no signature`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    let words = ["run", "scan.obj", "-s", "center", "-o", "out.ply", "--if-changed"]
    #expect(try CommandProcess.run(words, in: folder).status == 0)
    // The signature is the number of signings.
    let sign = "echo >> count; f() { wc -l < count > \"$1.sig\"; }; f \"$1\""
    for _ in 0..<2 {
      let run = try CommandProcess.run(words + ["--sign", sign], in: folder)
      #expect(run.status == 0, Comment(rawValue: run.errors))
    }
    #expect(try folder.text(of: "out.ply.sig") == "1\n")
  }

  @Test func `a batch signs each output, and the report is checked with the signatures`() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] { try folder.writeScan("in/\(name).obj") }
    // In an unattended command, there is no input to read.
    let sign = "cat > rest; cp rest \"$1.sig\"; sha256sum \"$1\" >> \"$1.sig\""
    let batch = ["batch", "-s", "center", "in", "-o", "out/{stem}.ply", "--resume"]
    let run = try CommandProcess.run(
      batch + ["-j", "1", "--sign", sign, "--report", "report.json"], in: folder)
    try #require(run.status == 0, Comment(rawValue: run.errors))
    func verified() throws -> Outcome {
      try CommandProcess.run(
        ["verify", "--signature", "sha256sum --status -c \"$1.sig\"", "report.json"], in: folder)
    }
    let valid = try verified()
    #expect(valid.status == 0, Comment(rawValue: valid.errors))
    #expect(
      valid.text.contains("out/a.ply is signed") && valid.text.contains("out/b.ply is signed"))
    // A signature that was lost is made again, though nothing else is due.
    try FileManager.default.removeItem(atPath: folder.path + "/out/a.ply.sig")
    #expect(try CommandProcess.run(batch + ["--sign", sign], in: folder).status == 0)
    #expect(folder.exists("out/a.ply.sig"))
    try folder.write("other", to: "out/b.ply")
    let changed = try verified()
    #expect(changed.status == 65 && changed.text.contains("out/b.ply is not signed"))
    // A run without a signature leaves none beside other bytes.
    try folder.write("other", to: "out/a.ply")
    #expect(try CommandProcess.run(batch, in: folder).status == 0)
    #expect(!folder.exists("out/a.ply.sig"))
    let failed = try CommandProcess.run(
      batch + ["--sign", "f() { echo no key >&2; return 2; }; f"], in: folder)
    #expect(failed.status == 73, Comment(rawValue: failed.errors))
    #expect(failed.errors.contains("not signed") && failed.errors.contains("no key"))
  }

  @Test func `the archive of a batch is signed as a whole`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan("in/a.obj")
    try folder.write("", to: "reports/empty")
    let sign = "sha256sum < \"$1\" > \"$1.sig\""
    let run = try CommandProcess.run(
      ["batch", "-s", "center", "in", "-o", "out.zip:{stem}.ply", "--sign", sign]
        + ["--report", "reports/out.json"], in: folder)
    try #require(run.status == 0, Comment(rawValue: run.errors))
    let sum = try Program.run("/usr/bin/sha256sum", ["out.zip"], in: folder.path)
      .output.prefix(64)
    #expect(try folder.text(of: "out.zip.sig").hasPrefix(sum))
    let verified = try CommandProcess.run(["verify", "reports/out.json"], in: folder)
    #expect(verified.status == 0, Comment(rawValue: verified.text + verified.errors))
    try folder.write("other", to: "out.zip")
    #expect(try CommandProcess.run(["verify", "reports/out.json"], in: folder).status != 0)
  }
}

extension TemporaryFolder {
  /// Expects files in a folder, and no names or texts in them that a private run leaves out.
  fileprivate func expectNoSecrets(in place: String) throws {
    let names = try FileManager.default.subpathsOfDirectory(atPath: path + "/" + place)
    #expect(!names.isEmpty)
    for name in names {
      #expect(!name.contains("SECRET"))
      guard let bytes = try? Data(contentsOf: url.appendingPathComponent("\(place)/\(name)"))
      else { continue }
      for word in ["SECRET", "SERIAL-42"] {
        #expect(bytes.range(of: Data(word.utf8)) == nil, "\(place)/\(name) \(word)")
      }
    }
  }

  /// A picture of one pixel, whose text chunk says something.
  fileprivate func writeMarkedPicture(_ name: String, text: String) throws {
    try writePicture(name)
    let file = url.appendingPathComponent(name)
    var bytes = try Data(contentsOf: file)
    let content = Data("tEXtComment\0\(text)".utf8)
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in content {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    func word(_ number: UInt32) -> Data {
      Data(stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) })
    }
    bytes.insert(contentsOf: word(UInt32(content.count - 4)) + content + word(~sum), at: 33)
    try bytes.write(to: file)
  }
}
