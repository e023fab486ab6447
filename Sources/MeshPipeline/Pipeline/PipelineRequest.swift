import MeshpipeBase
import MeshpipeScene

/// One use of a pipeline: the input, the destination of the outputs, and the settings of the run, which are properties of
/// the request as well.
@dynamicMemberLookup
public struct PipelineRequest: Sendable {
  /// What the user chooses besides input and destination.
  public var run: RunSettings
  /// The path of the scan, a file or a capture folder; nil to check a pipeline for any input.
  public var input: String?
  /// Scans to merge with the input, or for stages to refer to.
  public var joined: [JoinedScan] = []
  /// The folder with the contents of an archive of a capture: of the one that ``RunSettings/frames`` name, or beside the
  /// scan.
  package var unpackedFrames: String?
  /// The path of the input's archive, for `${archive}`.
  package var archive: String?
  /// Where to write instead: a file for a pipeline with one output, `-` for standard output, a
  /// folder for any.
  public var output: String?
  /// Further files, if ``output`` is one.
  ///
  /// Each is written like the output of the pipeline with its extension, or like the only one.
  public var otherOutputs: [String] = []
  /// The treatment of outputs of a pipeline file whose paths leave the output folder with `..`.
  package enum Climbing: Sendable, Equatable {
    case allowed, warned, refused
  }

  /// The treatment of such outputs of this request.
  package var climbing = Climbing.warned
  /// The process's environment, for variables that refer to it.
  package var environment: @Sendable (String) -> String? = { FileSystem.environment($0) }

  /// A setting of the run.
  public subscript<Value>(dynamicMember setting: WritableKeyPath<RunSettings, Value>) -> Value {
    get { run[keyPath: setting] }
    set { run[keyPath: setting] = newValue }
  }

  /// Creates a request; everything else has its default and can be set afterwards.
  ///
  /// - Parameters:
  ///   - variables: Values of variables, as `name=value`.
  ///   - settings: Values of options, as `stage.option=value`.
  public init(
    input: String? = nil, output: String? = nil, variables: [String] = [], settings: [String] = []
  ) {
    self.init(input: input, output: output, run: RunSettings())
    run.variables = variables
    run.settings = settings
  }

  /// Creates a request with all settings of a run.
  public init(input: String? = nil, output: String? = nil, run: RunSettings) {
    self.input = input
    self.output = output
    self.run = run
  }
}

extension RunSettings {
  /// The treatment of such outputs of a pipeline that is run.
  package var climbing: PipelineRequest.Climbing { allowsExternalFiles ? .allowed : .refused }
}

extension PipelineRequest {
  /// All destinations that the user names.
  var givenOutputs: [String] { (output.map { [$0] } ?? []) + otherOutputs }

  /// A scan besides the input.
  public struct JoinedScan: Sendable, Equatable {
    /// A file, or a capture folder.
    public var path: String
    /// The id by which stages refer to it; nil to merge it with the input.
    public var id: String?
    /// Whether it is brought to where it fits the input, instead of taken by its coordinates.
    public var isAligned = false
    /// The path of its archive, for messages.
    package var archive: String?
    /// The id of its format, if its extension does not determine it.
    public var formatID: String?
    /// What the user says of it, overriding its file.
    public var reading: InputReading

    /// Creates the request for a scan.
    public init(
      path: String, formatID: String? = nil, reading: InputReading = InputReading()
    ) {
      self.path = path
      self.formatID = formatID
      self.reading = reading
    }
  }
}
