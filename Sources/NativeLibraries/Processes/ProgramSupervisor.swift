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

  /// Does a supervisor's work when the command line asks for it.
  ///
  /// Call it first thing, before any other thread exists.
  /// - Returns: The status to exit with, or nil when something else is asked for.
  public static func runIfAsked(_ arguments: some Collection<String>) -> Int32? {
    guard let verb = arguments.first, verb == self.verb || verb == innerVerb else { return nil }
    guard let order = ProgramOrder(arguments: arguments.dropFirst()) else {
      return ExitCode.usage.rawValue
    }
    var ceilings = order.limits.ceilings(openFiles: 1024)
    ceilings.private_memory = UInt64(max(0, order.limits.memory))
    guard verb == self.verb else {
      return unsafe withProgram(order, sandbox: []) { unsafe sandbox_enter($0, &ceilings) }
    }
    let status = unsafe withProgram(order, sandbox: sandbox(of: order)) { program in
      unsafe sandbox_supervise(program, &ceilings, order.parent)
    }
    // Whoever was killed can't do it.
    if getppid() != order.parent { try? FileSystem.removeFolder(order.folder) }
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
  private static func sandbox(of order: ProgramOrder) -> [String] {
    guard !order.bubblewrap.isEmpty,
      let own = FileSystem.ownExecutable.flatMap({ FileSystem.canonicalPath(of: $0) })
    else { return [] }
    let view = FileView.ofPrograms(and: order.readable + [own] + OwnProgram.libraries)
    return [order.bubblewrap]
      + Bubblewrap(
        view: view, writable: order.folder, folder: order.folder,
        allowsNetwork: order.allowsNetwork, allowsDevices: true
      ).arguments(running: [own, innerVerb] + order.arguments)
  }

  /// Calls `body` with what is to be run.
  private static func withProgram(
    _ order: ProgramOrder, sandbox: [String], _ body: (UnsafePointer<sandbox_program>) -> Int32
  ) -> Int32 {
    let view = FileView.ofPrograms(and: order.readable + ["/proc"])
    return unsafe withCStrings(order.command) { arguments in
      unsafe withCStrings(sandbox) { sandbox in
        unsafe withPointers(to: view.places) { readable, readableCount in
          unsafe withPointers(to: [order.folder]) { writable, writableCount in
            guard let path = unsafe arguments[0], let folder = unsafe writable?[0] else {
              return 70
            }
            var program = unsafe sandbox_program(
              path: path, arguments: arguments, environment: sandbox_environment(),
              folder: folder, readable: readable, readable_count: readableCount,
              writable: writable, writable_count: writableCount,
              network: order.allowsNetwork ? 1 : 0, sandbox: sandbox[0] == nil ? nil : sandbox)
            return unsafe body(&program)
          }
        }
      }
    }
  }
}
