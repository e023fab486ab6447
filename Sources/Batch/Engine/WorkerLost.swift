public import MeshPipeline
import NativeLibraries

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// No worker lives long enough to do anything.
public struct WorkerLost: UserError, Equatable {
  /// What the last one said.
  public var words: String

  public var exitCode: ExitCode { .software }
  public var message: String {
    "the workers of the batch end as soon as they are started"
      + (words.isEmpty ? "" : "; the last words of one: \(words)")
  }
}

extension WorkerLost {
  /// What is recorded of an item whose worker ended in the middle of it.
  static func entry(for ending: ProcessEnding?, words: String) -> JournalEntry {
    var entry: JournalEntry
    switch (ending?.signal, ending?.exitStatus) {
    case (SIGKILL?, _), (SIGTERM?, _), (SIGINT?, _), (SIGHUP?, _):
      // The kernel ends a process so when memory runs out.
      entry = limit("its worker was killed (signal \(ending?.signal ?? 0))")
    case (let signal?, _):
      entry = JournalEntry(item: "", state: .failed, exitCode: .software)
      entry.error = "its worker crashed (signal \(signal))"
    case (_, ExitCode.temporary.rawValue?): entry = limit("its worker ran out of memory")
    case (_, let status):
      entry = JournalEntry(item: "", state: .failed, exitCode: .software)
      entry.error = "its worker ended with status \(status ?? -1)"
    }
    if !words.isEmpty { entry.error += "; its last words: \(words)" }
    entry.peakMemory = ending?.peakMemory ?? 0
    return entry
  }

  /// What is recorded of an item that was given up for a limit.
  static func limit(_ message: String) -> JournalEntry {
    var entry = JournalEntry(item: "", state: .temporary, exitCode: .temporary)
    entry.error = message
    return entry
  }
}
