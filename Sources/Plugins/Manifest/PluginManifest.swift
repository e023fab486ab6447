public import MeshPipeline

/// What a plugin says about itself, in a file that is read without running anything.
///
/// The file is `NAME.meshpipe-plugin.json`; `docs/plugins.md` describes it field by field.
public struct PluginManifest: Sendable {
  /// The end of a manifest's file name.
  public static let fileEnding = ".meshpipe-plugin.json"
  /// The version of the manifest's own format.
  public static let formatVersion = 1

  /// How meshpipe and a plugin come together.
  public enum Lane: Sendable, Equatable {
    /// A process of its own, which speaks the protocol of ``WireFormat``.
    case process
    /// A shared library in meshpipe's process, with the C ABI of `meshpipe_plugin.h`.
    case library
  }

  /// What runs the stages.
  public struct Program: Sendable, Equatable {
    public var lane = Lane.process
    /// The file beside the manifest; the name of a library has the end that is usual on this system.
    public var file: String
    /// A program with arguments that is given the file; empty when the file is a program itself.
    public var interpreter: [String] = []
    /// Arguments after the file.
    public var arguments: [String] = []
    /// The environment variables that it asks for, and gets as far as the user allows them by name.
    public var environment: [String] = []
    /// Whether it asks for the network, and gets it when the user allows it to this plugin.
    public var wantsNetwork = false
    /// Files and folders that it asks to read, and reads when the user allows it to this plugin; as they are written.
    public var reads: [String] = []
    /// The digest that the file must have, in lower-case hexadecimal; nil when the manifest says none.
    public var sha256: String?
  }

  /// What a run of a stage may use.
  public struct Limits: Sendable, Equatable {
    public var seconds: Double?
    /// Bytes.
    public var memory: Int?
  }

  /// One stage of the plugin.
  public struct Stage: Sendable {
    public var name: String
    public var summary: String
    public var discussion: String
    public var example: String
    public var parameters: [ParameterDeclaration]
    public var dataFlow: StageDataFlow
    /// Whether the same input and options always give the same result.
    public var isDeterministic: Bool
    public var relativeCost: Double
  }

  /// One format of files that the plugin reads, writes or both.
  public struct FileFormat: Sendable {
    public var id: String
    public var name: String
    /// Without dots, in lower case; the first is the usual one.
    public var extensions: [String]
    /// What a file can bring; nil when the format is not read.
    public var reads: Set<SceneFeature>?
    /// What a file keeps; nil when the format is not written.
    public var writes: Set<SceneFeature>?
    /// The axis that programs take for up; nil when the file says it.
    public var up: SignedAxis?
    public var remark: String
    /// A file beside the manifest that it can read, for checks; empty for none.
    public var sample: String
  }

  /// The manifest's own file, an absolute path.
  public var path: String
  public var name: String
  public var version: String
  public var summary = ""
  public var author = ""
  public var licence = ""
  public var homepage = ""
  public var program: Program
  public var limits = Limits()
  public var stages: [Stage] = []
  public var formats: [FileFormat] = []

  /// The folder that the plugin's files are in.
  public var folder: String { FileSystem.folder(of: path) }

  /// The path of the file that runs the stages.
  public var programPath: String { "\(folder)/\(program.file)" }
}
