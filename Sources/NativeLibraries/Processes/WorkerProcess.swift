internal import CSandbox
import MeshPipeline
import POSIX

/// A child process for many requests; one thread can watch several of them.
///
/// Lines are sent to its standard input and received from its standard output, both in UTF-8. Only
/// ``wait(for:or:seconds:)`` and ``kill()`` block. Start and use it on one thread: with that thread
/// the child ends, if it is tied to its parent (``tieToParent(_:)``).
package final class WorkerProcess {
  /// Older output on the error stream is discarded beyond this size.
  private static let speechLimit = 1 << 13

  package let id: Int32
  private var input: Int32
  private var output: Int32
  private var errors: Int32
  private var outgoing: [UInt8] = []
  private var incoming: [UInt8] = []
  private var speech: [UInt8] = []
  private var ending: ProcessEnding?

  /// Starts a program in its own process group, with the environment of this process.
  ///
  /// - Parameter variables: Added to the environment, as `NAME=VALUE`.
  /// - Throws: ``WorkerError/notStarted(executable:reason:)``.
  package init(
    executable: String, arguments: [String], variables: [String] = []
  ) throws(WorkerError) {
    let child = try StartedChild(
      executable: executable, arguments: arguments,
      environment: Self.environment(adding: variables))
    (id, input, output, errors) = (child.id, child.input, child.output, child.errors)
    for descriptor in [output, errors] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    kill()
    for descriptor in [input, output, errors] where descriptor >= 0 { close(descriptor) }
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

  // MARK: Talking

  /// Sends a line, the part that does not fit when waiting next; if the child has ended, it is
  /// discarded.
  package func send(_ line: String) {
    outgoing += line.utf8
    outgoing.append(UInt8(ascii: "\n"))
    flush()
  }

  private func flush() {
    while !outgoing.isEmpty, input >= 0 {
      let count = unsafe outgoing.withUnsafeBytes { bytes in
        unsafe sandbox_send(input, bytes.baseAddress, bytes.count)
      }
      if count > 0 {
        outgoing.removeFirst(count)
      } else if count == -Int(EAGAIN) {
        return
      } else if count != -Int(EINTR) {
        outgoing = []
      }
    }
  }

  /// Closes the child's input, so that it sees the end.
  package func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// The lines received since the last call.
  package func receive() -> [String] {
    drainErrors()
    Self.drain(&output) { incoming += $0 }
    guard let end = incoming.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    let lines = incoming[..<end].split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: $0, as: UTF8.self) }
    incoming.removeFirst(end + 1)
    return lines
  }

  /// Whether no more lines will come, since the child has closed its output.
  package var isSilent: Bool { output < 0 }

  /// The child's last error output, on one line.
  package var lastWords: String {
    drainErrors()
    let text = String(decoding: speech, as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).last.map { String($0.prefix(300)) } ?? ""
  }

  /// Clears the recorded error output.
  package func forgetWords() {
    drainErrors()
    speech = []
  }

  private func drainErrors() {
    Self.drain(&errors) { bytes in
      speech += bytes
      speech.removeFirst(max(0, speech.count - Self.speechLimit))
    }
  }

  /// Reads everything available; closes the descriptor at the end.
  private static func drain(_ descriptor: inout Int32, _ body: ([UInt8]) -> Void) {
    while descriptor >= 0 {
      var count = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, filled in
        unsafe count = readDescriptor(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
        filled = max(0, count)
      }
      if count > 0 {
        body(bytes)
      } else if count == 0 || errno != EAGAIN && errno != EINTR {
        close(descriptor)
        descriptor = -1
      } else if errno == EAGAIN {
        return
      }
    }
  }

  // MARK: Waiting and ending

  /// Waits until one of the processes sends something or ends, or a descriptor is readable.
  package static func wait(
    for processes: [WorkerProcess], or descriptors: [Int32], seconds: Double
  ) {
    var polled: [pollfd] = []
    for process in processes {
      process.flush()
      for descriptor in [process.output, process.errors] where descriptor >= 0 {
        polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
      }
      if !process.outgoing.isEmpty, process.input >= 0 {
        polled.append(pollfd(fd: process.input, events: Int16(POLLOUT), revents: 0))
      }
    }
    polled += descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = unsafe poll(&polled, nfds_t(polled.count), Int32(min(max(0, seconds), 60) * 1000))
  }

  /// How the child ended; nil while it runs.
  package func pollEnd() -> ProcessEnding? {
    if ending == nil { reap(WNOHANG) }
    return ending
  }

  /// Kills the child and its process group, and waits for that.
  package func kill() {
    if ending != nil { return }
    systemKill(-id, SIGKILL)
    reap(0)
  }

  private func reap(_ options: Int32) {
    var status: Int32 = 0
    var usage = rusage()
    while true {
      let reaped = unsafe wait4(id, &status, options, &usage)
      if reaped == id { ending = ProcessEnding(status: status, usage: usage) }
      if reaped >= 0 || errno != EINTR { return }
    }
  }
}

extension WorkerProcess {
  /// In the child, arranges for it to end when the process `parent` does.
  ///
  /// - Returns: False if the parent has already ended.
  package static func tieToParent(_ parent: Int32) -> Bool { sandbox_bind_to_parent(parent) == 0 }

  /// The resident memory of the child and its descendants, in bytes; 0 if it has ended or the
  /// system does not report it.
  package var residentMemory: Int { Int(sandbox_resident_memory(id)) }
}

private func systemKill(_ process: pid_t, _ signal: Int32) {
  _ = POSIX.kill(process, signal)
}
