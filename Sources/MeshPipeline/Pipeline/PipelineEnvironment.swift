/// What a pipeline can use: the stages, formats and capture layouts that there are.
public struct PipelineEnvironment: Sendable {
  public var stages: StageRegistry
  public var formats: FormatRegistry
  public var captures: CaptureReader

  public init(
    stages: StageRegistry, formats: FormatRegistry, captures: CaptureReader = CaptureReader([])
  ) {
    self.stages = stages
    self.formats = formats
    self.captures = captures
  }

  public init(
    stages: [any Stage.Type], formats: [any Format.Type],
    captures: CaptureReader = CaptureReader([])
  ) {
    self.init(
      stages: StageRegistry(stages), formats: FormatRegistry(formats), captures: captures)
  }
}

/// What is asked of a pipeline this time: the input, the place of the outputs, and other values.
public struct PipelineRequest: Sendable {
  /// The path of the scan, a file or a capture folder; nil to check a pipeline for any input.
  public var input: String?
  /// Where the frames are.
  public var frames = FramesRequest.besideInput
  /// How the frames' poses are meant.
  public var framesReading = PoseReading()
  /// The id of the input's format, when its extension does not tell.
  public var inputFormat: String?
  /// The path of the archive that the input comes from, for `${archive}`.
  public var archive: String?
  /// Where to write instead: a file for a pipeline with one output, `-` for standard output, a folder
  /// for any.
  public var output: String?
  /// The id of the format of a single output, when its extension does not tell.
  public var outputFormat: String?
  /// What becomes of outputs of a pipeline file whose paths leave the folder of the outputs by `..`.
  public enum Climbing: Sendable, Equatable {
    case allowed, warned, refused
  }

  public var climbing = Climbing.warned
  /// Values of variables, as `name=value`.
  public var variables: [String]
  /// Values of options, as `stage.option=value`.
  public var settings: [String]

  public init(
    input: String? = nil, output: String? = nil, variables: [String] = [], settings: [String] = []
  ) {
    self.input = input
    self.output = output
    self.variables = variables
    self.settings = settings
  }
}

/// Where the frames of a scan are to be looked for.
public enum FramesRequest: Sendable, Equatable {
  /// In the folder of the scan, when the pipeline has a use for them.
  case besideInput
  /// In this folder, or the one of this file.
  case path(String)
  /// Nowhere.
  case none

  /// Whether the user names them.
  var isNamed: Bool {
    if case .path = self { true } else { false }
  }
}

/// What became of a document in an environment: a pipeline that can run, or the reasons why not.
public struct PipelineResolution: Sendable {
  /// Nil when there are errors.
  public var pipeline: ResolvedPipeline?
  /// All errors and warnings, in the order of the file, those of arguments last.
  public var diagnostics: [Diagnostic]
  /// Whether a part of the pipeline asks for frames, so that those of an input are read.
  public var usesFrames: Bool

  init(pipeline: ResolvedPipeline?, diagnostics: [Diagnostic], usesFrames: Bool) {
    self.pipeline = pipeline
    self.diagnostics = diagnostics
    self.usesFrames = usesFrames
  }

  public var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }
  public var warnings: [Diagnostic] { diagnostics.filter { $0.severity == .warning } }

  /// The pipeline.
  ///
  /// - Throws: When there are errors.
  public func get() throws(InvalidPipeline) -> ResolvedPipeline {
    guard let pipeline else { throw InvalidPipeline(diagnostics) }
    return pipeline
  }
}
