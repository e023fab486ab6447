import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import MeshpipeCommand

@Suite struct PipelineLibraryTests {
  /// A folder with an installed pipeline, one of the user's own, and a scan.
  private static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in ["shared", "own/meshpipe/pipelines"] {
      try FileManager.default.createDirectory(
        at: folder.url.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    try folder.writePipeline("own/meshpipe/pipelines/tidy.json")
    try folder.writePipeline("shared/light.json", outputs: ["${stem}-light.glb"])
    try folder.writeScan()
    return folder
  }

  private static func run(_ arguments: [String], in folder: TemporaryFolder) throws -> Outcome {
    var environment = CommandProcess.environment
    environment["MESHPIPE_PIPELINE_PATH"] = folder.url.appendingPathComponent("shared").path
    environment["XDG_CONFIG_HOME"] = folder.url.appendingPathComponent("own").path
    return try CommandProcess.run(
      CommandProcess.executable, arguments, in: folder, environment: environment)
  }

  @Test func `a pipeline runs by its name`() throws {
    let folder = try Self.folder()
    #expect(try Self.run(["run", "light", "scan.obj"], in: folder).status == 0)
    #expect(folder.exists("scan-light.glb"))
    #expect(try Self.run(["check", "tidy"], in: folder).status == 0)
    let batch = try Self.run(["batch", "tidy", "scan.obj", "-o", "out/{stem}.glb"], in: folder)
    #expect(batch.status == 0, "\(batch.errors)")
    #expect(folder.exists("out/scan.glb"))
  }

  @Test(arguments: [["pipelines", "new"], ["new", "pipeline"]])
  func `a pipeline to begin from is made, checked and run`(words: [String]) throws {
    let folder = try Self.folder()
    let made = try Self.run(words + ["mine"], in: folder)
    #expect(made.status == 0, "\(made.errors)")
    #expect(try Self.run(["check", "mine.json"], in: folder).status == 0)
    let formatted = try Self.run(["check", "--format", "mine.json"], in: folder)
    #expect(formatted.status == 0, "\(formatted.errors)")
    #expect(try Self.run(["run", "mine.json", "scan.obj", "-o", "out/"], in: folder).status == 0)
    #expect(folder.exists("out/scan.glb"))
    // What somebody wrote is not written over.
    #expect(try Self.run(words + ["mine"], in: folder).status == 64)

    #expect(try Self.run(words + ["other.json", "--like", "light"], in: folder).status == 0)
    #expect(try Self.run(["run", "other.json", "scan.obj"], in: folder).status == 0)
    #expect(folder.exists("scan-light.glb"))
    #expect(try Self.run(words + ["third", "--like", "nothing"], in: folder).status == 66)
  }

  @Test func `a file of the current folder comes before a pipeline of its name`() throws {
    let folder = try Self.folder()
    try folder.writePipeline("light", outputs: ["${stem}-own.glb"])
    #expect(try Self.run(["run", "light", "scan.obj"], in: folder).status == 0)
    #expect(folder.exists("scan-own.glb"))
    #expect(!folder.exists("scan-light.glb"))
  }

  @Test func `a folder does not hide a pipeline of its name`() throws {
    let folder = try Self.folder()
    for _ in 1...2 {
      let run = try Self.run(["run", "light", "scan.obj", "-o", "light/"], in: folder)
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(folder.exists("light/scan-light.glb"))
    // By itself the folder is a capture to convert, as before.
    let alone = try Self.run(["run", "light", "-o", "a.glb"], in: folder)
    #expect(alone.errors.contains("the folder is not a known capture"), "\(alone.errors)")
  }

  @Test func `a name that nothing has is told with the nearest one`() throws {
    let outcome = try Self.run(["run", "ligth", "scan.obj"], in: try Self.folder())
    #expect(outcome.status == 66)
    #expect(outcome.errors.contains("'ligth'; did you mean 'light'?"))
    #expect(outcome.errors.contains("meshpipe pipelines"))
  }

  @Test func `pipelines are listed and printed`() throws {
    let folder = try Self.folder()
    let list = try Self.run(["pipelines", "--json"], in: folder)
    let entries = try #require(
      try JSONSerialization.jsonObject(with: list.output) as? [[String: String]])
    #expect(entries.map { $0["name"] } == ["light", "tidy"])
    let shown = try Self.run(["pipelines", "show", "tidy"], in: folder)
    #expect(shown.text == (try folder.text(of: "own/meshpipe/pipelines/tidy.json")))
  }

  @Test func `an earlier folder hides pipelines of the same name in later ones`() throws {
    let folder = try Self.folder()
    try folder.writePipeline("shared/tidy.json", outputs: ["${stem}.ply"])
    let library = PipelineLibrary(
      folders: ["shared", "own/meshpipe/pipelines"].map {
        folder.url.appendingPathComponent($0).path
      })
    #expect(library.entries().map(\.name) == ["light", "tidy"])
    #expect(library.entries().allSatisfy { $0.path.contains("/shared/") })
  }
}
