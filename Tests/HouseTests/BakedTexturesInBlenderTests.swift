import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// A capture of a room of known colours, baked by the built command, and what Blender shows of it.
@Suite(.neverHangs)
struct BakedTexturesInBlenderTests {
  /// What a run left in a folder that was moved since.
  private struct Baked {
    var capture: SyntheticCapture
    /// Holds the files.
    var folder: TemporaryFolder
    var path: String
    var warnings: [String]
  }

  private static let formats = ["glb", "gltf", "obj", "fbx", "dae"]

  /// Bakes a capture with one run that writes all of the files, and moves these.
  private func bake(
    _ stage: String, outputs: [String], change: (inout SyntheticCapture.Options) -> Void = { _ in }
  ) throws -> Baked {
    struct Report: Decodable { var warnings: [String] }
    let capture = try SyntheticCapture { options in
      // Small, because a debug build is slow.
      (options.frameCount, options.size, options.samples) = (6, SIMD2(96, 72), 1)
      (options.depthSize, options.cell) = (SIMD2(24, 18), 1)
      change(&options)
    }
    let source = capture.folder.path
    for (format, file) in [(TransformsJSON.self, "transforms.json"), (PLY.self, "mesh.ply")]
      as [(any WritableFormat.Type, String)]
    {
      let output = OutputSet(folder: source, mainFileName: file)
      try format.write(capture.scene, to: output, in: WritingContext())
    }
    let folder = try TemporaryFolder()
    let files = outputs.map { path in
      // Blender takes PLY as Z up.
      #"{ "path": "\#(path)"\#(path.hasSuffix(".ply") ? #", "up": "z""# : "") }"#
    }.joined(separator: ", ")
    let pipeline = try folder.write(
      "pipeline.json", #"{ "meshpipe": 1, "stages": [\#(stage)], "outputs": [\#(files)] }"#)
    let (made, moved) = (folder.path + "/made", folder.path + "/moved on")
    let run = try Program.run(
      Program.meshpipe,
      ["run", pipeline, "\(source)/mesh.ply", "-o", "\(made)/", "--report", "\(made)/report.json"])
    guard run.status == 0 else { throw ProgramFailure(run) }
    try FileManager.default.moveItem(atPath: made, toPath: moved)
    let report = try JSONDecoder().decode(
      Report.self, from: Data(contentsOf: URL(filePath: moved + "/report.json")))
    return Baked(capture: capture, folder: folder, path: moved, warnings: report.warnings)
  }

  /// Expects the room's colours at places on walls which furniture doesn't hide from the frames.
  private func expectTrueColors(
    _ samples: [BlenderView.Sample], _ baked: Baked, _ comment: Comment
  ) throws {
    var errors: [Double] = []
    for sample in samples {
      // Blender's Z is the room's Y.
      let point = SIMD3(sample.point[0], sample.point[2], -sample.point[1])
      guard point.y > 0, point.y < 1.1 else { continue }
      let truth = baked.capture.code(at: SIMD3<Float>(point))
      errors += (0..<3).map { abs(sample.color[$0] - Double(truth[$0])) }
    }
    errors.sort()
    try #require(errors.count > 60, comment)
    // Texture coordinates that are upside down are off by 29 codes in the median.
    #expect(errors[errors.count / 2] < 12, comment)
    #expect(errors[errors.count * 3 / 4] < 20, comment)
  }

  private func expectTextures(
    _ view: BlenderView, _ baked: Baked, count: Int, size: Int, _ comment: Comment
  ) throws {
    let textures = try #require(view.textures, comment)
    #expect(textures.count == count, comment)
    let folder = URL(filePath: baked.path).resolvingSymlinksInPath().path + "/"
    for texture in textures {
      #expect(texture.isLoaded, comment)
      #expect(texture.size == [size, size], comment)
      #expect(texture.colorSpace == "sRGB", comment)
      if let path = texture.path { #expect(path.hasPrefix(folder), comment) }
    }
  }

  @Test(.needs("bpy"), arguments: [1, 2])
  func `Blender shows the true colours from every format, wherever the files are`(
    pages: Int
  ) throws {
    let size = pages == 1 ? 128 : 64
    let baked = try bake(
      #"{ "use": "bake-texture", "with": { "size": \#(size), "pages": \#(pages) } }"#,
      outputs: Self.formats.map { "${stem}-\($0).\($0)" })
    #expect(baked.warnings == [])
    let paths = Self.formats.map { "\(baked.path)/mesh-\($0).\($0)" }
    for (path, view) in zip(paths, try BlenderView.opening(paths, withColors: true)) {
      let comment = Comment(rawValue: path)
      try expectTextures(view, baked, count: pages, size: size, comment)
      let samples = try #require(view.samples, comment)
      #expect(samples.count == view.faces, comment)
      try expectTrueColors(samples, baked, comment)
    }
  }

  @Test(.needs("bpy")) func `Blender shows the true colours of vertices`() throws {
    let formats = ["ply", "glb", "obj", "fbx", "dae"]
    let baked = try bake(
      #"{ "use": "bake-colors" }"#, outputs: formats.map { "${stem}-\($0).\($0)" },
      change: { $0.cell = 0.3 })
    #expect(baked.warnings == [])
    let paths = formats.map { "\(baked.path)/mesh-\($0).\($0)" }
    for (path, view) in zip(paths, try BlenderView.opening(paths, withColors: true)) {
      let samples = try #require(view.vertexColors)
      try expectTrueColors(samples, baked, Comment(rawValue: path))
    }
  }
}
