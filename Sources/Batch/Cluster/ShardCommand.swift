/// The call of 'batch' that a machine makes for its shard.
public struct ShardCommand: Sendable, Equatable {
  public var program: String
  /// What follows the verb, without what says which shard and whether to resume.
  public var arguments: [String]

  public init(program: String, arguments: [String]) {
    self.program = program
    self.arguments = arguments
  }

  /// The call as a line of a shell.
  ///
  /// It always resumes, for it may be the second try of a shard; its own arguments come last, as `--`
  /// may be among them.
  func line(shard: String, more: String = "") -> String {
    ShellText.line([program, "batch"]) + " --shard \(shard) --resume" + more + " "
      + ShellText.line(arguments)
  }
}
