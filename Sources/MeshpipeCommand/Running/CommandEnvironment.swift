import Captures
import Formats
import MeshPipeline
import Plugins
import Stages
import Synchronization

/// What pipelines can use in one call: all that came with the program, and the plugins.
struct CommandEnvironment {
  let plugins: PluginSet
  let pipelines: PipelineEnvironment

  /// The stages that came with the program, set once at its start.
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

  /// A resolution that, where a stage is not known, also tells of plugins that can't be used.
  func explained(_ resolution: PipelineResolution) -> PipelineResolution {
    // A misspelt name has nothing to do with them.
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
