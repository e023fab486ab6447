internal import CSandbox
import MeshPipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The process between meshpipe and a program that it does not trust: see ``SupervisedProgram``.
///
/// It confines the program, waits for it, and ends whatever that leaves behind.
public enum ProgramSupervisor {
  /// The verb that makes the command a supervisor; of no use to people.
  public static let verb = "__program"
  /// The verb for what is left to do inside of the sandbox that ``Bubblewrap`` puts up.
  static let innerVerb = "__inside"

  /// What stands for leave to use the network.
  static let networkWord = "network"

  /// Does a supervisor's work when the command line asks for it.
  ///
  /// Call it first thing, before any other thread exists. The arguments are the parent's process id, the
  /// limits in memory, seconds and file size, the program's folder, the path of `bwrap` or nothing, whether
  /// the network may be used, and the program's path and its arguments.
  /// - Returns: The status to exit with, or nil when something else is asked for.
  public static func runIfAsked(_ arguments: some Collection<String>) -> Int32? {
    guard let verb = arguments.first, verb == self.verb || verb == innerVerb else { return nil }
    let words = Array(arguments.dropFirst())
    guard words.count > 7, let parent = pid_t(words[0]), let memory = Int(words[1]),
      let seconds = Double(words[2]), let fileSize = Int(words[3])
    else { return ExitCode.usage.rawValue }
    let limits = WorkerLimits(memory: memory, seconds: seconds, fileSize: fileSize)
    var ceilings = limits.ceilings(openFiles: 1024)
    ceilings.private_memory = UInt64(max(0, limits.memory))
    let (folder, bubblewrap, command) = (words[4], words[5], Array(words[7...]))
    let allowsNetwork = words[6] == networkWord
    guard verb == self.verb else {
      return unsafe withProgram(
        command, in: folder, allowsNetwork: allowsNetwork, sandbox: []
      ) { program in
        unsafe sandbox_enter(program, &ceilings)
      }
    }
    let sandbox = sandbox(
      bubblewrap, folder, allowsNetwork: allowsNetwork, inside: [innerVerb] + words)
    let status = unsafe withProgram(
      command, in: folder, allowsNetwork: allowsNetwork, sandbox: sandbox
    ) { program in
      unsafe sandbox_supervise(program, &ceilings, parent)
    }
    // Whoever was killed can't do it.
    if getppid() != parent { try? FileSystem.removeFolder(folder) }
    guard status > 255 else { return status }
    // The parent is to see the program's own end.
    signal(status - 256, SIG_DFL)
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe sigprocmask(SIG_UNBLOCK, &signals, nil)
    raise(status - 256)
    return ExitCode.software.rawValue
  }

  /// The command line of the sandbox; none where there is no `bwrap`.
  private static func sandbox(
    _ bubblewrap: String, _ folder: String, allowsNetwork: Bool, inside words: [String]
  ) -> [String] {
    guard !bubblewrap.isEmpty,
      let own = FileSystem.ownExecutable.flatMap({ FileSystem.canonicalPath(of: $0) }),
      // Links to where it is would lead elsewhere while the view is made.
      let folder = FileSystem.canonicalPath(of: folder)
    else { return [] }
    return [bubblewrap]
      + Bubblewrap.arguments(folder: folder, allowsNetwork: allowsNetwork, command: [own] + words)
  }

  /// Calls `body` with what is to be run.
  private static func withProgram(
    _ command: [String], in folder: String, allowsNetwork: Bool, sandbox: [String],
    _ body: (UnsafePointer<sandbox_program>) -> Int32
  ) -> Int32 {
    unsafe withCStrings(command) { arguments in
      unsafe withCStrings(sandbox) { sandbox in
        unsafe withCStrings([folder]) { writable in
          guard let path = unsafe arguments[0], let folder = unsafe writable[0] else { return 70 }
          var folders: UnsafePointer<CChar>? = unsafe UnsafePointer(folder)
          return unsafe withUnsafePointer(to: &folders) { folders in
            var program = unsafe sandbox_program(
              path: path, arguments: arguments, environment: sandbox_environment(),
              folder: folder, writable: folders, writable_count: 1,
              network: allowsNetwork ? 1 : 0,
              sandbox: sandbox[0] == nil ? nil : sandbox)
            return unsafe body(&program)
          }
        }
      }
    }
  }
}
