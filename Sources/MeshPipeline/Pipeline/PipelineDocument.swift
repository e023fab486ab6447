/// A pipeline as it was written: variables, stages and outputs with their places in the text.
///
/// A document comes from a file (``init(path:)``), from text (``init(parsing:file:)``) or from
/// one-line stages (``init(stages:)``). It always exists, however many mistakes it has: those that
/// show without knowing stages and formats are in ``diagnostics``, all others come from
/// ``resolve(in:for:)``, which repeats these first. A program does all that the command does by
///
///     let environment = PipelineEnvironment(stages: builtInStages, formats: builtInFormats)
///     let document = try PipelineDocument(path: "pipelines/blender.json")
///     let request = PipelineRequest(
///       input: "scan.obj", output: "models/", variables: ["faces=10%"])
///     let resolution = document.resolve(in: environment, for: request)
///     for diagnostic in resolution.diagnostics { print(diagnostic) }
///     let runner = PipelineRunner(try resolution.get()) { event in
///       if case .progress(let progress) = event { show(progress.overall, progress.secondsLeft) }
///     }
///     print(try runner.run().table)
public struct PipelineDocument: Sendable {
  /// The version of the pipeline format: the value of the key `meshpipe`.
  public static let formatVersion = 1

  /// More bytes than a pipeline needs: what is larger is another file.
  public static let largestFile = 1 << 20

  /// A value with its place.
  public struct Located<Value: Sendable>: Sendable {
    public var value: Value
    public var position: SourcePosition
    public var path: JSONPath
  }

  /// A declared variable.
  public struct Variable: Sendable {
    public var name: String
    public var type: ParameterType
    /// Nil when the variable must be given with `--var`.
    public var defaultValue: JSONValue?
    public var help: String
    public var bounds = VariableBounds()
    /// The variable of the process's environment that it takes its value from, when nothing else gives one.
    public var environmentName: String?
    public var position: SourcePosition
    public var path: JSONPath
  }

  /// What happens when a stage fails.
  public enum OnError: String, Sendable, CaseIterable {
    /// The run ends.
    case fail
    /// The scene goes on as it came in, and the report says so.
    case skip
  }

  /// An entry of `stages`.
  public struct StageEntry: Sendable {
    public var use: Located<String>?
    public var id: Located<String>?
    /// The ids that `in` names; nil for the stage before.
    public var inputs: [Located<String>]?
    public var when: Located<String>?
    /// The classes and meshes that it works on; nil for all of the scene.
    public var scope: Located<JSONValue>?
    public var expect: Located<String>?
    public var onError = OnError.fail
    /// Whether it is nothing to warn of when `when` does not hold.
    public var isOptional = false
    public var enabled: Located<JSONValue>?
    public var note: Located<String>?
    public var options: [JSONValue.Member] = []
    /// Options as texts of a one-line stage, whose types only the stage knows.
    public internal(set) var textOptions: [TextOption] = []
    public var position: SourcePosition
    public var path: JSONPath
  }

  /// An entry of `inputs`: a scan that becomes one scene with the input.
  public struct InputEntry: Sendable {
    public var file: Located<String>?
    /// What its meshes are called.
    public var name: Located<String>?
    public var up: Located<String>?
    public var unit: Located<String>?
    /// Options of the stage `transform`, which places it.
    public var transform: [JSONValue.Member]?
    public var position: SourcePosition
    public var path: JSONPath
  }

  /// A file whose stages stand in the place of an entry of `stages`.
  public struct Include: Sendable, Equatable {
    public var path: String
    public var text: String

    public init(path: String, text: String) {
      self.path = path
      self.text = text
    }
  }

  /// An option of a one-line stage: `target=20%`.
  public struct TextOption: Sendable {
    public var name: String
    public var text: String
    public var position: SourcePosition
  }

  /// An entry of `outputs`.
  public struct OutputEntry: Sendable {
    public var file: Located<String>?
    /// The id of the stage whose scene is written; nil for the last one.
    public var from: Located<String>?
    public var format: Located<String>?
    public var up: Located<String>?
    public var when: Located<String>?
    public var isOptional = false
    public var enabled: Located<JSONValue>?
    public var note: Located<String>?
    public var options: [JSONValue.Member] = []
    public var position: SourcePosition
    public var path: JSONPath
  }

  public internal(set) var source: PipelineSource
  public internal(set) var about = ""
  /// What else a reader should know.
  public internal(set) var note = ""
  public internal(set) var variables: [Variable] = []
  public internal(set) var inputs: [InputEntry] = []
  public internal(set) var stages: [StageEntry] = []
  /// The files that stages come from, beside the document's own.
  public internal(set) var includes: [Include] = []
  public internal(set) var outputs: [OutputEntry] = []
  /// What is wrong with the text itself, whatever stages and formats there are.
  public internal(set) var diagnostics: [Diagnostic] = []

  /// Reads a pipeline file.
  ///
  /// - Throws: A ``FileError`` when the file can't be read.
  public init(path: String) throws(FileError) {
    self.init(parsing: try FileSystem.contents(of: path, limit: Self.largestFile), file: path)
  }

  /// Reads a pipeline from bytes.
  ///
  /// - Parameter file: The name for diagnostics.
  public init(parsing bytes: [UInt8], file: String) {
    self.init(parsing: bytes, file: file) { path throws(FileError) in
      try FileSystem.contents(of: path, limit: Self.largestFile)
    }
  }

  /// Reads a pipeline whose included files were read before.
  public init(parsing text: String, file: String, includes: [Include]) {
    self.init(parsing: Array(text.utf8), file: file) { path throws(FileError) in
      guard let include = includes.first(where: { $0.path == path }) else {
        throw FileError(.read, path, code: FileError.noSuchFile)
      }
      return Array(include.text.utf8)
    }
  }

  private init(parsing bytes: [UInt8], file: String, reading: @escaping IncludeReader) {
    source = PipelineSource(file: file)
    let result = JSONReader.read(bytes, file: file)
    diagnostics = result.diagnostics
    if let value = result.value { decode(value, reading) }
  }

  /// Reads a pipeline from a text.
  public init(parsing text: String, file: String) {
    self.init(parsing: Array(text.utf8), file: file)
  }
}
