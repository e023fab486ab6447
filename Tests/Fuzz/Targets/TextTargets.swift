import Captures
import Formats
import MeshPipeline
import MeshpipeKit
import Plugins
import Stages

extension FuzzTarget {
  private static let environment = PipelineEnvironment(
    stages: builtInStages, formats: builtInFormats, captures: builtInCaptures)

  static let pipeline = FuzzTarget(name: "pipeline") {
    [Array(#"{"stages": [{"stage": "decimate", "ratio": 0.5}], "outputs": ["${stem}.glb"]}"#.utf8)]
  } read: { input in
    let text = String(decoding: input, as: UTF8.self)
    let document = PipelineDocument(parsing: text, file: "pipeline.json")
    let resolution = document.resolve(in: environment, for: PipelineRequest(input: "scan.obj"))
    if resolution.pipeline == nil, resolution.errors.isEmpty {
      fatalError("a pipeline is refused without a word")
    }
    for diagnostic in resolution.diagnostics where "\(diagnostic)".isEmpty {
      fatalError("a diagnostic says nothing")
    }
  }

  static let manifest = FuzzTarget(name: "manifest") {
    [Array(#"{"name": "a", "stages": [{"name": "b"}], "run": ["python3", "b.py"]}"#.utf8)]
  } read: { input in
    let reading = PluginManifest.read(input, path: "/p/a.meshpipe-plugin.json")
    if reading.manifest == nil, reading.diagnostics.isEmpty {
      fatalError("a manifest is refused without a word")
    }
  }
}
