package import MeshpipeBase

/// The errors of a plugin's shared library.
package enum PluginLibraryError: Error, Sendable, Equatable {
  /// It can't be loaded, or has no entry function.
  case notLoaded(String)
  /// It and this program have no common ABI version.
  case version(String)
  /// It reported an error.
  case told(exitCode: ExitCode, message: String)
  /// It returned a code without a message.
  case endedEarly(code: Int32)
  /// Its result violates the ABI.
  case nonsense(String)
  case outOfMemory
}
