import MeshpipeBase
import POSIX

/// The program `bwrap` (Linux), which runs another one with a restricted view of the system.
///
/// If it is installed and works, it is the outer layer around programs of plugins, with limits,
/// Landlock and seccomp inside, and around Assimp's process if there is no Landlock. It needs user
/// namespaces, which not every system allows.
package struct Bubblewrap {
  /// The files to read and execute.
  var view: FileView
  /// A folder that is also writable; without links in its path.
  var writable: String?
  /// The working folder.
  var folder = "/"
  var allowsNetwork = false
  var allowsDevices = false

  package init(
    view: FileView, writable: String? = nil, folder: String = "/", allowsNetwork: Bool = false,
    allowsDevices: Bool = false
  ) {
    self.view = view
    self.writable = writable
    self.folder = folder
    self.allowsNetwork = allowsNetwork
    self.allowsDevices = allowsDevices
  }

  /// Where packages install it.
  ///
  /// `PATH` is not used, since users who can change it must not choose the sandbox.
  private static let places = [
    "/usr/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap",
  ]

  /// Devices without state, and those of graphics processors, besides the few in every view.
  private static let devices =
    ["/dev/dri", "/dev/kfd", "/dev/nvidiactl", "/dev/nvidia-uvm"]
    + (0...9).map { "/dev/nvidia\($0)" }

  /// The program given by `MESHPIPE_BWRAP` (none if it is empty), or the installed one; nil for
  /// none.
  package static var path: String? {
    if let chosen = FileSystem.environment("MESHPIPE_BWRAP") {
      return chosen.isEmpty ? nil : chosen
    }
    return places.first(where: FileSystem.isExecutable)
  }

  /// The arguments to run a command that also sees no other processes.
  package func arguments(running command: [String]) -> [String] {
    var words = allowsNetwork ? [] : ["--unshare-net"]
    words += [
      "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
      "--die-with-parent", "--new-session", "--cap-drop", "ALL",
    ]
    // An administrator can read the files of all users, here as elsewhere.
    if geteuid() == 0 { words += ["--cap-add", "CAP_DAC_READ_SEARCH"] }
    // Later mounts cover earlier ones; scans and plugins may be in /dev/shm.
    if view == .everything { words += ["--ro-bind", "/", "/"] }
    words += ["--dev", "/dev", "--proc", "/proc"]
    if view != .everything {
      words += view.places.flatMap { ["--ro-bind-try", $0, $0] }
      words += view.links.flatMap { ["--symlink", $0.target, $0.path] }
    }
    if allowsDevices { words += Self.devices.flatMap { ["--dev-bind-try", $0, $0] } }
    if let writable { words += ["--bind", writable, writable] }
    // Folders outside the view are created in memory as parents of those inside it.
    words += ["--chdir", folder, "--remount-ro", "/", "--"]
    return words + command
  }

  /// Whether it works here; determined by trying, in some milliseconds.
  static var works: Bool {
    let trial = Bubblewrap(view: .ofPrograms(and: []))
    guard let path,
      let child = try? WireProcess(
        executable: path, arguments: trial.arguments(running: ["true"]),
        environment: ["PATH=/usr/bin:/bin"], seconds: 10, run: Cancellation())
    else { return false }
    return (try? child.waitForEnd())?.exitStatus == 0
  }
}
