public import MeshPipeline

/// The ways in which a plugin's shared library does not do its work.
public enum PluginLibraryError: Error, Sendable, Equatable {
  /// It can't be loaded, or has no entry.
  case notLoaded(String)
  /// It and this program don't speak one version of the ABI.
  case version(String)
  /// It told what is wrong.
  case told(exitCode: ExitCode, message: String)
  /// It returned a code, and said nothing.
  case endedEarly(code: Int32)
  /// What it returned is not what was agreed upon.
  case nonsense(String)
  case outOfMemory
}
