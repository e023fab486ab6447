package import MeshPipeline
import NativeLibraries
import POSIX

/// Workers end before they can do anything.
package struct WorkerFailure: UserError, Equatable {
  /// The output of the last one.
  package var words: String

  package var exitCode: ExitCode { .software }
  package var message: String {
    "the workers of the batch end as soon as they are started"
      + (words.isEmpty ? "" : "; the last output of one: \(words)")
  }
}

extension WorkerFailure {
  /// The result of an item whose worker ended while processing it.
  static func entry(for ending: ProcessEnding?, words: String) -> JournalEntry {
    var entry: JournalEntry
    switch (ending?.signal, ending?.exitStatus) {
    case (SIGKILL?, _), (SIGTERM?, _), (SIGINT?, _), (SIGHUP?, _):
      // The kernel kills a process when memory runs out.
      entry = limit("its worker was killed (signal \(ending?.signal ?? 0))")
    case (let signal?, _):
      entry = JournalEntry(item: "", state: .failed, exitCode: .software)
      entry.error = "its worker crashed (signal \(signal))"
    case (_, ExitCode.temporary.rawValue?): entry = limit("its worker ran out of memory")
    case (_, ExitCode.software.rawValue?):
      entry = JournalEntry(item: "", state: .failed, exitCode: .software)
      // Its last word says more.
      entry.error = "its worker crashed"
    case (_, let status):
      entry = JournalEntry(item: "", state: .failed, exitCode: .software)
      entry.error = "its worker ended with status \(status ?? -1)"
    }
    if !words.isEmpty { entry.error += "; its last output: \(words)" }
    entry.peakMemory = ending?.peakMemory ?? 0
    return entry
  }

  /// The result of an item that exceeded a limit.
  static func limit(_ message: String) -> JournalEntry {
    var entry = JournalEntry(item: "", state: .temporary, exitCode: .temporary)
    entry.error = message
    return entry
  }
}
