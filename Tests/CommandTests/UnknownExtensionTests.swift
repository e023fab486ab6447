import Foundation
import Testing

/// Files whose names tell no format are not taken for pipelines.
@Suite struct UnknownExtensionTests {
  private func run(
    _ name: String, _ contents: String, _ more: [String] = []
  ) throws -> Outcome {
    let folder = try TemporaryFolder()
    try folder.write(contents, to: name)
    let outcome = try CommandProcess.run(["run", name] + more + ["-o", "out.ply"], in: folder)
    #expect(folder.exists("out.ply") == (outcome.status == 0))
    return outcome
  }

  @Test(arguments: [
    ("a.txt", "0 0 0\n1 0 0\n0 1 0\n"), ("a.dat", "x,y,z\n1,2,3\n4,5,6\n"),
    ("points", "1 2 3\n4 5 6\n"), ("a.txt", "2\n1 2 3 0.5 1 2 3\n4 5 6 0.5 1 2 3\n"),
    ("a.json", #"{"identifiers":[1,2],"points":[[1,2,3],[4,5,6]]}"#),
    ("a.jsonl", "{\"identifiers\":[1,2],\"points\":[[1,2,3],[4,5,6]]}\n"),
    ("a.log", #"[{"identifiers":[1,2],"points":[[1,2,3],[4,5,6]]}]"#),
  ])
  func `points are read from files of any name`(name: String, contents: String) throws {
    let outcome = try run(name, contents)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(arguments: [
    (
      "a.txt", "Dear reader, there are 3 walls.\nNo more.\n", "no format reads '.txt'; if its lines"
    ),
    ("a.foo", "\u{1}\u{0}\u{2}", "no format reads '.foo'; `meshpipe formats`"),
    ("a.wrl", "#VRML V2.0 utf8\n", "a VRML model, which is not supported: convert it"),
    ("a.splat", "\u{0}", "Gaussian splats in a form for viewers"),
    ("a.ptx", "text", "expected the number of columns"),
    ("scan", "text", "the file's name has no extension"),
  ])
  func `others get the truth about their format`(
    name: String, contents: String, message: String
  ) throws {
    let outcome = try run(name, contents)
    #expect(outcome.status == (name == "a.ptx" ? 65 : 69))
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(!outcome.errors.contains("needs INPUT"))
  }

  @Test func `a missing file of any name is named`() throws {
    let outcome = try CommandProcess.run(["run", "none.txt", "-o", "a.glb"], in: TemporaryFolder())
    #expect(outcome.status == 66)
    #expect(outcome.errors.contains("none.txt"), "\(outcome.errors)")
  }

  @Test func `a pipeline of any name is a pipeline`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    try folder.write(
      #"{ "meshpipe": 1, "stages": [{ "use": "center" }], "outputs": [{ "path": "o.glb" }] }"#,
      to: "steps.txt")
    let outcome = try CommandProcess.run(["run", "steps.txt", "scan.obj"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let alone = try CommandProcess.run(["run", "steps.txt", "-o", "b.glb"], in: folder)
    #expect(alone.status == 64 && alone.errors.contains("needs INPUT"), "\(alone.errors)")
  }

  @Test func `warnings of incomplete points are errors with --strict`() throws {
    for text in ["1.25 2.25 3.25\n4.25 5.25 6.25\n7.25 8.2", "1.2 2.2 3\n4 5\n6 7 8\n"] {
      #expect(try run("a.xyz", text).status == 0)
      let strict = try run("a.xyz", text, ["-s", "convert-axes up=z", "--strict"])
      #expect(strict.status == 65 && strict.errors.contains("is the file complete?"))
    }
  }

  @Test func `a former method of filter-points names its successor`() throws {
    let outcome = try run("a.xyz", "1 2 3\n4 5 6\n", ["-s", "filter-points method=z-score"])
    #expect(outcome.status != 0 && outcome.errors.contains("'merge-features'"), "\(outcome.errors)")
  }
}
