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

  /// Does a supervisor's work when the command line asks for it.
  ///
  /// Call it first thing, before any other thread exists. The arguments are the parent's process id, the
  /// limits in memory, seconds and file size, the program's folder, its path and its arguments.
  /// - Returns: The status to exit with, or nil when something else is asked for.
  public static func runIfAsked(_ arguments: some Collection<String>) -> Int32? {
    guard arguments.first == verb else { return nil }
    let words = Array(arguments.dropFirst())
    guard words.count > 5, let parent = pid_t(words[0]), let memory = Int(words[1]),
      let seconds = Double(words[2]), let fileSize = Int(words[3])
    else { return ExitCode.usage.rawValue }
    let limits = WorkerLimits(memory: memory, seconds: seconds, fileSize: fileSize)
    let status = supervise(Array(words[5...]), in: words[4], limits, parent)
    guard status > 255 else { return status }
    // The parent is to see the program's own end.
    signal(status - 256, SIG_DFL)
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe sigprocmask(SIG_UNBLOCK, &signals, nil)
    raise(status - 256)
    return ExitCode.software.rawValue
  }

  private static func supervise(
    _ words: [String], in folder: String, _ limits: WorkerLimits, _ parent: pid_t
  ) -> Int32 {
    var ceilings = limits.ceilings(openFiles: 1024)
    ceilings.private_memory = UInt64(max(0, limits.memory))
    return unsafe withCStrings(words) { arguments in
      unsafe withCStrings([folder]) { writable in
        guard let path = unsafe arguments[0], let folder = unsafe writable[0] else { return 70 }
        var folders: UnsafePointer<CChar>? = unsafe UnsafePointer(folder)
        return unsafe withUnsafePointer(to: &folders) { folders in
          var program = unsafe sandbox_program(
            path: path, arguments: arguments, environment: sandbox_environment(), folder: folder,
            writable: folders, writable_count: 1)
          return unsafe sandbox_supervise(&program, &ceilings, parent)
        }
      }
    }
  }
}
