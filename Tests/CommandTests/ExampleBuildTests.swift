import Foundation
import Testing

/// The examples for make and ninja, beside the pipelines that they use, with scans of their own.
private struct ExampleFolder {
  let folder: TemporaryFolder
  let isMake: Bool

  static let installedTools = ["make", "ninja"].filter { CommandProcess.program($0) != nil }

  init(tool: String) throws {
    isMake = tool == "make"
    folder = try TemporaryFolder()
    for name in ["examples", "pipelines"] {
      try FileManager.default.copyItem(
        at: CommandProcess.packageRoot.appendingPathComponent(name),
        to: folder.url.appendingPathComponent(name))
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
        folder.url.appendingPathComponent("examples/ninja/configure"),
        ["examples/ninja/scans", "examples/ninja/models"], in: folder)
      #expect(configured.status == 0, "\(configured.errors)")
    }
  }

  var scanFolder: String { examples + "/scans" }
  private var examples: String { isMake ? "examples/make" : "examples/ninja" }

  /// Builds, and says how many models were worked on.
  func build() throws -> Int {
    let tool = try #require(CommandProcess.program(isMake ? "make" : "ninja"))
    let outcome = try CommandProcess.run(
      tool, ["-C", folder.url.appendingPathComponent(examples).path] + (isMake ? [] : ["-v"]),
      in: folder)
    #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
    return outcome.text.components(separatedBy: "meshpipe run ").count - 1
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
}
