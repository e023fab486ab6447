import MeshPipeline
import Synchronization

/// The program that is started again for work in another process.
public enum OwnProgram {
  private struct State {
    var path: String?
    var isSelf = false
  }

  private static let state = Mutex(State())

  /// The program that is started; nil to look for one.
  public static var chosenPath: String? {
    get { state.withLock { $0.path } }
    set { state.withLock { $0.path = newValue } }
  }

  /// Says that this process looks at its command line for the hidden verbs, and so can be started again.
  public static func isThisProcess() { state.withLock { $0.isSelf = true } }

  /// The program: the chosen one, that of `MESHPIPE_EXECUTABLE`, this one, or the `meshpipe` of PATH.
  ///
  /// - Throws: ``WorkerError/executableUnknown``.
  public static func path() throws(WorkerError) -> String {
    let state = state.withLock { $0 }
    if let path = state.path { return path }
    if let named = FileSystem.environment("MESHPIPE_EXECUTABLE"), !named.isEmpty { return named }
    if state.isSelf, let own = FileSystem.ownExecutable { return own }
    if let found = FileSystem.program(named: "meshpipe") { return found }
    throw .executableUnknown
  }
}
