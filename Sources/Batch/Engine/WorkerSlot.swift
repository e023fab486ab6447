import MeshPipeline
import NativeLibraries
import POSIX

/// A slot for a worker, with its current item.
final class WorkerSlot {
  /// An item being processed.
  struct Job {
    var staged: StagedItem
    var due: DueItem
    var attempt = 1
  }

  let index: Int
  private(set) var process: LineProcess?
  private(set) var stagingFolder = ""
  var job: Job?
  /// When processing of the item began.
  var began = 0.0
  /// The peak memory during the item, in bytes.
  var peak = 0
  /// The estimated memory of the item, in bytes.
  var need = 0
  /// The number of items that the worker has finished.
  var done = 0

  init(index: Int) {
    self.index = index
  }

  /// Starts a worker.
  func start(_ executable: String, _ work: BatchWork, stagingFolder: String) throws {
    try FileSystem.createFolder(stagingFolder)
    self.stagingFolder = stagingFolder
    let process = try LineProcess(
      executable: executable,
      arguments: [BatchWorker.verb, String(getpid()), stagingFolder],
      // A worker that crashes is reported in one line; minutes of backtraces don't help.
      variables: ["SWIFT_BACKTRACE=enable=no"])
    process.send(work.json.compactText)
    self.process = process
    done = 0
  }

  /// Gives the worker an item.
  func begin(_ job: Job, need: Int) {
    self.job = job
    self.need = need
    began = MonotonicClock.seconds
    peak = 0
    process?.forgetErrors()
    process?.send(
      ItemRequest(
        name: job.staged.item.name, path: job.staged.path, folder: job.staged.folder,
        archive: job.staged.item.origin.archive, output: job.due.plan.target
      ).json.compactText)
  }

  /// Ends the worker, and removes its partial outputs.
  func end() {
    process?.kill()
    process = nil
    if !stagingFolder.isEmpty { try? FileSystem.removeFolder(stagingFolder) }
    stagingFolder = ""
  }
}

extension BatchItem.Origin {
  /// The archive that contains the item; nil for one on disk.
  var archive: String? {
    switch self {
    case .disk: nil
    case .archive(let path, _): path
    }
  }
}
