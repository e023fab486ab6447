/// A job array: consecutive shards under one job number.
struct SlurmArray: Equatable {
  /// The offset from a task's index to its shard.
  var offset: Int
  /// The indices range from 1 to this.
  var count: Int

  /// Divides shards into arrays of acceptable size.
  ///
  /// - Parameter maximumSize: `MaxArraySize`: one more than the highest allowed index.
  static func arrays(shards: Int, maximumSize: Int) -> [SlurmArray] {
    let largest = max(1, maximumSize - 1)
    return stride(from: 0, to: shards, by: largest).map { offset in
      SlurmArray(offset: offset, count: min(largest, shards - offset))
    }
  }

  /// The arguments of `sbatch` for the array.
  ///
  /// - Parameters:
  ///   - log: The file for the tasks' output, with `%A` and `%a` for job and index.
  ///   - previous: The job to wait for, so that the limit of simultaneous tasks is kept.
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
