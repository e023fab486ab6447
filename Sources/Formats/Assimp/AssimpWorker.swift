import MeshPipeline
import NativeLibraries
import Workers

/// The child process in which Assimp reads and writes: the location of its program, and how to
/// start it.
///
/// Assimp crashes, hangs and exhausts memory on damaged files, so it never runs in this process.
/// The worker is the command itself, started with a hidden verb. A program that embeds the library
/// either calls ``runIfAsked(_:)`` first in its own `main` and serves as its own worker, or uses
/// the `meshpipe` given by ``executable``, by the environment variable `MESHPIPE_EXECUTABLE`, or by
/// PATH.
public enum AssimpWorker {
  /// The program to start as a worker; nil to search for one.
  public static var executable: String? {
    get { OwnProgram.chosenPath }
    set { OwnProgram.chosenPath = newValue }
  }

  /// Performs a worker's task if the command line requests it.
  ///
  /// Call it before anything else, while the process is single-threaded.
  /// - Parameter arguments: The command line, without the program's name.
  /// - Returns: The exit status, or nil if something else is requested.
  public static func runIfAsked(_ arguments: some Collection<String>) -> Int32? {
    OwnProgram.isThisProcess()
    if let status = DecoderServer.runIfAsked(arguments) { return status }
    guard arguments.first == AssimpServer.verb else { return nil }
    return AssimpServer.run(Array(arguments.dropFirst()))
  }

  /// A worker for a task on a model of this size in bytes.
  ///
  /// - Parameter cost: The maximum memory per byte of the model.
  static func worker(
    forBytes size: Int, costing cost: Int = WorkerLimits.usualCost
  ) throws(WorkerError) -> AssimpClient {
    AssimpClient(
      executable: try OwnProgram.path(), limits: WorkerLimits(forBytes: size, costing: cost))
  }
}
