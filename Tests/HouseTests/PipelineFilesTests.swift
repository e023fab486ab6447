import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// The pipelines that come with meshpipe, run on the sample by the built command.
struct PipelineFilesTests {
  @Test(arguments: try PipelineCatalogue.filesForScans())
  func `a pipeline has no mistake and no warning`(file: String) throws {
    let environment = PipelineEnvironment(
      stages: builtInStages, formats: builtInFormats, measures: builtInMeasures)
    let document = try PipelineDocument(path: Checkout.path(file))
    let request = PipelineRequest(input: Checkout.sample)
    for diagnostic in document.resolve(in: environment, for: request).diagnostics {
      Issue.record("\(diagnostic)")
    }
  }

  @Test(arguments: try PipelineCatalogue.filesForScans())
  func `a pipeline runs on the sample, and Blender shows what it wrote`(file: String) throws {
    let run = try SampleRun(of: file)
    #expect(run.report.outcome == "done")
    // An output that is enabled only on request is not written.
    let document = try PipelineDocument(path: Checkout.path(file))
    let written = document.outputs.filter { $0.enabled == nil }
    #expect(run.report.outputs.count == written.count + 1)
    for output in run.report.outputs {
      #expect(output.outcome == "done")
      for written in output.files {
        let attributes = try FileManager.default.attributesOfItem(atPath: written.path)
        #expect(attributes[.size] as? Int == written.bytes && written.bytes > 0)
      }
    }
    if Checkers.areRequired || Checkers.has("bpy") { try expectTrueInBlender(run, file) }
  }

  /// Expects every output upright, at true scale, and with the faces that the report tells.
  private func expectTrueInBlender(_ run: SampleRun, _ file: String) throws {
    let sample = try Scan(at: Checkout.sample).boxInBlender
    // STL is read in the unit of its numbers, which for printers and CAD is a millimetre.
    let unit = ["print", "cad"].contains { file.contains($0) } ? 1000.0 : 1.0
    // What is printed fits the bed with a margin of 5 mm, and fills it.
    let bed = file.contains("print") ? SIMD3<Double>(240, 200, 220) : nil
    // Walls and floors of a model of the building have their thickness outside of what was scanned; those with recesses
    // more than the assumed one.
    let isModel = ["clean-room", "floorplan"].contains { file.contains($0) }
    let (walls, slab) = isModel ? (0.4, 0.2) : (0.03, 0)
    let outputs = run.report.outputs.filter(run.blenderOpens)
    let views = try BlenderView.opening(outputs.map(\.path))
    for (output, view) in zip(outputs, views) {
      #expect(view.faces == output.counts.faces, "\(output.path)")
      let low = try #require(view.low)
      let high = try #require(view.high)
      // Exactly what the last stage made.
      for (seen, made) in zip(low + high, run.box.low + run.box.high) {
        #expect(abs(seen - made) < 1e-4 * unit, "\(output.path): \(seen) is not \(made)")
      }
      // As large as the scan, but for what was removed, and its floor at the bottom. Vertices of a
      // thinned surface that keep its volume lie a little outside of it.
      if let bed {
        let shares = (0..<3).map { view.size[$0] / bed[$0] }
        #expect(abs((shares.max() ?? 0) - 1) < 1e-4)
      }
      for axis in 0..<3 where bed == nil {
        let scanned = sample.high[axis] - sample.low[axis]
        #expect(view.size[axis] < (scanned + walls) * unit)
        #expect(view.size[axis] > (scanned - 0.35) * unit)
      }
      if view.faces > 0 {
        let floor = try #require(view.facing["+z"]?.place)
        // A shell has its thickness below.
        let slack = bed == nil ? (0.02 + slab) * unit : 0.012 * unit
        #expect(abs(floor - low[2]) < 0.05 * view.size[2] + slack, "\(output.path)")
      }
    }
  }
}

/// One run of a pipeline on the sample by the built command.
final class SampleRun: Sendable {
  struct Report: Decodable {
    struct Counts: Decodable {
      var faces: Int
      var vertices: Int
      var points: Int
    }
    struct File: Decodable {
      var path: String
      var bytes: Int
    }
    struct Output: Decodable {
      var path: String
      var outcome: String
      var counts: Counts
      var files: [File]
    }
    var outcome: String
    var outputs: [Output]
    var warnings: [String]
  }

  let folder: TemporaryFolder
  let report: Report
  /// The box of what the last stage made, as Blender should show it: the numbers of a scene with Z up.
  let box: (low: [Double], high: [Double])

  init(of file: String) throws {
    folder = try TemporaryFolder()
    // The same pipeline with one more output, whose numbers are read without any of our code.
    let text = try Checkout.text(file)
    #expect(text.contains("\"outputs\": ["))
    let pipeline = "\(folder.path)/pipeline.json"
    // Of levels the first.
    let level = try PipelineDocument(path: Checkout.path(file)).levels.first?.name
    let probe = level == nil ? "probe.obj" : "${level}.probe.obj"
    try text.replacing("\"outputs\": [", with: "\"outputs\": [\n{ \"path\": \"\(probe)\" },\n")
      .write(toFile: pipeline, atomically: true, encoding: .utf8)
    // Few voxels, for tests without optimisation.
    let run = try Program.run(
      Program.meshpipe,
      [
        "run", pipeline, Checkout.sample, "-o", "\(folder.path)/out/", "--report",
        "\(folder.path)/report.json",
      ] + (file.contains("print") ? ["--var", "wall=1cm", "--set", "solid.voxelSize=2%"] : [])
        + (level.map { ["--level", $0, "--var", "textureSize=256"] } ?? []))
    guard run.status == 0 else { throw ProgramFailure(run) }
    report = try JSONDecoder().decode(
      Report.self, from: Data(contentsOf: URL(filePath: "\(folder.path)/report.json")))
    let name = level.map { "\($0).probe.obj" } ?? "probe.obj"
    box = try Self.box(ofOBJ: "\(folder.path)/out/\(name)", zUp: text.contains("convert-axes"))
  }

  func blenderOpens(_ output: Report.Output) -> Bool {
    !output.path.hasSuffix("probe.obj")
      && [".glb", ".gltf", ".fbx", ".dae", ".ply", ".stl", ".usdz"].contains {
        output.path.hasSuffix($0)
      }
  }

  private static func box(
    ofOBJ path: String, zUp: Bool
  ) throws -> (low: [Double], high: [Double]) {
    var low = [Double](repeating: .infinity, count: 3)
    var high = [Double](repeating: -.infinity, count: 3)
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    where line.hasPrefix("v ") {
      let numbers = line.split(separator: " ")[1...3].compactMap { Double($0) }
      let place = zUp ? numbers : [numbers[0], -numbers[2], numbers[1]]
      for axis in 0..<3 {
        low[axis] = min(low[axis], place[axis])
        high[axis] = max(high[axis], place[axis])
      }
    }
    return (low, high)
  }
}
