import MeshpipeBase
import MeshpipeScene

/// What a pipeline can use: the available stages, formats and capture layouts.
public struct PipelineEnvironment: Sendable {
  /// Built-in stages and those of plugins.
  public var stages: StageRegistry
  /// Built-in formats and those of plugins.
  public var formats: FormatRegistry
  /// The capture layouts.
  public var captures: CaptureReader
  /// What conditions know beyond features, counts and sizes.
  public var measures: [SceneMeasure]
  /// What brings further scans into the coordinates of the input; nil if nothing does.
  package var alignment: (any ScanAlignment)?

  /// Creates an environment from registries.
  public init(
    stages: StageRegistry, formats: FormatRegistry, captures: CaptureReader = .none,
    measures: [SceneMeasure] = []
  ) {
    self.stages = stages
    self.formats = formats
    self.captures = captures
    self.measures = measures
  }

  /// Creates an environment from types, such as `builtInStages` and `builtInFormats`.
  public init(
    stages: [any Stage.Type], formats: [any Format.Type],
    captures: CaptureReader = .none, measures: [SceneMeasure] = []
  ) {
    self.init(
      stages: StageRegistry(stages), formats: FormatRegistry(formats), captures: captures,
      measures: measures)
  }
}
