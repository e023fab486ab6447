import Batch
public import MeshpipeKit
import NativeLibraries
import POSIX

/// The command `meshpipe`, for programs that embed it with custom stages.
///
/// The complete `main.swift` of such a program:
///
///     Command.main(stages: builtInStages + [Raise.self])
public enum Command {
  /// Executes the command line and exits.
  ///
  /// Call it first, before any other thread exists: the process may be one that the command has
  /// started for part of its work.
  ///
  /// - Parameter stages: The stages available to pipelines, besides those of plugins; a later one
  ///   replaces an earlier one of the same name.
  public static func main(stages: [any Stage.Type] = builtInStages) -> Never {
    let arguments = ProgramArguments.all.dropFirst()
    MeshpipeProcess.serveIfAsked()
    if let status = BatchWorker.runIfAsked(
      arguments,
      environment: {
        CommandEnvironment(stages, PluginSearch($0.run)).pipelines
      },
      checkpoints: { CheckpointFolder.use(for: $0, places: $1) },
      deliver: { delivery, outputs, cancellation in
        try perform(delivery, of: outputs, cancellation)
      }
    ) {
      exit(status)
    }
    MemoryEnd.exit(with: .temporary)
    LastWord.arrange()
    let code = run(arguments, stages)
    ExitHandlers.run()
    // After a signal the process exits with its code, whatever error resulted from it.
    exit(code == .success ? 0 : Signals.exitStatus ?? code.rawValue)
  }

  /// Signs and sends the outputs of a batch's item, in the worker that made them.
  private static func perform(
    _ delivery: ItemDelivery, of outputs: [RunReport.OutputReport], _ cancellation: Cancellation
  ) throws {
    try Signature.removeStale(of: outputs)
    try delivery.settings.signature?.sign(
      outputs.map(\.filePaths), unattended: cancellation)
    guard delivery.settings.upload != nil else { return }
    let request = try UploadRequest(delivery.settings, of: CommandTable.batch, isQuiet: true)
    try request.perform(
      outputs.map { UploadFile.Output(folder: delivery.root, files: $0.filePaths) }, cancellation)
  }

  /// Executes the arguments, and reports errors to the user.
  static func run(_ arguments: ArraySlice<String>, _ stages: [any Stage.Type]) -> ExitCode {
    do {
      return try dispatch(arguments, stages)
    } catch let error as FileError where error.isClosedStandardOutput {
      return error.exitCode
    } catch {
      return Messages.report(error)
    }
  }

  private static func dispatch(
    _ arguments: ArraySlice<String>, _ stages: [any Stage.Type]
  ) throws -> ExitCode {
    guard let first = arguments.first else {
      try StandardStream.errors.write(HelpPage.command())
      return .usage
    }
    switch first {
    case "--help", "-h":
      try StandardStream.output.write(HelpPage.command())
      return .success
    case "--version":
      try StandardStream.output.write(DoctorVerb.versions)
      return .success
    case CompletionCandidates.option:
      let lines = CompletionCandidates(arguments.dropFirst(), stages: stages).lines
      try StandardStream.output.write(lines.map { $0 + "\n" }.joined())
      return .success
    default:
      if first.hasPrefix("-") { throw UsageError("unknown option '\(first)'") }
      return try perform(arguments, stages)
    }
  }

  /// The parsed words; an option that is meant for the pipeline or a stage is told as such.
  private static func invocation(
    of verb: Verb, _ words: ArraySlice<String>, _ stages: [any Stage.Type]
  ) throws -> Invocation {
    do {
      return try Invocation(verb, words, stages: stages)
    } catch let error as UsageError {
      throw MisplacedOption(error, of: verb, in: Array(words), stages)?.error ?? error
    }
  }

  private static func perform(
    _ words: ArraySlice<String>, _ stages: [any Stage.Type]
  ) throws -> ExitCode {
    Signals.takeOver()
    let (verb, rest) = try CommandTable.call(words, stages: stages.map { $0.name })
    LastWord.note("in 'meshpipe \(verb.name)'")
    let invocation = try invocation(of: verb, rest, stages)
    if invocation.settings.requiresConfinement { Confinement.require() }
    if invocation.has(.help) {
      try StandardStream.output.write(HelpPage.verb(verb, variables: VariableHelp(invocation)))
      return .success
    }
    return try verb.perform(invocation)
  }
}
