import NativeLibraries

/// The process in which a plugin's program runs.
package enum PluginHost {
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
