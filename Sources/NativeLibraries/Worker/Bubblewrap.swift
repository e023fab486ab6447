import MeshPipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The program `bwrap` (Linux), which gives another one a view of the system of its own.
///
/// It is the outer wall round programs of plugins where it is installed and works; limits, Landlock and seccomp
/// stand inside. It needs user namespaces, which not every system allows.
enum Bubblewrap {
  /// Where packages put it.
  ///
  /// `PATH` is not asked, for whoever may change that must not choose the guard.
  private static let places = [
    "/usr/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap",
  ]

  /// Devices that keep nothing, and those of graphics processors, besides the few that every view has.
  private static let devices =
    ["/dev/dri", "/dev/kfd", "/dev/nvidiactl", "/dev/nvidia-uvm"]
    + (0...9).map { "/dev/nvidia\($0)" }

  /// The program: that of `MESHPIPE_BWRAP` (none when it is empty), or the installed one; nil for none.
  static var path: String? {
    if let chosen = FileSystem.environment("MESHPIPE_BWRAP") {
      return chosen.isEmpty ? nil : chosen
    }
    return places.first(where: FileSystem.isExecutable)
  }

  /// The arguments with which it runs a command that reads what is in a view and writes only in a folder, and
  /// sees no other processes, nor the network unless that is allowed.
  static func arguments(
    view: FileView, folder: String, allowsNetwork: Bool = false, command: [String]
  ) -> [String] {
    var words = allowsNetwork ? [] : ["--unshare-net"]
    words += [
      "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
      "--die-with-parent", "--new-session", "--cap-drop", "ALL",
    ]
    // The administrator reads the files of all users, here as elsewhere.
    if geteuid() == 0 { words += ["--cap-add", "CAP_DAC_READ_SEARCH"] }
    words += ["--dev", "/dev"] + devices.flatMap { ["--dev-bind-try", $0, $0] }
    words += ["--proc", "/proc"]
    words += view.places.flatMap { ["--ro-bind-try", $0, $0] }
    words += view.links.flatMap { ["--symlink", $0.target, $0.path] }
    words += ["--bind", folder, folder, "--chdir", folder]
    // What is not in the view are folders in memory, made on the way to what is.
    words += ["--remount-ro", "/", "--"]
    return words + command
  }
}
