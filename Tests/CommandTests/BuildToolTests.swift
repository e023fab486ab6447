import Foundation
import Testing

/// A folder with two scans (one with a material library and a picture), two pipelines, and files for
/// make and ninja that build a model of each.
private final class BuildFolder {
  let folder: TemporaryFolder
  let tool: URL
  private let arguments: [String]

  /// The tools that are here to be tested with.
  static let installedTools = ["make", "ninja"].filter { CommandProcess.program($0) != nil }

  init(tool name: String) throws {
    tool = try #require(CommandProcess.program(name))
    arguments = name == "make" ? ["--no-print-directory"] : ["-v"]
    folder = try TemporaryFolder()
    try folder.writeScan("room 1.obj", materials: "paint.mtl")
    try folder.write("newmtl paint\nKd 1 0 0\nmap_Kd wood grain.png\n", to: "paint.mtl")
    try folder.writePicture("wood grain.png")
    try folder.writeScan("shed$#.obj", cells: 2)
    try folder.writePipeline("web.json")
    try folder.writePipeline("plain.json", outputs: ["${stem}.ply"])
    try folder.write(Self.makefile, to: "Makefile")
    try folder.write(Self.ninjaFile, to: "build.ninja")
    for name in folder.names { try folder.setTime(of: name, secondsFromNow: -60) }
  }

  /// With `--touch`, for make goes by times alone.
  private static let makefile = """
    FLAGS = --if-changed --touch --quiet
    all: room.glb shed.ply
    room.glb: web.json
    \tmeshpipe run web.json 'room 1.obj' -o $@ $(FLAGS) -MD -MF room.d
    shed.ply: plain.json
    \tmeshpipe run plain.json 'shed$$#.obj' -o $@ $(FLAGS) -MD -MF shed.d
    -include room.d shed.d

    """

  private static let ninjaFile = """
    rule run
      command = meshpipe run $in -o $out --if-changed --quiet -MD -MF $out.d
      depfile = $out.d
      deps = gcc
      restat = 1
    build room.glb: run web.json room$ 1.obj
    build shed.ply: run plain.json shed$$#.obj

    """

  /// Builds everything and says which models were worked on.
  func build() throws -> Set<String> {
    let outcome = try CommandProcess.run(tool, arguments, in: folder)
    #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
    return Set(["room.glb", "shed.ply"].filter { outcome.text.contains("-o \($0)") })
  }

  /// Changes a file as an editor does, and makes sure that it is newer than all that was built.
  func edit(_ name: String, _ change: (String) -> String) throws {
    let text = try folder.text(of: name)
    let changed = change(text)
    #expect(text != changed)
    Thread.sleep(forTimeInterval: 0.05)
    try folder.write(changed, to: name)
  }
}

@Suite struct BuildToolTests {
  @Test(arguments: BuildFolder.installedTools)
  func `a build does exactly what is needed`(tool: String) throws {
    let build = try BuildFolder(tool: tool)
    #expect(try build.build() == ["room.glb", "shed.ply"])
    #expect(try build.build() == [])
    let edits: [(file: String, models: Set<String>, change: (String) -> String)] = [
      ("room 1.obj", ["room.glb"], { $0 + "v 0 1 0\nf 1 2 26\n" }),
      ("shed$#.obj", ["shed.ply"], { $0 + "v 0 1 0\nf 1 2 10\n" }),
      ("paint.mtl", ["room.glb"], { $0.replacingOccurrences(of: "1 0 0", with: "0 1 0") }),
      ("web.json", ["room.glb"], { $0.replacingOccurrences(of: "weld", with: "center") }),
      ("plain.json", ["shed.ply"], { $0.replacingOccurrences(of: "weld", with: "center") }),
    ]
    for edit in edits {
      try build.edit(edit.file, edit.change)
      #expect(try build.build() == edit.models, "after a change of \(edit.file)")
      #expect(try build.build() == [], "a second time after a change of \(edit.file)")
    }
    Thread.sleep(forTimeInterval: 0.05)
    try build.folder.writePicture("wood grain.png", white: false)
    #expect(try build.build() == ["room.glb"], "after a change of the picture")
    #expect(try build.build() == [])
  }

