import MeshpipeBase

/// A pipeline as written: variables, stages and outputs with their positions in the text.
///
/// A document comes from a file (``init(path:)``), from text (``init(parsing:file:)``) or from
/// one-line stages (``init(stages:outputs:)``). It always exists, however many mistakes it has: those that
/// can be found without knowing stages and formats are in ``diagnostics``, all others come from
/// ``resolve(in:for:)``, which repeats these first. A program does everything the command does with
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

  /// The maximum size in bytes: anything larger is not a pipeline.
  package static let largestFile = 1 << 20

  /// A value with its position.
  package struct Located<Value: Sendable>: Sendable {
    /// The value.
    package var value: Value
    /// Its position in the text.
    package var position: SourcePosition
    /// Its place in the document.
    package var path: JSONPath
  }

  /// A declared variable.
  public struct Variable: Sendable {
    /// The name in `${…}`.
    public var name: String
    /// The type of its values.
    public var type: ParameterType
    /// Nil if the variable must be given with `--var`.
    public var defaultValue: JSONValue?
    /// A sentence for users; empty if there is none.
    public var help: String
    /// The allowed values.
    package var bounds = VariableBounds()
    /// The environment variable that supplies its value if nothing else does.
    package var environmentName: String?
    /// Names that it had: values may still be given under them, with a warning.
    package var formerNames: [String] = []
    /// The position of its declaration.
    package var position: SourcePosition
    /// The place of its declaration.
    package var path: JSONPath
  }

  /// What happens when a stage fails.
  package enum OnError: String, Sendable, CaseIterable {
    /// The run ends.
    case fail
    /// The stage's input is passed on, and the report says so.
    case skip
  }

  /// An entry of `stages`.
  package struct StageEntry: Sendable {
    /// The stage's name.
    package var use: Located<String>?
    /// The id by which later entries refer to it.
    package var id: Located<String>?
    /// The ids given by `in`; nil for the previous stage.
    package var inputs: [Located<String>]?
    /// The condition for running it.
    package var when: Located<String>?
    /// The classes and meshes to work on; nil for the whole scene.
    package var scope: Located<JSONValue>?
    /// The condition that its result must meet.
    package var expect: Located<String>?
    /// What happens if it fails.
    package var onError = OnError.fail
    /// Whether to omit the warning if `when` is false.
    package var isOptional = false
    /// A boolean, or a text that refers to a variable.
    package var enabled: Located<JSONValue>?
    /// A comment for readers.
    package var note: Located<String>?
    /// The members of `with`.
    package var options: [JSONValue.Member] = []
    /// Options of a one-line stage as texts, whose types only the stage knows.
    package internal(set) var textOptions: [TextOption] = []
    /// Words of a one-line stage without an equals sign, which only the stage can explain.
    var bareWords: [String] = []
    /// The position of the entry.
    package var position: SourcePosition
    /// The place of the entry.
    package var path: JSONPath
  }

  /// An entry of `inputs`: a scan to merge with the input.
  package struct InputEntry: Sendable {
    /// The file, or a capture folder.
    package var file: Located<String>?
    /// The id by which stages refer to it; nil if it is merged with the input.
    package var id: Located<String>?
    /// The name of its meshes.
    package var name: Located<String>?
    /// The up axis, overriding the file's format.
    package var up: Located<String>?
    /// The unit, overriding the file's format.
    package var unit: Located<String>?
    /// What numbers of classes stand for: a word, or a file with a table.
    package var classes: Located<String>?
    /// Whether it is brought to where it fits the input.
    package var isAligned = false
    /// Options of the stage that places it.
    package var transform: [JSONValue.Member]?
    /// The position of the entry.
    package var position: SourcePosition
    /// The place of the entry.
    package var path: JSONPath
  }

  /// A file whose stages replace an entry of `stages`.
  package struct Include: Sendable, Equatable {
    /// The file's path.
    package var path: String
    /// The file's text.
    package var text: String

    package init(path: String, text: String) {
      self.path = path
      self.text = text
    }
  }

  /// An option of a one-line stage: `faces=20%`.
  package struct TextOption: Sendable {
    /// The name of the option.
    package var name: String
    /// The value as written.
    package var text: String
    /// The position of the option.
    package var position: SourcePosition
  }

  /// How an output holds the levels of a pipeline.
  package enum OutputLevels: String, CaseIterable, Sendable {
    /// Each level is written to a file of its own.
    case apart
    /// All levels are written to one file, as levels of detail.
    case together
  }

  /// An entry of `outputs`.
  package struct OutputEntry: Sendable {
    /// The path to write to.
    package var file: Located<String>?
    /// The id of the stage whose scene is written; nil for the last one.
    package var from: Located<String>?
    /// The id of the format, if the extension does not determine it.
    package var format: Located<String>?
    /// The up axis to convert to.
    package var up: Located<String>?
    /// The condition for writing it.
    package var when: Located<String>?
    /// Whether a failure to write it is only a warning.
    package var isOptional = false
    /// The features that may be lost without a warning.
    package var loses: Set<SceneFeature> = []
    /// Whether each level has a file, the default, or all levels have one.
    package var levels: Located<OutputLevels>?
    /// The bytes that its files may have together, as a number or a text with a unit.
    package var maximumBytes: Located<JSONValue>?
    /// A boolean, or a text that refers to a variable.
    package var enabled: Located<JSONValue>?
    /// A comment for readers.
    package var note: Located<String>?
    /// The members of `with`.
    package var options: [JSONValue.Member] = []
    /// The position of the entry.
    package var position: SourcePosition
    /// The place of the entry.
    package var path: JSONPath
  }

  /// The text and its name in messages.
  package internal(set) var source: PipelineSource
  /// The name in provenance; nil for that of the file, and empty for none.
  package internal(set) var name: String?
  /// How much of what made it each output says; nil for everything.
  package internal(set) var provenance: Provenance.Extent?
  /// One sentence about the pipeline; empty if there is none.
  public internal(set) var about = ""
  /// Anything else a reader should know.
  package internal(set) var note = ""
  /// In the order of declaration.
  public internal(set) var variables: [Variable] = []
  /// In the order of the file; empty if everything runs once.
  package internal(set) var levels: [Level] = []
  /// The scans to merge with the input.
  package internal(set) var inputs: [InputEntry] = []
  /// In the order of the file.
  package internal(set) var stages: [StageEntry] = []
  /// The included files.
  package internal(set) var includes: [Include] = []
  /// In the order of the file.
  package internal(set) var outputs: [OutputEntry] = []
  /// Mistakes in the text itself, independent of stages and formats.
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
  package init(parsing bytes: [UInt8], file: String) {
    self.init(parsing: bytes, file: file) { path throws(FileError) in
      try FileSystem.contents(of: path, limit: Self.largestFile)
    }
  }

  /// Reads a pipeline whose included files were read before.
  package init(parsing text: String, file: String, includes: [Include]) {
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
