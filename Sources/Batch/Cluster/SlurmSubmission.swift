package import MeshPipeline
import NativeLibraries

/// A batch submitted to Slurm: a job array with one task per shard.
///
/// The state of the items is in the journals; Slurm is only asked which tasks are still queued. A
/// task that is killed, loses its machine or runs out of time is requeued, and continues where its
/// journal ends.
package struct SlurmSubmission {
  /// The command to submit.
  package struct Request: Sendable {
    package var folder: BatchFolder
    /// The header of the journals.
    package var run: JournalHeader
    package var shards: Int
    /// The maximum number of simultaneous tasks; nil leaves it to Slurm.
    package var tasksAtOnce: Int?
    /// Further arguments of `sbatch`.
    package var options: [String] = []
    package var command: ShardCommand
    package var choosesJobs = false
    package var choosesMemory = false

    package init(folder: BatchFolder, run: JournalHeader, shards: Int, command: ShardCommand) {
      self.folder = folder
      self.run = run
      self.shards = shards
      self.command = command
    }
  }

  private let folder: BatchFolder
  private let shards: Int
  /// The job numbers; several if one array can't hold all shards.
  package private(set) var jobs: [String] = []
  /// The number of runs in each shard's journal before the submission.
  private var runsBefore: [Int]

  /// Writes the job script and submits it.
  ///
  /// - Throws: ``SlurmError``, ``MissingProgram``, ``BatchLocked`` if the batch is already running,
  ///   and `FileError`.
  package init(_ request: Request, cancellation: Cancellation = Cancellation()) throws {
    folder = request.folder
    shards = request.shards
    let root = try Self.absoluteRoot(of: folder)
    let script = root + "/slurm.sh"
    let record = root + "/slurm-jobs.json"
    try Self.checkQueue(record, folder, cancellation)
    runsBefore = try Self.prepare(request)
    try FileSystem.replaceFile(
      script,
      with: SlurmScript(
        command: request.command, shards: shards, workingFolder: FileSystem.workingFolder,
        choosesJobs: request.choosesJobs, choosesMemory: request.choosesMemory
      ).text)
    let arrays = SlurmArray.arrays(
      shards: shards, maximumSize: try Self.maximumArraySize(cancellation))
    let log = root.replacing("%", with: "%%") + "/slurm-%A-%a.log"
    for array in arrays {
      let arguments = array.arguments(
        script: script, log: log, name: "meshpipe", tasksAtOnce: request.tasksAtOnce,
        after: request.tasksAtOnce == nil ? nil : jobs.last, options: request.options)
      let sbatch = try CompletedProgram(named: "sbatch", arguments)
      let job = sbatch.lines.last?.split(separator: ";").first.map(String.init)
      guard sbatch.succeeded, let job else {
        if !jobs.isEmpty { _ = try CompletedProgram(named: "scancel", jobs) }
        throw SlurmError(message: "sbatch: \(sbatch.lastErrorLine)")
      }
      jobs.append(job)
      try FileSystem.replaceFile(record, with: jobs.json.prettyText)
    }
  }

  private static func absoluteRoot(of folder: BatchFolder) throws -> String {
    try FileSystem.createFolder(folder.path)
    guard let root = FileSystem.canonicalPath(of: folder.path) else {
      throw FileError(.examine, folder.path)
    }
    return root
  }

  /// Checks that no tasks of an earlier submission are queued.
  private static func checkQueue(
    _ record: String, _ folder: BatchFolder, _ cancellation: Cancellation
  ) throws {
    guard let bytes = try? FileSystem.contents(of: record, limit: 1 << 20),
      let jobs = JSONReader.read(bytes).value?.elements.compactMap(\.text), !jobs.isEmpty,
      try areQueued(jobs, cancellation) == true
    else { return }
    let numbers = jobs.joined(separator: " ")
    throw SlurmError(
      message: "\(folder.root): this batch is still in Slurm's queue, as job \(numbers); "
        + "'scancel \(numbers)' ends it", exitCode: .temporary)
  }

  /// Starts the journals of all shards if the batch starts from scratch, so that its tasks can
  /// always resume.
  ///
  /// - Returns: The number of runs in each journal.
  private static func prepare(_ request: Request) throws -> [Int] {
    let lock = try BatchLock(request.folder)
    defer { withExtendedLifetime(lock) {} }
    return try (1...max(1, request.shards)).map { number in
      let shard = Shard(number, of: request.shards)
      if request.run.isFresh {
        var run = request.run
        run.shard = shard
        try Journal(request.folder, shard: shard).begin(run)
      }
      return try JournalContents(reading: request.folder.journal(of: shard)).runs.count
    }
  }

  /// The limit of the cluster, or Slurm's default if the query fails.
  private static func maximumArraySize(_ cancellation: Cancellation) throws -> Int {
    let config = try CompletedProgram(
      named: "scontrol", ["show", "config"], cancellation: cancellation)
    for line in config.lines where line.hasPrefix("MaxArraySize") {
      if let size = line.split(separator: "=").last.flatMap({ Int($0.filter(\.isNumber)) }) {
        return size
      }
    }
    return 1001
  }

  /// Whether tasks of the jobs are queued; nil if Slurm does not answer.
  private static func areQueued(_ jobs: [String], _ cancellation: Cancellation) throws -> Bool? {
    let queue = try CompletedProgram(
      named: "squeue", ["--noheader", "--format=%i", "--jobs=" + jobs.joined(separator: ",")],
      cancellation: cancellation)
    if queue.succeeded { return !queue.lines.isEmpty }
    // Slurm forgets jobs that ended long ago.
    return queue.lastErrorLine.contains("Invalid job id") ? false : nil
  }

  // MARK: Waiting

  /// Waits until no task is queued any more, or all shards are finished.
  ///
  /// - Parameter observer: Called with the state of the batch from time to time.
  /// - Throws: ``Cancelled``, in which case the tasks continue; ``ShardsUnfinished``.
  package func wait(
    cancellation: Cancellation = Cancellation(), observer: (BatchStatus) -> Void = { _ in }
  ) throws -> BatchStatus {
    var pause = 0.25
    while true {
      let isQueued = try Self.areQueued(jobs, cancellation)
      let status = try BatchStatus(of: folder)
      observer(status)
      let open = unfinished(status)
      if open.isEmpty { return status }
      if isQueued == false { throw ShardsUnfinished(folder: folder, shards: open, jobs: jobs) }
      let end = MonotonicClock.seconds + pause
      while MonotonicClock.seconds < end {
        if cancellation.isRequested { throw Cancelled() }
        CompletedProgram.pause(0.1)
      }
      pause = min(pause * 1.5, 10)
    }
  }

  /// The shards that have not finished since the submission.
  private func unfinished(_ status: BatchStatus) -> [Shard] {
    (1...shards).compactMap { number in
      guard let shard = Shard(number, of: shards) else { return nil }
      let part = status.parts.first { $0.shard == shard }
      let isOver = part.map { part in
        part.runCount > runsBefore[number - 1] && part.due == 0 && !part.isLocked
      }
      return isOver == true ? nil : shard
    }
  }
}

/// Slurm rejected the submission.
package struct SlurmError: UserError, Equatable {
  package var message: String
  package var exitCode: ExitCode = .unavailable
}

/// No task is queued any more, although shards are unfinished.
package struct ShardsUnfinished: UserError, Equatable {
  package var folder: BatchFolder
  package var shards: [Shard]
  package var jobs: [String]

  package var exitCode: ExitCode { .temporary }
  package var message: String {
    let names = shards.prefix(5).map(\.text).joined(separator: ", ")
    let more = shards.count > 5 ? " and \(shards.count - 5) more" : ""
    return
      "\(folder.root): Slurm ended shard \(names)\(more) early; the output of its tasks is "
      + "in \(folder.path)/slurm-\(jobs.first ?? "")-*.log; submit again with --resume"
  }
}
