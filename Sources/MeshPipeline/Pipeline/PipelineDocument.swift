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
    public var expect: Located<String>?
    public var onError = OnError.fail
    public var enabled: Located<JSONValue>?
    public var note: Located<String>?
    public var options: [JSONValue.Member] = []
    /// Options as texts of a one-line stage, whose types only the stage knows.
    public internal(set) var textOptions: [TextOption] = []
    public var position: SourcePosition
    public var path: JSONPath
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
  public internal(set) var variables: [Variable] = []
  public internal(set) var stages: [StageEntry] = []
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
    source = PipelineSource(file: file)
    let result = JSONReader.read(bytes, file: file)
    diagnostics = result.diagnostics
    if let value = result.value { decode(value) }
  }

  /// Reads a pipeline from a text.
  public init(parsing text: String, file: String) {
    self.init(parsing: Array(text.utf8), file: file)
  }
}
