import MeshPipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The program `bwrap` (Linux), which gives another one a view of the system of its own.
///
/// It is the outer wall round programs of plugins where it is installed and works, with limits, Landlock and seccomp
/// inside, and round the process in which Assimp runs where there is no Landlock. It needs user namespaces, which
/// not every system allows.
struct Bubblewrap {
  /// What is read and executed.
  var view: FileView
  /// The folder that is written, too; without links in its path.
  var writable: String?
  /// The working folder.
  var folder = "/"
  var allowsNetwork = false
  var allowsDevices = false

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

  /// The arguments with which it runs a command that also sees no other processes.
  func arguments(running command: [String]) -> [String] {
    var words = allowsNetwork ? [] : ["--unshare-net"]
    words += [
      "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
      "--die-with-parent", "--new-session", "--cap-drop", "ALL",
    ]
    // The administrator reads the files of all users, here as elsewhere.
    if geteuid() == 0 { words += ["--cap-add", "CAP_DAC_READ_SEARCH"] }
    // What comes later covers what comes before; scans and plugins may lie in /dev/shm.
    if view == .everything { words += ["--ro-bind", "/", "/"] }
    words += ["--dev", "/dev", "--proc", "/proc"]
    if view != .everything {
      words += view.places.flatMap { ["--ro-bind-try", $0, $0] }
      words += view.links.flatMap { ["--symlink", $0.target, $0.path] }
    }
    if allowsDevices { words += Self.devices.flatMap { ["--dev-bind-try", $0, $0] } }
    if let writable { words += ["--bind", writable, writable] }
    // What is not in the view are folders in memory, made on the way to what is.
    words += ["--chdir", folder, "--remount-ro", "/", "--"]
    return words + command
  }

  /// Whether there is one that works here; found out by trying, in some milliseconds.
  static var works: Bool {
    let trial = Bubblewrap(view: .ofPrograms(and: []))
    guard let path,
      let child = try? ChildProcess(
        executable: path, arguments: trial.arguments(running: ["true"]),
        environment: ["PATH=/usr/bin:/bin"], seconds: 10, context: StageContext())
    else { return false }
    return (try? child.waitForEnd())?.exitStatus == 0
  }
}
