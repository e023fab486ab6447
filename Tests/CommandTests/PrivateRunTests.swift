import Foundation
import MeshTestSupport
import Testing

/// What private runs, forged provenance and signatures must not let through.
struct PrivateRunTests {
  private func run(_ words: [String], in folder: TemporaryFolder) throws -> Outcome {
    let outcome = try CommandProcess.run(words, in: folder)
    #expect(outcome.status == 0, Comment(rawValue: outcome.errors))
    return outcome
  }

  /// Whether a file below a folder has a word in its name or its bytes.
  private func told(_ word: String, in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { name in
      let url = URL(fileURLWithPath: "\(folder)/\(name)")
      let bytes = try? Data(contentsOf: url)
      return name.contains(word) || bytes?.range(of: Data(word.utf8)) != nil
    }
  }

  @Test(.needs("PIL"), arguments: ["png", "webp", "tif", "gif"])
  func `names and metadata of inputs and textures are in no format`(ending: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      import sys; from PIL import Image
      image = Image.new("RGB", (8, 8), (200, 90, 20)); exif = image.getexif()
      exif[0x010F] = "SECRETmaker"
      isGIF = sys.argv[1].endswith("gif")
      image.save(sys.argv[1], **({"comment": "SECRETmaker"} if isGIF else {"exif": exif}))
      """, to: "make.py")
    let picture = "SECRETfolder/IMG_SECRETphoto.\(ending)"
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/SECRETfolder", withIntermediateDirectories: true)
    let made = try Program.run(Checkers.python, ["make.py", picture], in: folder.path)
    try #require(made.status == 0)
    try folder.write(
      "newmtl IMG_SECRETphoto\nmap_Kd IMG_SECRETphoto.\(ending)\n", to: "SECRETfolder/m.mtl")
    try folder.write(
      """
      mtllib m.mtl
      o SECRETscan
      v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1
      usemtl IMG_SECRETphoto
      f 1/1 2/2 3/3
      """, to: "SECRETfolder/SECRETscan.obj")
    let formats = [
      "glb", "gltf", "obj", "ply", "usda", "fbx", "dae", "x3d", "3ds", "assbin", "meshscene", "3mf",
    ]
    let outputs = formats.flatMap { ["-o", "out/\($0)/x.\($0)"] }
    _ = try run(
      ["run", "SECRETfolder/SECRETscan.obj", "--private", "--set", "ply.ascii=true"] + outputs,
      in: folder)
    #expect(try told("SECRET", in: folder.path + "/out") == [])
  }

  @Test func `a texture that can't be read is refused`() throws {
    let folder = try TemporaryFolder()
    try folder.write("newmtl a\nmap_Kd a.webp\n", to: "m.mtl")
    try folder.write("RIFF\u{10}\0\0\0WEBPVP8 SECRET", to: "a.webp")
    try folder.write(
      "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl a\nf 1/1 2/2 3/3\n",
      to: "scan.obj")
    let refused = try CommandProcess.run(
      ["run", "scan.obj", "--private", "-o", "out.glb"], in: folder)
    #expect(refused.status == 65, Comment(rawValue: refused.errors))
    #expect(refused.errors.contains("a.webp' can't be read"), Comment(rawValue: refused.errors))
  }

  // MARK: Forged provenance

  private func forged(_ json: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      ply
      format ascii 1.0
      comment meshpipe-provenance \(json)
      element vertex 0
      end_header

      """, to: "a.ply")
    return folder
  }

  @Test(arguments: ["1e19", "1e300", "9223372036854775808", "-1e30", "0.5"])
  func `any number of files is shown`(count: String) throws {
    let folder = try forged(
      #"{"version": 1, "meshpipe": "0.1.0", "pipeline": {}, "inputs": [{"files": \#(count)}]}"#)
    #expect(try run(["provenance", "a.ply"], in: folder).text.contains("meshpipe 0.1.0"))
  }

  @Test func `advice is one line of words that a shell takes as they are`() throws {
    let folder = try forged(
      #"{"version": 1, "meshpipe": "9\u001b[31m\n\u202e", "pipeline": {"stages": [], "output": "#
        + #"{"format": "glb", "from": "input"}}, "inputs": [{"name": "a b.obj; touch PWNED #"}], "#
        + #""settings": {"inputClasses": {"1": "floor"}}}"#)
    let advice = try run(["provenance", "--replay", "a.ply"], in: folder).errors
    #expect(
      advice.contains(
        "PIPELINE.json 'a b.obj; touch PWNED #' --input-classes inputClasses.json; inputClasses"),
      Comment(rawValue: advice))
    #expect(advice.split(separator: "\n").count == 1)
    #expect(!advice.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
  }

  // MARK: Signatures

  @Test func `no signature stands beside other bytes`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    let sign = "cp \"$1\" \"$1.sig\"; true"
    let words = ["run", "scan.obj", "-o", "a.ply", "-o", "b.ply"]
    func signed(_ name: String) throws -> Bool? {
      let url = folder.url.appendingPathComponent(name)
      guard let signature = try? Data(contentsOf: url.appendingPathExtension("sig")) else {
        return nil
      }
      return signature == (try Data(contentsOf: url))
    }
    _ = try run(words + ["--sign", sign], in: folder)
    #expect(try signed("a.ply") == true && signed("b.ply") == true)
    _ = try run(words, in: folder)
    #expect(try signed("a.ply") == true)
    _ = try run(words + ["-s", "center"], in: folder)
    #expect(try signed("a.ply") == nil && signed("b.ply") == nil)
    try folder.write("other", to: "a.ply.sig")
    _ = try run(words + ["-s", "center", "--sign", sign], in: folder)
    #expect(try signed("a.ply") == true)
    let failed = try CommandProcess.run(words + ["--sign", "false"], in: folder)
    #expect(failed.status == 73)
    #expect(try signed("a.ply") == nil && signed("b.ply") == nil)
  }
}
