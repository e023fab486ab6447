import NativeLibraries

/// The process that looks after a plugin while it runs: the command itself, started with a hidden verb.
///
/// A program that embeds the library calls ``runIfAsked(_:)`` first thing in its own `main`, and so looks after
/// its plugins itself, or else the `meshpipe` of PATH or of `MESHPIPE_EXECUTABLE` does.
public enum PluginHost {
  /// Does the work of that process when the command line asks for it.
  ///
  /// - Parameter arguments: The command line, without the program's name.
  /// - Returns: The status to exit with, or nil when something else is asked for.
  public static func runIfAsked(_ arguments: some Collection<String>) -> Int32? {
    OwnProgram.isThisProcess()
    return ProgramSupervisor.runIfAsked(arguments)
  }

  /// What confines programs of plugins on this system, in a sentence; found out by trying.
  public static var confinement: String {
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
