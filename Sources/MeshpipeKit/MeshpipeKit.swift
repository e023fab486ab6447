// One import for programs that embed meshpipe.
@_exported public import Captures
@_exported public import Formats
@_exported public import MeshPipeline
import MeshpipeBase
import NativeLibraries
import POSIX
@_exported public import Plugins
@_exported public import Rendering
@_exported public import Stages
import Workers

extension PipelineEnvironment {
  /// Every built-in stage, format, capture layout and measure; no plugins.
  public static var standard: PipelineEnvironment { standard(stages: builtInStages) }

  /// An environment with other stages, or with plugins.
  ///
  /// - Parameters:
  ///   - stages: All own stages, such as `builtInStages + [Raise.self]`; a later one replaces an earlier one of the same
  ///     name.
  ///   - plugins: The plugins that were found.
  ///   - advice: Where an unknown stage can be had, in words; nil if that is unknown.
  public static func standard(
    stages: [any Stage.Type], plugins: PluginSet? = nil,
    advice: @escaping @Sendable (String) -> String? = { _ in nil }
  ) -> PipelineEnvironment {
    var environment = PipelineEnvironment(
      stages: StageRegistry(
        stages.map { StageDefinition($0) } + (plugins?.stages ?? []), absent: absentStages,
        advice: advice),
      formats: FormatRegistry(
        builtInFormats.map { FormatDefinition($0) } + (plugins?.formats ?? []),
        foreign: foreignFormats),
      captures: builtInCaptures, measures: builtInMeasures)
    environment.alignment = SceneRegistration()
    return environment
  }
}

extension PluginSet {
  /// Finds plugins whose names are not those of own stages and formats.
  public static func standard(
    _ search: PluginSearch = .standard(), besides stages: [any Stage.Type] = builtInStages
  ) -> PluginSet {
    PluginSet(
      search, taken: stages.map { StageDefinition($0).name },
      takenFormats: builtInFormats.map { FormatDefinition($0).id })
  }
}

/// Finds and reads captures of the built-in layouts, and compares them with the mesh.
public let builtInCaptures = CaptureReader(
  builtInLayouts, checking: FrameCheck.self, fitting: PoseFitting.self, rooms: RoomFile.self,
  isArchive: { CaptureArchive.stem(of: $0) != nil })

/// The part that the library plays in the processes of a program.
public enum MeshpipeProcess {
  /// Serves, and exits, if this process was started by the library to read a foreign format, decode a picture or
  /// supervise a plugin; otherwise returns at once.
  ///
  /// Call it first in `main`, before any other thread exists: these processes are the program itself, started again.
  /// Without it the library starts the `meshpipe` of `PATH` instead, or that of ``AssimpWorker/executable``.
  public static func serveIfAsked() {
    let arguments = ProgramArguments.all.dropFirst()
    OwnProgram.isThisProcess()
    let status =
      DecoderServer.runIfAsked(arguments) ?? ProgramSupervisor.runIfAsked(arguments)
      ?? AssimpServer.runIfAsked(arguments)
    if let status { exit(status) }
  }
}
