import Foundation
import MeshTestSupport
import Testing

/// Captures with several meshes, as a user meets them.
struct MeshChoiceTests {
  /// A frames bundle `room/` whose `mesh.obj` floats 30 cm above the room; `scene.obj` is right.
  private func capture() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let capture = try SyntheticCapture { options in
      options.frameCount = 6
      options.size = SIMD2(64, 48)
      options.samples = 1
    }
    try folder.writeBundle(of: capture, hasPictures: true)
    let right = try folder.text(of: "room/mesh.obj")
    try folder.write(right, to: "room/scene.obj")
    try folder.write(MeshFixtures.raised(right, by: 0.3), to: "room/mesh.obj")
    return folder
  }

  private static let stages = ["-s", "report-coverage", "--force-poses"]

  private func lowest(in file: String, of folder: TemporaryFolder) throws -> Double {
    try folder.text(of: file).split(separator: "\n").filter { $0.hasPrefix("v ") }
      .compactMap { Double($0.split(separator: " ")[2]) }.min() ?? .nan
  }

  @Test func `depth maps choose, the user decides`() throws {
    let folder = try capture()
    let call = ["run", "room"] + Self.stages
    let run = try CommandProcess.run(
      call + ["-o", "out.obj", "--report", "report.json", "-MD"], in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    let right = try lowest(in: "room/scene.obj", of: folder)
    #expect(abs(try lowest(in: "out.obj", of: folder) - right) < 1e-4)
    let report = try folder.text(of: "report.json")
    #expect(report.contains("\"framesMesh\": \"scene.obj\""), Comment(rawValue: report))
    #expect(report.contains("\"path\": \"room/scene.obj\""), Comment(rawValue: report))
    // Every mesh has its part in the result.
    let rule = try folder.text(of: "out.obj.d")
    #expect(rule.contains("room/mesh.obj") && rule.contains("room/scene.obj"))
    let named = try CommandProcess.run(
      call + ["--mesh", "mesh.obj", "-o", "named.obj"], in: folder)
    #expect(named.status == 0, Comment(rawValue: named.errors))
    #expect(abs(try lowest(in: "named.obj", of: folder) - right - 0.3) < 1e-4)
    let info = try CommandProcess.run(["info", "room"], in: folder)
    #expect(info.text.contains("--mesh NAME"), Comment(rawValue: info.text))
  }

  @Test func `the mesh that a run writes is not among those it reads`() throws {
    let folder = try capture()
    let run = try CommandProcess.run(
      ["run", "room"] + Self.stages + ["-o", "room/scene.obj"], in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    let raised = try lowest(in: "room/mesh.obj", of: folder)
    #expect(abs(try lowest(in: "room/scene.obj", of: folder) - raised) < 1e-4)
  }

  @Test func `a name that is wrong, or names nothing, is refused`() throws {
    let folder = try capture()
    for verb in [["run"] + Self.stages + ["-o", "out.obj"], ["info"], ["preview", "-o", "a.png"]] {
      let wrong = try CommandProcess.run(verb + ["room", "--mesh", "scena.obj"], in: folder)
      #expect(wrong.status == 66, "\(verb): \(wrong.errors)")
      #expect(wrong.errors.contains("did you mean 'scene.obj'?"), "\(verb): \(wrong.errors)")
      let file = try CommandProcess.run(
        verb + ["room/mesh.obj", "--mesh", "scene.obj"], in: folder)
      #expect(file.status == 64, "\(verb): \(file.errors)")
      #expect(file.errors.contains("this is a file"), "\(verb): \(file.errors)")
    }
    #expect(!folder.exists("out.obj"))
  }
}
