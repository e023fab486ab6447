import Foundation
import MeshTestSupport
import Testing

/// The main job on real scans and models, which lie beside the checkout.
struct RealScanTests {
  @Test(.needsShared("meshes"), .needs("bpy"))
  func `every real mesh goes through the main job and opens upright in Blender`() throws {
    let folder = try TemporaryFolder()
    let sources = try ["meshes", "captures"].compactMap(Checkout.shared).flatMap(models)
    #expect(!sources.isEmpty)
    var results: [String] = []
    for (index, source) in sources.enumerated() {
      let output = "\(folder.path)/\(index)"
      // Baking has tests of its own; pictures of full size take minutes without optimisation.
      let run = try Program.run(
        Program.meshpipe,
        [
          "run", Checkout.path("pipelines/blender.json"), source, "-o", "\(output)/", "--frames",
          "none",
        ])
      #expect(run.status == 0, "\(source): \(run.errors)")
      let name = URL(filePath: source).deletingPathExtension().lastPathComponent
      results.append("\(output)/\(name).glb")
    }
    // Blender's own reading of the source, with its default settings, is what to compare with. It
    // takes PLY as Z up and OBJ as Y up; meshpipe takes both as scans, Y up.
    for (source, pair) in zip(
      sources, zip(try BlenderView.opening(sources), try BlenderView.opening(results)))
    {
      let (scanned, made) = pair
      let low = try #require(made.low)
      let high = try #require(made.high)
      let isPLY = source.hasSuffix(".ply")
      let before = (try #require(scanned.low), try #require(scanned.high))
      let box =
        isPLY
        ? ([before.0[0], -before.1[2], before.0[1]], [before.1[0], -before.0[2], before.1[1]])
        : before
      let extent = zip(box.0, box.1).map { $1 - $0 }.max() ?? 0
      for axis in 0..<3 {
        // Vertices of a thinned surface that keep its volume lie a little outside of it.
        #expect(low[axis] > box.0[axis] - 0.02 * extent, "\(source)")
        #expect(high[axis] < box.1[axis] + 0.02 * extent, "\(source)")
      }
      // Clouds of points, which the files of single classes are, have no faces before or after.
      #expect(
        (made.faces > 0) == (scanned.faces > 0) && made.faces <= scanned.faces * 2, "\(source)")
    }
  }

  private func models(under folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
      .filter { $0.hasSuffix(".obj") || $0.hasSuffix(".ply") }.map { "\(folder)/\($0)" }
  }
}
