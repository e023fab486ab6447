/// The command that runs a batch with GNU parallel on machines that share folders.
package struct ParallelLine {
  package var command: ShardCommand
  package var shards: Int
  package var workingFolder: String

  package init(command: ShardCommand, shards: Int, workingFolder: String) {
    self.command = command
    self.shards = shards
    self.workingFolder = workingFolder
  }

  /// A comment and the command; each shard is one job, one per machine at a time.
  package var text: String {
    let line =
      "cd \(ShellText.quoted(workingFolder)) && "
      + command.line(shard: "{}/\(shards)")
    return """
      # hosts.txt: one machine per line; ':' is this one. All must see \(workingFolder) under this path.
      parallel --sshloginfile hosts.txt --jobs 1 --retries 3 --tag --line-buffer \\
        \(ShellText.quoted(line)) ::: $(seq \(shards))

      """
  }
}
