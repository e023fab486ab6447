internal import CSandbox
import MeshpipeBase
import Synchronization

/// The program that is started again for work in another process.
package enum OwnProgram {
  private struct State {
    var path: String?
    var isSelf = false
  }

  private static let state = Mutex(State())

  /// The program to start; nil to search for one.
  package static var chosenPath: String? {
    get { state.withLock { $0.path } }
    set { state.withLock { $0.path = newValue } }
  }

  /// Declares that this process handles the hidden verbs, and so can be started again.
  package static func isThisProcess() { state.withLock { $0.isSelf = true } }

  /// The folders of the libraries loaded by this process.
  package static var libraries: [String] {
    var paths: [String] = []
    unsafe withUnsafeMutablePointer(to: &paths) { paths in
      unsafe sandbox_loaded_libraries(
        { path, context in
          guard let path = unsafe path else { return }
          let folder = unsafe FileSystem.folder(of: String(systemPath: path))
          unsafe context?.assumingMemoryBound(to: [String].self).pointee.append(folder)
        }, paths)
    }
    return paths
  }

  /// Whether the program is this one, or one that was named, and not just found in PATH.
  static var isNamed: Bool {
    state.withLock { $0.isSelf || $0.path != nil }
      || FileSystem.environment("MESHPIPE_EXECUTABLE")?.isEmpty == false
  }

  /// The program: the chosen one, that of `MESHPIPE_EXECUTABLE`, this one, or the `meshpipe` in
  /// PATH.
  ///
  /// - Throws: ``WorkerError/executableUnknown``.
  package static func path() throws(WorkerError) -> String {
    let state = state.withLock { $0 }
    if let path = state.path { return path }
    if let named = FileSystem.environment("MESHPIPE_EXECUTABLE"), !named.isEmpty { return named }
    if state.isSelf, let own = FileSystem.ownExecutable { return own }
    if let found = FileSystem.program(named: "meshpipe") { return found }
    throw .executableUnknown
  }
}
