internal import CSandbox
import MeshpipeBase
import MeshpipeScene
import POSIX

/// A running program for many requests; one thread can watch several of them.
///
/// Lines are sent to its standard input and received from its standard output, both in UTF-8. Only
/// ``wait(for:or:seconds:)`` and ``kill()`` block. Start and use it on one thread: with that thread
/// the program ends, if it is tied to its parent (``tieToParent(_:)``).
package final class LineProcess {
  /// Older output on the error stream is discarded beyond this size, in bytes.
  private static let errorLimit = 1 << 13

  private let program: RunningProgram
  private var outgoing: [UInt8] = []
  private var incoming: [UInt8] = []

  /// Starts a program in its own process group, with the environment of this process.
  ///
  /// - Parameter variables: Added to the environment, as `NAME=VALUE`.
  /// - Throws: ``WorkerError/notStarted(executable:reason:)``.
  package init(
    executable: String, arguments: [String], variables: [String] = []
  ) throws(WorkerError) {
    program = try RunningProgram(
      executable: executable, arguments: arguments,
      environment: Self.environment(adding: variables), keeping: .last(Self.errorLimit))
  }

  private static func environment(adding variables: [String]) -> [String] {
    let names = variables.map { $0.prefix { $0 != "=" } + "=" }
    var entries: [String] = []
    var next = unsafe sandbox_environment()
    while let list = unsafe next, let entry = unsafe list.pointee {
      let text = unsafe String(systemPath: entry)
      if !names.contains(where: { text.hasPrefix($0) }) { entries.append(text) }
      unsafe next = list + 1
    }
    return entries + variables
  }

  /// The process's number.
  package var id: Int32 { program.id }

  // MARK: Lines

  /// Sends a line, the part that does not fit when waiting next; if the program has ended, it is
  /// discarded.
  package func send(_ line: String) {
    outgoing += line.utf8
    outgoing.append(UInt8(ascii: "\n"))
    flush()
  }

  private func flush() {
    guard !outgoing.isEmpty else { return }
    outgoing.removeFirst(unsafe outgoing.withUnsafeBytes { unsafe program.send($0) })
    if program.input < 0 { outgoing = [] }
  }

  /// Closes the program's input, so that it sees the end.
  package func closeInput() { program.closeInput() }

  /// The lines received since the last call.
  package func receive() -> [String] {
    program.receiveErrors()
    program.receiveAll { incoming += $0 }
    guard let end = incoming.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    let lines = incoming[..<end].split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: $0, as: UTF8.self) }
    incoming.removeFirst(end + 1)
    return lines
  }

  /// Whether no more lines will come, since the program has closed its output.
  package var hasClosedOutput: Bool { program.output < 0 }

  /// The last line of the error output.
  package var lastErrorLine: String {
    program.receiveErrors()
    return program.lastErrorLine
  }

  /// Forgets the error output so far.
  package func forgetErrors() {
    program.receiveErrors()
    program.forgetErrors()
  }

  // MARK: Waiting and ending

  /// Waits until one of the programs sends something or ends, or a descriptor is readable.
  package static func wait(
    for processes: [LineProcess], or descriptors: [Int32], seconds: Double
  ) {
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    for process in processes {
      process.flush()
      let program = process.program
      polled.append(pollfd(fd: program.output, events: Int16(POLLIN), revents: 0))
      polled.append(pollfd(fd: program.errors, events: Int16(POLLIN), revents: 0))
      if !process.outgoing.isEmpty {
        polled.append(pollfd(fd: program.input, events: Int16(POLLOUT), revents: 0))
      }
    }
    RunningProgram.wait(for: &polled, milliseconds: Int32(min(max(0, seconds), 60) * 1000))
  }

  /// How the program ended; nil while it runs.
  package func pollEnd() -> ProcessEnding? { program.reap() }

  /// Kills the program and its process group, and waits for that.
  package func kill() { program.killGroup() }

  /// The resident memory of the program and its descendants, in bytes; 0 if it has ended or the
  /// system does not report it.
  package var residentMemory: Int { program.residentMemory }

  /// In the child, arranges for it to end when the process `parent` does.
  ///
  /// - Returns: False if the parent has already ended.
  package static func tieToParent(_ parent: Int32) -> Bool { sandbox_bind_to_parent(parent) == 0 }
}
