import Captures
import Formats
import MeshPipeline
import Plugins
import Stages
import Synchronization

/// The stages and formats available in one call: the program's own, and those of plugins.
struct CommandEnvironment {
  let plugins: PluginSet
  let pipelines: PipelineEnvironment

  /// The program's own stages, set once at its start.
  static var ownStages: [any Stage.Type] {
    get { stages.withLock { $0 } }
    set { stages.withLock { $0 = newValue } }
  }

  private static let stages = Mutex<[any Stage.Type]>(builtInStages)

  init(_ search: PluginSearch) {
    let own = Self.ownStages.map { StageDefinition($0) }
    let formats = builtInFormats.map { FormatDefinition($0) }
    plugins = PluginSet(search, taken: own.map(\.name), takenFormats: formats.map(\.id))
    pipelines = PipelineEnvironment(
      stages: StageRegistry(own + plugins.stages, absent: absentStages),
      formats: FormatRegistry(formats + plugins.formats, foreign: foreignFormats),
      captures: builtInCaptures)
  }

  /// Adds notes about unusable plugins to errors about unknown stages.
  func explained(_ resolution: PipelineResolution) -> PipelineResolution {
    // A misspelled name is unrelated to plugins.
    guard
      resolution.errors.contains(where: {
        $0.exitCode == .unavailable && !$0.message.contains("did you mean")
      })
    else { return resolution }
    var resolution = resolution
    resolution.diagnostics += plugins.problems.map(\.asNote)
    return resolution
  }
}
