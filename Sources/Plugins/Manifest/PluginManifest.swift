public import MeshPipeline

/// The description of a plugin, in a file that is read without running anything.
///
/// The file is `NAME.meshpipe-plugin.json`; `docs/plugins.md` describes it field by field.
public struct PluginManifest: Sendable {
  /// The suffix of a manifest's file name.
  public static let fileEnding = ".meshpipe-plugin.json"
  /// The version of the manifest's own format.
  public static let formatVersion = 1

  /// How meshpipe runs a plugin.
  public enum Lane: Sendable, Equatable {
    /// As a separate process that speaks the protocol of ``WireFormat``.
    case process
    /// As a shared library in meshpipe's process, with the C ABI of `meshpipe_plugin.h`.
    case library
  }

  /// The program that runs the stages.
  public struct Program: Sendable, Equatable {
    /// How meshpipe runs it.
    public var lane = Lane.process
    /// The file next to the manifest; a library's extension may be that of this system.
    public var file: String
    /// An interpreter with arguments for the file; empty if the file is executable itself.
    public var interpreter: [String] = []
    /// Arguments after the file.
    public var arguments: [String] = []
    /// The environment variables that it asks for; it gets those that the user allows by name.
    public var environment: [String] = []
    /// Whether it asks for the network, which it gets if the user allows it for this plugin.
    public var wantsNetwork = false
    /// Files and folders that it asks to read, if the user allows it for this plugin; as written.
    public var reads: [String] = []
    /// The expected SHA-256 of the file, in lower-case hexadecimal; nil if the manifest has none.
    public var sha256: String?
  }

  /// The limits of a run.
  public struct Limits: Sendable, Equatable {
    /// Wall clock.
    public var seconds: Double?
    /// In bytes.
    public var memory: Int?
  }

  /// One stage of the plugin.
  public struct Stage: Sendable {
    /// The name in pipelines.
    public var name: String
    /// One line for lists.
    public var summary: String
    /// The method, limits and notes, in Markdown.
    public var discussion: String
    /// An example of its use in a pipeline, as JSON.
    public var example: String
    /// The stage's options.
    public var parameters: [ParameterDeclaration]
    /// The features that it needs, adds and removes.
    public var dataFlow: StageDataFlow
    /// Whether the same input and options always give the same result.
    public var isDeterministic: Bool
    /// Run time relative to most stages, for the progress bar.
    public var relativeCost: Double
  }

  /// One file format that the plugin reads, writes or both.
  public struct FileFormat: Sendable {
    /// The identifier in pipelines and options.
    public var id: String
    /// The name for people.
    public var name: String
    /// Without dots, in lower case; the first is the usual one.
    public var extensions: [String]
    /// The features that a file can contain; nil if the format can't be read.
    public var reads: Set<SceneFeature>?
    /// The features that a file keeps; nil if the format can't be written.
    public var writes: Set<SceneFeature>?
    /// The up axis that programs assume; nil if the file specifies it.
    public var up: SignedAxis?
    /// Notes for users; empty if there are none.
    public var remark: String
    /// A readable file next to the manifest, for checks; empty for none.
    public var sample: String
  }

  /// The manifest's own file, an absolute path.
  public var path: String
  /// The plugin's name.
  public var name: String
  /// The plugin's version.
  public var version: String
  /// One sentence; empty if there is none.
  public var summary = ""
  /// Empty if the manifest has none.
  public var author = ""
  /// Empty if the manifest has none.
  public var licence = ""
  /// Empty if the manifest has none.
  public var homepage = ""
  /// The program or library of the plugin.
  public var program: Program
  /// The limits of each run.
  public var limits = Limits()
  /// The stages that the plugin provides.
  public var stages: [Stage] = []
  /// The formats that the plugin reads or writes.
  public var formats: [FileFormat] = []

  /// The folder of the plugin's files.
  public var folder: String { FileSystem.folder(of: path) }

  /// The path of the file that runs the stages.
  public var programPath: String { "\(folder)/\(program.file)" }
}
