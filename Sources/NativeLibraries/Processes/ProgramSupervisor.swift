internal import CSandbox
import MeshpipeBase
import POSIX

/// The process between meshpipe and an untrusted program: see ``SupervisedProgram``.
///
/// It confines the program, waits for it, and ends any processes it leaves behind.
package enum ProgramSupervisor {
  /// The internal verb that makes the command a supervisor.
  package static let verb = "__program"
  /// The internal verb for the remaining setup inside ``Bubblewrap``'s sandbox.
  static let innerVerb = "__inside"

  /// Performs a supervisor's work if the command line requests it.
  ///
  /// Call it first, before any other thread exists.
  /// - Returns: The exit status, or nil if something else is requested.
  package static func runIfAsked(_ arguments: some Collection<String>) -> Int32? {
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
    // A killed process can't do it.
    if getppid() != order.parent { try? FileSystem.removeFolder(order.folder) }
    guard status > 255 else { return status }
    // The parent needs the program's own exit status.
    signal(status - 256, SIG_DFL)
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe sigprocmask(SIG_UNBLOCK, &signals, nil)
    raise(status - 256)
    return ExitCode.software.rawValue
  }

  /// The command line of the sandbox; empty without `bwrap`.
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

  /// Calls `body` with the program to run.
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
