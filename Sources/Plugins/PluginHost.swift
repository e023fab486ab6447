import NativeLibraries

/// The supervisor process of a plugin: the command itself, started with a hidden verb.
///
/// A program that embeds the library either calls ``runIfAsked(_:)`` first in its own `main`, and
/// supervises its plugins itself, or uses the `meshpipe` of PATH or of `MESHPIPE_EXECUTABLE`.
public enum PluginHost {
  /// Performs the work of that process if the command line requests it.
  ///
  /// - Parameter arguments: The command line, without the program's name.
  /// - Returns: The exit status, or nil if something else is requested.
  public static func runIfAsked(_ arguments: some Collection<String>) -> Int32? {
    OwnProgram.isThisProcess()
    return DecoderServer.runIfAsked(arguments) ?? ProgramSupervisor.runIfAsked(arguments)
  }

  /// How programs of plugins are confined on this system, in a sentence; determined by trying.
  package static var confinement: String {
    switch Confinement.ofPrograms {
    case .bubblewrap:
      "Programs of plugins are confined here, by bubblewrap and what the kernel has."
    case .landlock: "Programs of plugins are confined here, by Landlock."
    case .nothing:
      "Programs of plugins can read and write your files here (there is neither bubblewrap nor Landlock); "
        + "use only those that you trust."
    }
  }
}
