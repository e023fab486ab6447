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
  /// Scans that become one scene with the input.
  public var joined: [JoinedScan] = []
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
  /// Values of variables out of files; those of ``variables`` come before them.
  public var fileVariables: [FileVariable] = []
  /// The process's environment, for variables that name a part of it.
  public var environment: @Sendable (String) -> String? = { FileSystem.environment($0) }
  /// Values of options, as `stage.option=value`.
  public var settings: [String]
  /// The id of the stage to begin with: those before it are passed over.
  public var firstStage: String?
  /// The id of the stage to end with: those behind it are passed over.
  public var lastStage: String?

  public init(
    input: String? = nil, output: String? = nil, variables: [String] = [], settings: [String] = []
  ) {
    self.input = input
    self.output = output
    self.variables = variables
    self.settings = settings
  }
}

extension PipelineRequest {
  /// A scan that becomes one scene with the input.
  public struct JoinedScan: Sendable, Equatable {
    /// A file, or a capture folder whose mesh is meant.
    public var path: String
    /// The id of its format, when its extension does not tell.
    public var formatID: String?
    /// The axis that points up in it, and its unit, whatever its format says or leaves open.
    public var up: SignedAxis?
    public var metersPerUnit: Double?

    public init(
      path: String, formatID: String? = nil, up: SignedAxis? = nil, metersPerUnit: Double? = nil
    ) {
      self.path = path
      self.formatID = formatID
      self.up = up
      self.metersPerUnit = metersPerUnit
    }
  }

  /// The value of a variable in a file of such values.
  public struct FileVariable: Sendable, Equatable {
    /// The file as the user named it.
    public var file: String
    public var name: String
    public var value: JSONValue

    public init(file: String, name: String, value: JSONValue) {
      self.file = file
      self.name = name
      self.value = value
    }

    /// The values in a file: an object of names and values.
    ///
    /// - Throws: ``InvalidPipeline`` with what is wrong with the text, or a ``FileError``.
    public static func all(inFile path: String) throws -> [FileVariable] {
      let result = JSONReader.read(try FileSystem.contents(of: path, limit: 1 << 26), file: path)
      if !result.diagnostics.isEmpty { throw InvalidPipeline(result.diagnostics) }
      guard case .object(let members)? = result.value?.content else {
        let position = result.value?.position ?? .none
        throw InvalidPipeline([
          Diagnostic(
            file: path, position: position,
            message: "expected an object of variables: { \"name\": value }")
        ])
      }
      return members.filter { $0.key != "$schema" }.map {
        FileVariable(file: path, name: $0.key, value: $0.value.withoutPositions)
      }
    }
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
