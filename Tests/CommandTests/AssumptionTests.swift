import Foundation
import MeshTestSupport
import Testing

/// What the command says of its assumptions about an input.
struct AssumptionTests {
  private static let points = "0 0 0\n1 0 0\n0 1 0\n1 1 0.5\n"

  @Test func `an assumption that an output acts on is said once, and is an error if strict`() throws
  {
    let folder = try TemporaryFolder()
    try folder.write(Self.points, to: "a.xyz")
    let outcome = try CommandProcess.run(
      ["run", "a.xyz", "-o", "a.las", "-o", "b.las"], in: folder)
    #expect(outcome.status == 0)
    let said = outcome.errors.components(separatedBy: "assumed of the input: y up")
    #expect(said.count == 2, "\(outcome.errors)")
    #expect(outcome.errors.contains("--input-up"))
    let strict = try CommandProcess.run(
      ["run", "a.xyz", "-o", "a.las", "--strict"], in: folder)
    #expect(strict.status == 65)
    let settled = try CommandProcess.run(
      ["run", "a.xyz", "-o", "a.las", "--strict", "--input-up", "y"], in: folder)
    #expect(settled.status == 0, "\(settled.errors)")
  }

  @Test func `a stage that names classes of the scan by their numbers has nothing to ask`() throws {
    let folder = try TemporaryFolder()
    try folder.write("//X Y Z label\n0 0 0 3\n1 0 0 3\n0 1 0 4\n", to: "a.asc")
    let outcome = try CommandProcess.run(
      [
        "run", "a.asc", "--input-up", "z", "-s", "filter-classification drop=label-3", "-o",
        "b.las", "--strict",
      ], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.errors.contains("--input-classes"), "\(outcome.errors)")
  }

  @Test func `pipelines for meshes say what makes a mesh of points`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.points, to: "a.xyz")
    func run(_ pipeline: String) throws -> Outcome {
      try CommandProcess.run(
        [
          "run", Checkout.path("pipelines/\(pipeline).json"), "a.xyz", "--input-up", "z", "-o",
          "out/",
        ], in: folder)
    }
    let model = try run("blender")
    #expect(model.status == 0, "\(model.errors)")
    #expect(FileManager.default.fileExists(atPath: folder.path + "/out/a.glb"))
    let plan = try run("floorplan")
    #expect(plan.status == 65)
    #expect(
      plan.errors.contains("the scan has points only; 'reconstruct-surface' makes a mesh of them"))
    #expect(!plan.errors.contains("can't hold"), "\(plan.errors)")
  }

  @Test func `a unit that makes a room a toy is warned about`() throws {
    let folder = try TemporaryFolder()
    func errors(_ unit: String) throws -> String {
      try CommandProcess.run(
        ["run", Checkout.path("samples/living-room.obj"), "-o", "a.glb", "--input-unit", unit],
        in: folder
      ).errors
    }
    #expect(try errors("mm").contains("as --input-unit says, but then the room is 6 mm long"))
    #expect(try errors("cm").contains("but then the room is 56 mm long"))
    #expect(try errors("ft") == "")
  }

  @Test func `another up axis is warned about only where the points have it`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.points, to: "a.xyz")
    try folder.write(
      "x,y,z\n692010.25,5335019,519.9\n692002.5,5335018.9,520.2\n692006,5335008.5,519.7\n",
      to: "grid.csv")
    func errors(_ arguments: String...) throws -> String {
      try CommandProcess.run(["run"] + arguments, in: folder).errors
    }
    let warning = "the scene is Y up, but Stanford PLY does not specify it"
    #expect(try errors("a.xyz", "-o", "b.ply").contains(warning))
    #expect(try errors("a.xyz", "-o", "b.ply", "--input-up", "y").contains(warning))
    #expect(try errors("a.xyz", "-o", "b.ply", "--input-up", "z", "--strict") == "")
    // Nothing is lost where the place of the grid is added again.
    #expect(try errors("grid.csv", "-o", "b.ply", "--strict") == "")
    #expect(try errors("grid.csv", "-o", "b.glb").contains("(692000, 5335000, 0), which is lost"))
    // Also of a format that has axes of its own, the user's word comes first.
    _ = try errors("a.xyz", "-o", "m.glb", "--input-up", "y")
    #expect(try errors("m.glb", "-o", "b.ply").contains(warning))
    #expect(try errors("m.glb", "-o", "b.ply", "--input-up", "z", "--strict") == "")
  }

  @Test func `a stage that chooses by class says that numbers have no names`() throws {
    let folder = try TemporaryFolder()
    try folder.write("//X Y Z label\n0 0 0 3\n1 0 0 3\n0 1 0 4\n", to: "a.asc")
    let drop = ["run", "a.asc", "-s", "filter-classification drop=ceiling", "-o", "b.ply"]
    let outcome = try CommandProcess.run(drop, in: folder)
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("--input-classes"), "\(outcome.errors)")
    let told = try CommandProcess.run(drop + ["--input-classes", "arkit"], in: folder)
    #expect(!told.errors.contains("--input-classes"))
    let text = try String(contentsOfFile: folder.path + "/b.ply", encoding: .isoLatin1)
    #expect(text.contains("element vertex 1\n"))
  }

  @Test func `a scheme that is none is a usage error`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.points, to: "a.xyz")
    let outcome = try CommandProcess.run(
      ["run", "a.xyz", "-o", "b.ply", "--input-classes", "scannet"], in: folder)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("'arkit', 'asprs' nor 'none'"))
  }

  @Test func `info and the report list what was assumed, with its source`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.points, to: "a.xyz")
    let text = try CommandProcess.run(["info", "a.xyz"], in: folder)
    #expect(String(decoding: text.output, as: UTF8.self).contains("assumed"))
    let json = try CommandProcess.run(["info", "--json", "a.xyz"], in: folder)
    let object = try #require(
      try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
    let answers = try #require(object["interpretation"] as? [[String: String]])
    let axes = try #require(answers.first { $0["aspect"] == "axes" })
    #expect(axes["value"] == "y up" && axes["source"] == "assumed")
    let run = try CommandProcess.run(
      ["run", "a.xyz", "-o", "b.ply", "--report", "r.json"], in: folder)
    #expect(run.status == 0)
    let report = try String(contentsOfFile: folder.path + "/r.json", encoding: .utf8)
    #expect(report.contains("\"source\": \"assumed\""))
  }
}
