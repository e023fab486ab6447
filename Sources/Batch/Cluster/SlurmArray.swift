/// A job array: consecutive shards under one job number.
struct SlurmArray: Equatable {
  /// What is added to the index of a task to get its shard.
  var offset: Int
  /// The indices go from 1 to this.
  var count: Int

  /// Divides shards into arrays that Slurm takes.
  ///
  /// - Parameter maximumSize: `MaxArraySize`: one more than the highest index that there may be.
  static func arrays(shards: Int, maximumSize: Int) -> [SlurmArray] {
    let largest = max(1, maximumSize - 1)
    return stride(from: 0, to: shards, by: largest).map { offset in
      SlurmArray(offset: offset, count: min(largest, shards - offset))
    }
  }

  /// The arguments of `sbatch` for the array.
  ///
  /// - Parameters:
  ///   - log: Where the tasks' output goes, with `%A` and `%a` for job and index.
  ///   - previous: The job to wait for, so that no more tasks run at once than there may.
  func arguments(
    script: String, log: String, name: String, tasksAtOnce: Int?, after previous: String?,
    options: [String]
  ) -> [String] {
    var arguments = [
      "--parsable", "--job-name=\(name)", "--requeue", "--open-mode=append", "--output=\(log)",
      "--array=1-\(count)" + (tasksAtOnce.map { "%\($0)" } ?? ""),
    ]
    if let previous { arguments.append("--dependency=afterany:\(previous)") }
    return arguments + options + [script, String(offset)]
  }
}
