import Foundation
import Testing

/// The example of a program that is the command with a stage of its own.
struct EmbeddingTests {
  private static let isWanted =
    ProcessInfo.processInfo.environment["MESHPIPE_BUILD_EXAMPLES"] != nil

  @Test(.enabled(if: isWanted, "takes minutes; runs with MESHPIPE_BUILD_EXAMPLES=1"))
  func `the example builds, and its command knows its stage`() throws {
    // Beside the package's own build, so that it is done anew only where something changed.
    let scratch = CommandProcess.packageRoot.appendingPathComponent(".build/examples").path
    let example = CommandProcess.packageRoot.appendingPathComponent("examples/swift-embedding").path
    let swift = try #require(CommandProcess.program("swift"))
    let build = try CommandProcess.run(
      swift, ["build", "--package-path", example, "--scratch-path", scratch])
    #expect(build.status == 0, "\(build.text)\(build.errors)")
    let studio = URL(fileURLWithPath: scratch + "/debug/studio")
    let folder = try TemporaryFolder()
    try folder.writeScan()
    let page = try CommandProcess.run(studio, ["stages", "raise"], in: folder)
    #expect(page.text.hasPrefix("raise: Moves the scene up."), "\(page.errors)")
    let run = try CommandProcess.run(
      studio, ["run", "scan.obj", "-s", "raise by=5cm", "-o", "out.obj", "-o", "out.fbx"],
      in: folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try folder.text(of: "out.obj").contains("\nv 0 0.05 0\n"))
    // Assimp writes it in a process that the example itself is.
    #expect(folder.exists("out.fbx"))
    let wrong = try CommandProcess.run(
      studio, ["run", "scan.obj", "-s", "raise by=50m", "-o", "out.obj"], in: folder)
    #expect(wrong.errors.contains("'by' of stage 'raise': must be from 0 m to 10 m"))
  }
}
