import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import MeshpipeCommand

/// Gaussian splats as a user meets them.
struct SplatCommandTests {
  private func writeSplats(_ name: String, _ count: Int, degree: Int, in folder: TemporaryFolder)
    throws
  {
    let cloud = SplatFixtures.cloud(count, degree: degree)
    var header = "ply\nformat ascii 1.0\nelement vertex \(count)\n"
    let names =
      ["x", "y", "z"]
      + cloud.attributes.flatMap { attribute in
        attribute.width == 1
          ? [attribute.name] : (0..<attribute.width).map { "\(attribute.name)_\($0)" }
      }
    header += names.map { "property float \($0)\n" }.joined() + "end_header\n"
    let rows = cloud.positions.indices.map { splat in
      let place = cloud.positions[splat]
      let numbers = cloud.attributes.flatMap { attribute in
        (0..<attribute.width).map {
          Float(attribute.values.double(at: attribute.width * splat + $0))
        }
      }
      return ([place.x, place.y, place.z] + numbers).map { "\($0)" }.joined(separator: " ")
    }
    try folder.write(header + rows.joined(separator: "\n") + "\n", to: name)
  }

  @Test func `info says how many splats of which degree there are`() throws {
    let folder = try TemporaryFolder()
    try writeSplats("a.ply", 12, degree: 2, in: folder)
    let text = try CommandProcess.run(["info", "a.ply"], in: folder).text
    #expect(text.contains("12 Gaussian splats of degree 2"))
    let json = try CommandProcess.run(["info", "--json", "a.ply"], in: folder).text
    #expect(json.contains(#""splats": { "count": 12, "degree": 2, "scales": 3 }"#), "\(json)")
  }

  @Test(arguments: [
    "thin-points representative=mean", "weld", "compute-normals", "reconstruct-surface", "smooth",
    "unwrap",
  ])
  func `a stage that makes no sense is refused with the reason`(stage: String) throws {
    let folder = try TemporaryFolder()
    try writeSplats("a.ply", 12, degree: 1, in: folder)
    let outcome = try CommandProcess.run(
      ["run", "a.ply", "-s", stage, "-o", "b.ply"], in: folder)
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("no sense for the 12 Gaussian splats"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("'where'"))
  }

  @Test func `splats are joined, turned and written together, or become points with a word`()
    throws
  {
    let folder = try TemporaryFolder()
    try writeSplats("a.ply", 12, degree: 1, in: folder)
    try writeSplats("b.ply", 5, degree: 3, in: folder)
    let joined = try CommandProcess.run(
      [
        "run", "a.ply", "b.ply", "--join", "-s", "convert-axes up=z", "-o", "c.ply",
      ], in: folder)
    #expect(joined.status == 0 && !joined.errors.contains("splats"), "\(joined.errors)")
    let info = try CommandProcess.run(["info", "c.ply"], in: folder).text
    #expect(info.contains("17 Gaussian splats of degree 3"))
    let plain = try CommandProcess.run(["run", "a.ply", "-o", "c.glb"], in: folder)
    #expect(plain.status == 0)
    #expect(plain.errors.contains("12 splats become plain points with their colours"))
  }

  @Test func `a condition asks for splats`() throws {
    let folder = try TemporaryFolder()
    try writeSplats("a.ply", 12, degree: 1, in: folder)
    try folder.writePipeline(
      stages: [
        #"{ "use": "filter-points", "when": "splats", "with": { "method": "opacity" } }"#
      ], outputs: ["${stem}-kept.ply"])
    let outcome = try CommandProcess.run(["run", "pipeline.json", "a.ply"], in: folder)
    #expect(outcome.status == 0 && !outcome.errors.contains("skipped"), "\(outcome.errors)")
  }
}