  @Test(arguments: BuildFolder.installedTools)
  func `a source that is only touched changes no output`(tool: String) throws {
    let build = try BuildFolder(tool: tool)
    _ = try build.build()
    let before = try Data(contentsOf: build.folder.url.appendingPathComponent("room.glb"))
    Thread.sleep(forTimeInterval: 0.05)
    try build.folder.setTime(of: "room 1.obj", secondsFromNow: 0)
    #expect(try build.build() == ["room.glb"])
    #expect(
      try Data(contentsOf: build.folder.url.appendingPathComponent("room.glb")) == before)
    #expect(try build.build() == [])
  }

  @Test(arguments: BuildFolder.installedTools)
  func `a source that was removed is no riddle to the build`(tool: String) throws {
    let build = try BuildFolder(tool: tool)
    _ = try build.build()
    try FileManager.default.removeItem(
      at: build.folder.url.appendingPathComponent("wood grain.png"))
    #expect(try build.build() == ["room.glb"])
    #expect(try build.build() == [])
  }
}

@Suite struct IfChangedTests {
  /// Whether a run did anything; with `--progress json` it says every step.
  private func worked(_ folder: TemporaryFolder, _ more: String...) throws -> Bool {
    try worked(folder, more)
  }

  private func worked(_ folder: TemporaryFolder, _ more: [String]) throws -> Bool {
    let outcome = try CommandProcess.run(
      ["run", "pipeline.json", "scan.obj", "--if-changed", "--progress", "json"] + more, in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return !outcome.errors.isEmpty
  }

  private func prepared() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    try folder.writePipeline(outputs: ["${stem}.glb", "${stem}.ply"])
    for name in folder.names { try folder.setTime(of: name, secondsFromNow: -60) }
    return folder
  }

  @Test func `a second run does nothing`() throws {
    let folder = try prepared()
    #expect(try worked(folder))
    #expect(folder.exists(".scan.glb.meshpipe"))
    #expect(try !worked(folder))
  }

  @Test func `a damaged, missing or foreign output is made again`() throws {
    let folder = try prepared()
    _ = try worked(folder)
    try folder.write("x", to: "scan.ply")
    #expect(try worked(folder))
    #expect(try !worked(folder))
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("scan.glb"))
    #expect(try worked(folder))
    #expect(try !worked(folder))
  }

  @Test func `options that matter count and others don't`() throws {
    let folder = try prepared()
    _ = try worked(folder)
    #expect(try !worked(folder, "-j1", "--quiet"))
    #expect(try worked(folder, "--set", "weld.tolerance=1mm"))
    #expect(try !worked(folder, "--set", "weld.tolerance=1mm"))
    #expect(try worked(folder, "--input-up", "z"))
    #expect(try worked(folder, "--input-up", "z", "--input-unit", "mm"))
    _ = try worked(folder)
    // There are no frames, no rooms and no plugins.
    let idle = [
      ["--allow-network", "x"], ["--allow-env", "X"], ["--frames", "none"], ["--room", "none"],
      ["--masks", "ignore"], ["--force-poses"], ["--force"],
    ]
    for options in idle { #expect(try !worked(folder, options), "\(options)") }
  }

  @Test func `a side file that appears counts`() throws {
    let folder = try prepared()
    try folder.writeScan(materials: "paint.mtl")
    try folder.setTime(of: "scan.obj", secondsFromNow: -60)
    _ = try worked(folder)
    #expect(try !worked(folder))
    try folder.write("newmtl paint\nKd 1 0 0\n", to: "paint.mtl")
    #expect(try worked(folder))
  }

  @Test func `a missing report or dependency file is written`() throws {
    let folder = try prepared()
    _ = try worked(folder)
    #expect(try !worked(folder, "-MF", "scan.d"))
    #expect(try folder.text(of: "scan.d").hasPrefix("scan.glb scan.ply: \\\n  pipeline.json \\\n"))
    #expect(try worked(folder, "--report", "report.json"))
    #expect(try !worked(folder, "--report", "report.json"))
  }
}
