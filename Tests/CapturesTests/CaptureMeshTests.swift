import Captures
import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import MeshpipeKit
import Testing

/// Captures with several meshes, of which depth maps show the right one.
struct CaptureMeshTests {
  /// A capture of the 3D Scanner App whose usual mesh floats 30 cm above the room, beside the right one.
  private func capture() throws -> CaptureFixture {
    let fixture = try CaptureFixture()
    try fixture.writeScannerApp()
    try fixture.writeMesh("export.obj")
    try fixture.folder.write("export_refined.obj", MeshFixtures.raised(BoxRoom.obj, by: 0.3))
    return fixture
  }

  private func read(
    _ fixture: CaptureFixture, mesh: String? = nil
  ) throws -> (scene: Scene, notes: [String: JSONValue], warnings: [String]) {
    var found = try builtInCaptures.find(fixture.path)
    found.reading.mesh = mesh
    found.reading.misfits = .kept
    var source = ScanSource(path: try #require(found.meshPath), format: OBJ.self, frames: found)
    source.alternatives = found.otherMeshes(read: FormatRegistry(builtInFormats))
    let context = ReadingContext()
    let scene = try source.withBestMesh(in: context).read(in: context)
    let notes = Dictionary(context.stage.notes.map { ($0.key, $0.value) }) { first, _ in first }
    return (scene, notes, context.stage.warnings)
  }

  @Test func `the mesh on which the depths lie is read`() throws {
    let fixture = try capture()
    let (scene, notes, warnings) = try read(fixture)
    #expect(notes["framesMesh"]?.text == "export.obj")
    let shares = try #require(notes["framesDepthOnMeshes"])
    #expect(shares["export.obj"]?.number ?? 0 > 0.9)
    #expect(shares["export_refined.obj"]?.number ?? 1 < 0.8)
    let right = try OBJ.read(fixture.path + "/export.obj", in: ReadingContext())
    #expect(scene.meshes.flatMap(\.positions) == right.meshes.flatMap(\.positions))
    #expect(scene.capture?.origin?.hasOwnMesh == true)
    #expect(warnings == [])
  }

  @Test func `the mesh that the user names is read`() throws {
    let (scene, notes, _) = try read(capture(), mesh: "export_refined.obj")
    #expect(notes["framesMesh"] == nil)
    #expect(abs(Double(scene.bounds.maximum.y) - BoxRoom.maximum.y - 0.3) < 1e-5)
  }

  @Test func `without depth maps the usual one is read`() throws {
    let fixture = try capture()
    for name in try FileManager.default.contentsOfDirectory(atPath: fixture.path)
    where name.hasPrefix("depth_") {
      try FileManager.default.removeItem(atPath: fixture.path + "/" + name)
    }
    let (scene, notes, _) = try read(fixture)
    #expect(notes["framesMesh"] == nil)
    #expect(abs(Double(scene.bounds.maximum.y) - BoxRoom.maximum.y - 0.3) < 1e-5)
  }

  @Test func `colours of the usual one are not given up`() throws {
    let fixture = try capture()
    let raised = try String(contentsOfFile: fixture.path + "/export_refined.obj", encoding: .utf8)
    let colored = raised.split(separator: "\n").map { $0.hasPrefix("v ") ? $0 + " 1 0 0" : $0 }
    try fixture.folder.write("export_refined.obj", colored.joined(separator: "\n") + "\n")
    let (scene, notes, _) = try read(fixture)
    #expect(notes["framesMesh"]?.text == "export_refined.obj")
    #expect(notes["framesDepthOnMeshes"]?["export.obj"]?.number ?? 0 > 0.9)
    #expect(abs(Double(scene.bounds.maximum.y) - BoxRoom.maximum.y - 0.3) < 1e-5)
  }

  @Test func `another that can't be read is left out`() throws {
    let fixture = try capture()
    try fixture.folder.write("export.obj", "f 1 2 3\n")
    let (_, notes, _) = try read(fixture)
    #expect(notes["framesMesh"]?.text == "export_refined.obj")
    #expect(notes["framesDepthOnMeshes"]?["export.obj"] == nil)
  }
}
