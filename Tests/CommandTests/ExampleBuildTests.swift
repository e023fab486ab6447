import Foundation
import Testing

/// The examples for make and ninja, copied into a folder with scans of its own.
private struct ExampleFolder {
  let folder: TemporaryFolder
  let isMake: Bool

  static let installedTools = ["make", "ninja"].filter { CommandProcess.program($0) != nil }

  init(tool: String) throws {
    isMake = tool == "make"
    folder = try TemporaryFolder()
    for (name, copy) in [("examples/\(tool)", Self.name), ("pipelines", "pipelines")] {
      try FileManager.default.copyItem(
        at: CommandProcess.packageRoot.appendingPathComponent(name),
        to: folder.url.appendingPathComponent(copy))
    }
    let scans = scanFolder
    try folder.writeScan("\(scans)/room.obj", materials: "paint.mtl")
    try folder.write("newmtl paint\nKd 1 0 0\nmap_Kd wood.png\n", to: "\(scans)/paint.mtl")
    try folder.writePicture("\(scans)/wood.png")
    try folder.writeScan("\(scans)/shed.obj")
    for name in ["room.obj", "paint.mtl", "wood.png", "shed.obj"] {
      try folder.setTime(of: "\(scans)/\(name)", secondsFromNow: -60)
    }
    if !isMake {
      let configured = try CommandProcess.run(
        folder.url.appendingPathComponent("\(Self.name)/configure"),
        ["\(Self.name)/scans", "\(Self.name)/models"], in: folder, environment: environment)
      #expect(configured.status == 0, "\(configured.errors)")
    }
  }

  /// The folder that the example is copied to.
  private static let name = "copy"
  var scanFolder: String { Self.name + "/scans" }

  /// Pipelines are found by name.
  private var environment: [String: String] {
    CommandProcess.environment.merging([
      "MESHPIPE_PIPELINE_PATH": folder.url.appendingPathComponent("pipelines").path
    ]) { $1 }
  }

  /// Builds, and says how many models were worked on.
  func build() throws -> Int { try output().components(separatedBy: "meshpipe run ").count - 1 }

  /// Builds, and returns what was printed.
  func output() throws -> String {
    let tool = try #require(CommandProcess.program(isMake ? "make" : "ninja"))
    let outcome = try CommandProcess.run(
      tool, ["-C", folder.url.appendingPathComponent(Self.name).path] + (isMake ? [] : ["-v"]),
      in: folder, environment: environment)
    #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
    return outcome.text + outcome.errors
  }
}

@Suite struct ExampleBuildTests {
  @Test(arguments: ExampleFolder.installedTools)
  func `the example makes what is due and nothing else`(tool: String) throws {
    let example = try ExampleFolder(tool: tool)
    let (folder, scans) = (example.folder, example.scanFolder)
    let models = (scans as NSString).deletingLastPathComponent + "/models"
    #expect(try example.build() == 4)
    for name in ["web/room.glb", "web/shed.glb", "usdz/room.usdz", "usdz/shed.usdz"] {
      #expect(folder.exists("\(models)/\(name)"), "\(name)")
    }
    #expect(try example.build() == 0)
    Thread.sleep(forTimeInterval: 0.05)
    try folder.writePicture("\(scans)/wood.png", white: false)
    #expect(try example.build() == 2, "after a change of the picture")
    Thread.sleep(forTimeInterval: 0.05)
    try folder.write("newmtl paint\nKd 0 1 0\n", to: "\(scans)/paint.mtl")
    #expect(try example.build() == 2, "after a change of the materials")
    Thread.sleep(forTimeInterval: 0.05)
    let pipeline = try folder.text(of: "pipelines/quicklook.json")
    try folder.write(
      pipeline.replacingOccurrences(of: "100000", with: "50"), to: "pipelines/quicklook.json")
    #expect(try example.build() == 2, "after a change of the pipeline")
    try folder.writeScan("\(scans)/barn.obj")
    #expect(try example.build() == 2, "after a new scan")
    #expect(try example.build() == 0)
  }

  @Test(arguments: ExampleFolder.installedTools)
  func `a blank in a name stops nothing`(tool: String) throws {
    let example = try ExampleFolder(tool: tool)
    Thread.sleep(forTimeInterval: 0.05)
    try example.folder.writeScan("\(example.scanFolder)/my shed.obj")
    let output = try example.output()
    let models = (example.scanFolder as NSString).deletingLastPathComponent + "/models/web"
    #expect(example.folder.exists("\(models)/room.glb"))
    #expect(example.folder.exists("\(models)/my shed.glb") == (tool == "ninja"))
    // Make has no names with blanks, and says what is left out.
    #expect(output.contains("left out for the blanks in their names") == (tool == "make"))
  }
}
