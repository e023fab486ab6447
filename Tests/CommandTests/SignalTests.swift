import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A run that can't get on, because nobody writes to its input or nobody reads its output.
private final class StuckRun {
  let folder: TemporaryFolder
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(
    _ arguments: [String], in folder: TemporaryFolder, variables: [String: String] = [:]
  ) throws {
    self.folder = folder
    process.executableURL = CommandProcess.executable
    process.arguments = arguments
    process.environment = CommandProcess.environment.merging(["TMPDIR": folder.path]) { $1 }
      .merging(variables) { $1 }
    process.currentDirectoryURL = folder.url
    process.standardInput = input
    process.standardOutput = output
    process.standardError = try folder.fileHandle(forWriting: "errors")
    try process.run()
  }

  /// Waits until a file whose name begins so is in the folder.
  func waitForFile(_ prefix: String) throws {
    for _ in 0..<6000 {
      if folder.names.contains(where: { $0.hasPrefix(prefix) }) { return }
      Thread.sleep(forTimeInterval: 0.01)
    }
    Issue.record("the run did not get so far: \(folder.names)")
  }

  /// Sends a signal, and returns the exit status; without the signal the run would not end.
  func end(by signal: Int32) -> Int32 {
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    return process.terminationStatus
  }
}

@Suite(.serialized)
struct SignalTests {
  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func `a signal ends a run that waits for its input`(signal: Int32, status: Int32) throws {
    let run = try StuckRun(
      ["run", "-", "-s", "weld", "-o", "out.ply"], in: try TemporaryFolder())
    try run.waitForFile("meshpipe-")
    #expect(run.end(by: signal) == status)
    #expect(run.folder.names == ["errors"], "temporary files are removed")
    #expect(try run.folder.text(of: "errors") == "meshpipe: interrupted\n")
  }

  @Test func `a signal ends a program that encodes a texture`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl a\nf 1/1 2/2 3/3\n",
      to: "a.obj")
    try folder.write("newmtl a\nmap_Kd a.png\n", to: "a.mtl")
    let picture = TextureRaster(
      size: SIMD2(4, 4), pixels: [SIMD4<UInt8>](repeating: SIMD4(0, 128, 255, 255), count: 16))
    try Data(picture.encoded(as: .png, quality: nil))
      .write(to: folder.url.appendingPathComponent("a.png"))
    let bin = folder.url.appendingPathComponent("bin")
    try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
    let program = bin.appendingPathComponent("ktx").path
    let text = "#!/bin/sh\n: > started\n/bin/sleep 20\n: > finished\n"
    try text.write(toFile: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    let before = Set(folder.names)
    let run = try StuckRun(
      ["run", "a.obj", "-o", "out.glb", "--set", "textures=ktx2"], in: folder,
      variables: ["PATH": bin.path])
    try run.waitForFile("started")
    #expect(run.end(by: SIGINT) == 130)
    #expect(Set(folder.names) == before.union(["errors", "started"]))
  }

  /// Whether the run has one output of its own besides the one that waits, or one for each of two levels.
  @Test(arguments: [false, true])
  func `a signal ends a run that nobody reads from, and leaves nothing half-written`(
    hasLevels: Bool
  ) throws {
    let folder = try TemporaryFolder()
    // More than a pipe holds.
    var text = ""
    for index in 0..<20_000 { text += "v \(index) \(index % 7) 0\n" }
    for index in 1..<19_998 { text += "f \(index) \(index + 1) \(index + 2)\n" }
    try folder.write(text, to: "scan.obj")
    try folder.write(
      """
      { "meshpipe": 1, "levels": { "low": {}, "high": {} },
        "stages": [ { "use": "weld", "note": "${level}" } ],
        "outputs": [ { "path": "${level}.ply" }, { "path": "-", "format": "ply", "from": "input" } ] }
      """, to: "levels.json")
    let run = try StuckRun(
      hasLevels
        ? ["run", "levels.json", "scan.obj"]
        : ["run", "scan.obj", "-s", "weld", "-o", "side.ply", "-o", "-", "--output-format", "ply"],
      in: folder)
    // Of the levels both are complete then, but not in place.
    try run.waitForFile(".meshpipe-")
    #expect(run.end(by: SIGINT) == 130)
    #expect(folder.names == ["errors", "levels.json", "scan.obj"])
  }

  // MARK: Crashes

  private static let crashes: [(Int32, String)] = [
    (SIGILL, "SIGILL"), (SIGABRT, "SIGABRT"), (SIGFPE, "SIGFPE"), (SIGSEGV, "SIGSEGV"),
    (SIGBUS, "SIGBUS"),
  ]

  @Test(.notSanitized, arguments: crashes)
  func `a crash ends a run with a line that says where it was`(signal: Int32, name: String) throws {
    let run = try StuckRun(
      ["run", "-", "-s", "weld", "-o", "out.ply"], in: try TemporaryFolder())
    try run.waitForFile("meshpipe-")
    #expect(run.end(by: signal) == 70)
    let errors = try run.folder.text(of: "errors")
    #expect(
      errors.hasPrefix("meshpipe: error: crashed (\(name)) in 'meshpipe run'"),
      "\(errors)")
    #expect(errors.contains("please report this line"), "\(errors)")
    #expect(errors.hasSuffix("(meshpipe \(meshpipeBuild))\n"), "\(errors)")
    #expect(errors.count { $0 == "\n" } == 1, "\(errors)")
  }

  @Test(.notSanitized, arguments: [SIGSEGV, SIGBUS])
  func `the line names stage and scan`(signal: Int32) throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    try folder.write("sleep 60\n", to: "plugins/doze.sh")
    try folder.write(
      """
      { "meshpipePlugin": 1, "name": "doze", "version": "1", "protocol": 1,
        "interpreter": ["sh"], "executable": "doze.sh",
        "stages": [ { "name": "fall-asleep", "summary": "Sleeps." } ] }
      """, to: "plugins/doze.meshpipe-plugin.json")
    let run = try StuckRun(
      ["run", "scan.obj", "-s", "fall-asleep", "-o", "out.ply", "--plugins", "plugins"], in: folder)
    try run.waitForFile("meshpipe-plugin-")
    #expect(run.end(by: signal) == 70)
    let errors = try folder.text(of: "errors")
    #expect(errors.contains(" in stage 'fall-asleep', on scan.obj; please report"), "\(errors)")
    #expect(!folder.exists("out.ply"))
  }
}
