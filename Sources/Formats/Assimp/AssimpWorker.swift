import MeshPipeline
import NativeLibraries

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
    get { OwnProgram.chosenPath }
    set { OwnProgram.chosenPath = newValue }
  }

  /// Does a worker's work when the command line asks for it.
  ///
  /// Call it before anything else, while the process has one thread.
  /// - Parameter arguments: The command line, without the program's name.
  /// - Returns: The status to exit with, or nil when something else is asked for.
  public static func runIfAsked(_ arguments: some Collection<String>) -> Int32? {
    OwnProgram.isThisProcess()
    guard arguments.first == WorkerMain.verb else { return nil }
    return WorkerMain.run(Array(arguments.dropFirst()))
  }

  /// A worker for a task on so many bytes of model.
  ///
  /// - Parameter cost: The bytes of memory that a byte of it may take.
  static func worker(
    forBytes size: Int, costing cost: Int = WorkerLimits.usualCost
  ) throws(WorkerError) -> Worker {
    Worker(
      executable: try OwnProgram.path(), limits: WorkerLimits(forBytes: size, costing: cost))
  }
}
