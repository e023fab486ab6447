/// The line that runs a batch with GNU parallel over machines that see the same folders.
public struct ParallelLine {
  public var command: ShardCommand
  public var shards: Int
  public var workingFolder: String

  public init(command: ShardCommand, shards: Int, workingFolder: String) {
    self.command = command
    self.shards = shards
    self.workingFolder = workingFolder
  }

  /// A comment and the line; each shard is one job, one on a machine at a time.
  public var text: String {
    let line =
      "cd \(ShellText.quoted(workingFolder)) && "
      + command.line(shard: "{}/\(shards)")
    return """
      # hosts.txt: a line for each machine; ':' is this one. All see \(workingFolder) under this path.
      parallel --sshloginfile hosts.txt --jobs 1 --retries 3 --tag --line-buffer \\
        \(ShellText.quoted(line)) ::: $(seq \(shards))

      """
  }
}
