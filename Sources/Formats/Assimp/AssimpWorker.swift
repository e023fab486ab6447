import MeshPipeline
import NativeLibraries
import Synchronization

/// The child process in which Assimp reads and writes: where its program is, and how it starts.
///
/// Assimp crashes, hangs and swallows memory on damaged files, so it never runs in this process.
/// The worker is the command itself, started with a hidden verb. A program that embeds the library
/// either calls ``runIfAsked(_:)`` first thing in its own `main`, and so is its own worker, or lets
/// it be the `meshpipe` of ``executable``, of the environment variable `MESHPIPE_EXECUTABLE`, or of
/// PATH.
public enum AssimpWorker {
  /// The program that is started as a worker; nil to look for one.
  public static var executable: String? {
    get { state.withLock { $0.executable } }
    set { state.withLock { $0.executable = newValue } }
  }

  /// Does a worker's work when the command line asks for it.
  ///
  /// Call it before anything else, while the process has one thread.
  /// - Parameter arguments: The command line, without the program's name.
  /// - Returns: The status to exit with, or nil when something else is asked for.
  public static func runIfAsked(_ arguments: some Collection<String>) -> Int32? {
    state.withLock { $0.isOwnWorker = true }
    guard arguments.first == WorkerMain.verb else { return nil }
    return WorkerMain.run(Array(arguments.dropFirst()))
  }

  private struct State {
    var executable: String?
    var isOwnWorker = false
  }

  private static let state = Mutex(State())

  /// A worker for a task on so many bytes of model.
  static func worker(forBytes size: Int) throws(WorkerError) -> Worker {
    Worker(executable: try findExecutable(), limits: WorkerLimits(forBytes: size))
  }

  private static func findExecutable() throws(WorkerError) -> String {
    let state = state.withLock { $0 }
    if let executable = state.executable { return executable }
    if let named = FileSystem.environment("MESHPIPE_EXECUTABLE"), !named.isEmpty { return named }
    if state.isOwnWorker, let own = FileSystem.ownExecutable { return own }
    let folders = (FileSystem.environment("PATH") ?? "").split(separator: ":")
    for folder in folders {
      let candidate = "\(folder)/meshpipe"
      if FileSystem.isExecutable(candidate) { return candidate }
    }
    throw .executableUnknown
  }
}
