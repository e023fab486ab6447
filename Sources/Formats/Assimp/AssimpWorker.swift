import MeshPipeline
import NativeLibraries
import Workers

/// The child process in which Assimp reads and writes: the location of its program, and how to
/// start it.
///
/// Assimp crashes, hangs and exhausts memory on damaged files, so it never runs in this process.
/// The worker is the command itself, started with a hidden verb. A program that embeds the library
/// either calls `MeshpipeProcess.serveIfAsked()` first in its own `main` and serves as its own worker, or
/// uses the `meshpipe` given by ``executable``, by the environment variable `MESHPIPE_EXECUTABLE`, or by
/// PATH.
public enum AssimpWorker {
  /// The program to start as a worker; nil to search for one.
  public static var executable: String? {
    get { OwnProgram.chosenPath }
    set { OwnProgram.chosenPath = newValue }
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
