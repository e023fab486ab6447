import Foundation
import MeshTestSupport
import Testing

/// Files are compared with the hashes that a bundle or a report has of them.
struct VerifyTests {
  /// The hashes of "abc" and of nothing, from FIPS 180-4 and by `sha256sum`.
  private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  private static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  private func bundle() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("abc", to: "room/a.txt")
    try folder.write("", to: "room/sub/b.bin")
    try folder.write(
      "{ \"algorithm\": \"sha256\", \"files\": "
        + "{ \"a.txt\": \"\(Self.abc.uppercased())\", \"sub/b.bin\": \"\(Self.empty)\" } }",
      to: "room/manifest.sha256.json")
    return folder
  }

  private func verified(_ words: [String], in folder: TemporaryFolder) throws -> (
    status: Int32, text: String, errors: String
  ) {
    let run = try CommandProcess.run(["verify"] + words, in: folder)
    return (Int32(run.status), run.text, run.errors)
  }

  @Test func `a bundle is as it was hashed, in a folder and in an archive`() throws {
    let folder = try bundle()
    for path in ["room", "room/", "room/manifest.sha256.json"] {
      let found = try verified([path], in: folder)
      #expect(found.status == 0, Comment(rawValue: found.errors))
      #expect(found.text == "\(path): 2 of 2 files are as they were hashed\n")
    }
    #expect(try Program.run("/bin/tar", ["-cf", "room.tar", "room"], in: folder.path).status == 0)
    let archive = try verified(["room.tar"], in: folder)
    #expect(
      archive.text == "room.tar: 2 of 2 files are as they were hashed\n",
      Comment(rawValue: archive.errors))
  }

  @Test func `changed and missing files are named`() throws {
    let folder = try bundle()
    try folder.write("abd", to: "room/a.txt")
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("room/sub/b.bin"))
    let found = try verified(["room"], in: folder)
    #expect(found.status == 65)
    #expect(
      found.text == """
        a.txt is not the file that was hashed
        sub/b.bin is missing
        room: 0 of 2 files are as they were hashed

        """)
    let json = try CommandProcess.run(["verify", "room", "--json"], in: folder)
    let page = try JSONSerialization.jsonObject(with: json.output) as? [String: Any]
    #expect(json.status == 65 && page?["files"] as? Int == 2)
    #expect(page?["changed"] as? [String] == ["a.txt"])
    #expect(page?["missing"] as? [String] == ["sub/b.bin"])
  }

  @Test func `a file that the list lacks is an error, and the list's signature is none`() throws {
    let folder = try bundle()
    try folder.write("signature", to: "room/manifest.sha256.json.sig")
    #expect(try verified(["room"], in: folder).status == 0)
    try folder.write("black", to: "room/masks/a.png")
    for path in ["room", "room/manifest.sha256.json"] {
      let found = try verified([path], in: folder)
      #expect(found.status == 65)
      #expect(found.text.hasPrefix("masks/a.png is not in the list\n"))
      #expect(found.text.hasSuffix(": 2 of 2 files are as they were hashed\n"))
    }
  }

  @Test func `a name that leads out of the bundle is missing`() throws {
    let folder = try bundle()
    try folder.write("abc", to: "secret")
    try folder.write(
      "{ \"../secret\": \"\(Self.abc)\", \"\(folder.path)/secret\": \"\(Self.abc)\" }",
      to: "room/manifest.sha256.json")
    let found = try verified(["room"], in: folder)
    #expect(found.status == 65 && found.text.contains("../secret is missing"))
    #expect(found.text.hasSuffix("room: 0 of 2 files are as they were hashed\n"))
  }

  @Test func `outputs are those of the report`() throws {
    let folder = try TemporaryFolder()
    try folder.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", to: "scan.obj")
    let run = try CommandProcess.run(
      ["run", "scan.obj", "-o", "out/a.ply", "-o", "out/b.obj", "--report", "report.json"],
      in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    let intact = try verified(["report.json"], in: folder)
    #expect(intact.status == 0, Comment(rawValue: intact.text + intact.errors))
    #expect(intact.text.hasSuffix("files are as they were hashed\n"))
    try folder.write("changed", to: "out/a.ply")
    let changed = try verified(["report.json"], in: folder)
    #expect(changed.status == 65)
    #expect(
      changed.text.contains("a.ply is not the file that was hashed"),
      Comment(rawValue: changed.text))
  }

  @Test func `what has no hashes is said`() throws {
    let folder = try TemporaryFolder()
    try folder.write("{ \"a\": 1 }", to: "plain.json")
    try folder.write("{ \"a\": ", to: "broken.json")
    try folder.write("", to: "empty/x")
    for (path, status, words) in [
      ("plain.json", 65, "has no hashes of files"), ("broken.json", 65, "broken.json"),
      ("empty", 65, "has no manifest.sha256.json"), ("nowhere", 66, "nowhere"),
    ] {
      let found = try verified([path], in: folder)
      #expect(found.status == status && found.errors.contains(words), "\(path): \(found)")
    }
    #expect(try verified([], in: folder).status == 64)
  }
}
