import Batch
import Formats
import MeshPipeline
import Plugins

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@main
struct Command {
  static func main() {
    if let status = PluginHost.runIfAsked(CommandLine.arguments.dropFirst()) { exit(status) }
    if let status = AssimpWorker.runIfAsked(CommandLine.arguments.dropFirst()) { exit(status) }
    if let status = BatchWorker.runIfAsked(
      CommandLine.arguments.dropFirst(),
      environment: { CommandEnvironment(PluginSearch(folders: $0.pluginFolders)).pipelines })
    {
      exit(status)
    }
    let code = run(CommandLine.arguments.dropFirst())
    RunEnd.perform()
    // Told to end, the process ends with that code, whatever the error was that came of it.
    exit(code == .success ? 0 : Signals.exitStatus ?? code.rawValue)
  }

  /// Does what the arguments say, and tells the user when that fails.
  static func run(_ arguments: ArraySlice<String>) -> ExitCode {
    do {
      return try dispatch(arguments)
    } catch let error as FileError where error.isClosedStandardOutput {
      return error.exitCode
    } catch {
      return Messages.report(error)
    }
  }

  private static func dispatch(_ arguments: ArraySlice<String>) throws -> ExitCode {
    guard let first = arguments.first else {
      try StandardStream.errors.write(HelpPage.command())
      return .usage
    }
    switch first {
    case "--help", "-h":
      try StandardStream.output.write(HelpPage.command())
      return .success
    case "--version":
      try StandardStream.output.write("meshpipe \(meshpipeVersion)\n")
      return .success
    default:
      if first.hasPrefix("-") { throw UsageError("unknown option '\(first)'") }
      return try perform(arguments)
    }
  }

  private static func perform(_ words: ArraySlice<String>) throws -> ExitCode {
    Signals.takeOver()
    let (verb, rest) = try CommandTable.call(words)
    let invocation = try Invocation(verb, rest)
    if invocation.has(.help) {
      try StandardStream.output.write(HelpPage.verb(verb, variables: VariableHelp(invocation)))
      return .success
    }
    return try verb.perform(invocation)
  }
}
