package import MeshPipeline

/// The description of a plugin, in a file that is read without running anything.
///
/// The file is `NAME.meshpipe-plugin.json`; `docs/plugins.md` describes it field by field.
package struct PluginManifest: Sendable {
  /// The suffix of a manifest's file name.
  package static let fileEnding = ".meshpipe-plugin.json"
  /// The version of the manifest's own format.
  package static let formatVersion = 1

  /// How meshpipe runs a plugin.
  package enum Lane: Sendable, Equatable {
    /// As a separate process that speaks the protocol of ``WireFormat``.
    case process
    /// As a shared library in meshpipe's process, with the C ABI of `meshpipe_plugin.h`.
    case library
  }

  /// The program that runs the stages.
  package struct Program: Sendable, Equatable {
    /// How meshpipe runs it.
    package var lane = Lane.process
    /// The file next to the manifest; a library's extension may be that of this system.
    package var file: String
    /// An interpreter with arguments for the file; empty if the file is executable itself.
    package var interpreter: [String] = []
    /// Arguments after the file.
    package var arguments: [String] = []
    /// The environment variables that it asks for; it gets those that the user allows by name.
    package var environment: [String] = []
    /// Whether it asks for the network, which it gets if the user allows it for this plugin.
    package var wantsNetwork = false
    /// Files and folders that it asks to read, if the user allows it for this plugin; as written.
    package var reads: [String] = []
    /// The expected SHA-256 of the file, in lower-case hexadecimal; nil if the manifest has none.
    package var sha256: String?
  }

  /// The limits of a run.
  package struct Limits: Sendable, Equatable {
    /// Wall clock.
    package var seconds: Double?
    /// In bytes.
    package var memory: Int?
  }

  /// One stage of the plugin.
  package struct Stage: Sendable {
    /// The name in pipelines.
    package var name: String
    /// One line for lists.
    package var summary: String
    /// The method, limits and notes, in Markdown.
    package var discussion: String
    /// An example of its use in a pipeline, as JSON.
    package var example: String
    /// The stage's options.
    package var parameters: [ParameterDeclaration]
    /// The features that it needs, adds and removes.
    package var dataFlow: StageDataFlow
    /// Whether the same input and options always give the same result.
    package var isDeterministic: Bool
    /// Run time relative to most stages, for the progress bar.
    package var relativeCost: Double
  }

  /// One file format that the plugin reads, writes or both.
  package struct FileFormat: Sendable {
    /// The identifier in pipelines and options.
    package var id: String
    /// The name for people.
    package var name: String
    /// Without dots, in lower case; the first is the usual one.
    package var extensions: [String]
    /// The features that a file can contain; nil if the format can't be read.
    package var reads: Set<SceneFeature>?
    /// The features that a file keeps; nil if the format can't be written.
    package var writes: Set<SceneFeature>?
    /// The up axis that programs assume; nil if the file specifies it.
    package var up: SignedAxis?
    /// Notes for users; empty if there are none.
    package var remark: String
    /// A readable file next to the manifest, for checks; empty for none.
    package var sample: String
  }

  /// The manifest's own file, an absolute path.
  package var path: String
  /// The plugin's name.
  package var name: String
  /// The plugin's version.
  package var version: String
  /// One sentence; empty if there is none.
  package var summary = ""
  /// Empty if the manifest has none.
  package var author = ""
  /// Empty if the manifest has none.
  package var licence = ""
  /// Empty if the manifest has none.
  package var homepage = ""
  /// The program or library of the plugin.
  package var program: Program
  /// The limits of each run.
  package var limits = Limits()
  /// The stages that the plugin provides.
  package var stages: [Stage] = []
  /// The formats that the plugin reads or writes.
  package var formats: [FileFormat] = []
  /// What the user allows plugins; not from the file.
  package var allowances: PluginAllowances

  /// The folder of the plugin's files.
  package var folder: String { FileSystem.folder(of: path) }

  /// The path of the file that runs the stages.
  package var programPath: String { "\(folder)/\(program.file)" }
}
