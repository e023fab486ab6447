import MeshpipeKit

/// The stages and formats available in one call: the program's own, and those of plugins.
struct CommandEnvironment {
  let plugins: PluginSet
  let pipelines: PipelineEnvironment

  /// - Parameter stages: The program's own stages.
  init(_ stages: [any Stage.Type], _ search: PluginSearch) {
    plugins = .standard(search, besides: stages)
    pipelines = .standard(
      stages: stages, plugins: plugins, advice: PluginsAtHand.advice(onStage:))
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

extension Invocation {
  /// The stages and formats of this call.
  var environment: CommandEnvironment {
    get throws(UsageError) { CommandEnvironment(stages, try pluginSearch) }
  }
}
