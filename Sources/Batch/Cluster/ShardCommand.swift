/// The 'batch' command line for a shard.
package struct ShardCommand: Sendable, Equatable {
  package var program: String
  /// The arguments after the verb, without shard and resume options.
  package var arguments: [String]

  package init(program: String, arguments: [String]) {
    self.program = program
    self.arguments = arguments
  }

  /// The command as a line for a shell.
  ///
  /// It always resumes, since it may be the retry of a shard; its own arguments come last, as `--`
  /// may be among them.
  func line(shard: String, more: String = "") -> String {
    ShellText.line([program, "batch"]) + " --shard \(shard) --resume" + more + " "
      + ShellText.line(arguments)
  }
}
