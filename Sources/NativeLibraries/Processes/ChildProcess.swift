internal import CSandbox
import MeshPipeline
import POSIX

/// A running child with its three streams, a deadline, and no way to outlive its owner.
///
/// While waiting for the child's input or output, its error stream is drained, so that neither
/// blocks the other. Not thread-safe: the kernel ends the child when the thread that started it
/// ends.
final class ChildProcess {
  /// Further output on the error stream is discarded.
  private static let speechLimit = 1 << 14
  /// The interval of checking for cancellation, in milliseconds.
  private static let patience: Int32 = 20
  /// The interval of checking the memory, in seconds.
  private static let memoryInterval = 0.1
  /// How long a supervisor may take to end its descendants.
  private static let endingSeconds = 5.0

  private let process: pid_t
  private var input: Int32
  private var output: Int32
  private var errors: Int32
  private let deadline: Double
  private let memory: Int?
  private var nextMemoryLook: Double
  private let context: StageContext
  private var ending: ProcessEnding?
  /// The beginning of the child's error stream.
  private var speech: [UInt8] = []
  /// The number of bytes received while waiting for its end.
  private(set) var surplus = 0

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - seconds: The time after which waiting for it throws ``ProcessInterruption/deadline``.
  ///   - memory: The resident memory, including its descendants, beyond which waiting for it throws
  ///     ``ProcessInterruption/memory``; nil for no limit.
  ///   - shared: Memory that the child gets as ``SharedMemory/childDescriptor``.
  /// - Throws: ``WorkerError/notStarted(executable:reason:)``.
  init(
    executable: String, arguments: [String], environment: [String], seconds: Double,
    memory: Int? = nil, shared: SharedMemory? = nil, context: StageContext
  ) throws(WorkerError) {
    let child = try StartedChild(
      executable: executable, arguments: arguments, environment: environment,
      shared: shared?.descriptor ?? -1)
    (process, input, output, errors) = (child.id, child.input, child.output, child.errors)
    deadline = MonotonicClock.seconds + seconds
    self.memory = memory
    nextMemoryLook = MonotonicClock.seconds + Self.memoryInterval
    self.context = context
  }

  deinit {
    if ending == nil {
      killGroup()
      var status: Int32 = 0
      while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
    for descriptor in [input, output, errors] where descriptor >= 0 { close(descriptor) }
  }

  /// The child's error output, on one line.
  var lastWords: String {
    let text = String(decoding: speech, as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).last.map { String($0.prefix(300)) } ?? ""
  }

  /// The child's error output, line by line.
  var speechLines: [String] {
    String(decoding: speech, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
  }

  /// Kills the child and its process group.
  func killGroup() {
    kill(-process, SIGKILL)
  }

  /// Ends a ``ProgramSupervisor`` child, which ends all its descendants, and waits for that.
  func endSupervised() {
    guard ending == nil else { return }
    kill(process, SIGTERM)
    let end = MonotonicClock.seconds + Self.endingSeconds
    while MonotonicClock.seconds < end {
      if reap() != nil { return }
      usleep(500)
    }
  }

  /// Closes the child's input, so that it sees the end.
  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Waits for the child to exit by itself.
  func waitForEnd() throws -> ProcessEnding {
    if let ending { return ending }
    closeInput()
    while errors >= 0 || output >= 0 {
      // Remaining output is irrelevant.
      guard try wait(forOutput: true) else { continue }
      if let bytes = try receive(output) { surplus += bytes.count } else { closeOutput() }
    }
    var pause: useconds_t = 100
    while true {
      if let ending = reap() { return ending }
      try checkInterruption()
      usleep(pause)
      pause = min(pause * 2, 10_000)
    }
  }

  /// How the child ended; nil while it runs.
  private func reap() -> ProcessEnding? {
    var status: Int32 = 0
    var usage = rusage()
    guard unsafe wait4(process, &status, WNOHANG, &usage) == process else { return nil }
    ending = ProcessEnding(status: status, usage: usage)
    return ending
  }

  // MARK: Waiting

  private func checkInterruption() throws {
    let now = MonotonicClock.seconds
    guard now < deadline else { throw ProcessInterruption.deadline }
    if let memory, now >= nextMemoryLook {
      nextMemoryLook = now + Self.memoryInterval
      guard sandbox_resident_memory(process) <= memory else { throw ProcessInterruption.memory }
    }
    do { try context.checkCancellation() } catch { throw ProcessInterruption.cancelled }
  }

  /// Waits until the child's output (or its input) is ready, draining its error stream.
  ///
  /// - Returns: Whether it is ready; false after another event.
  private func wait(forOutput: Bool) throws -> Bool {
    try checkInterruption()
    var descriptors = [
      pollfd(
        fd: forOutput ? output : input, events: Int16(forOutput ? POLLIN : POLLOUT), revents: 0),
      pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
    ]
    let ready = unsafe poll(&descriptors, nfds_t(descriptors.count), Self.patience)
    guard ready > 0 else { return false }
    if descriptors[1].revents != 0 {
      if let said = try receive(errors) {
        speech += said.prefix(Self.speechLimit - speech.count)
      } else {
        close(errors)
        errors = -1
      }
    }
    return descriptors[0].revents != 0
  }

  /// Up to 64 kB of the available output, or nil at the end.
  private func receive(_ descriptor: Int32) throws -> [UInt8]? {
    guard descriptor >= 0 else { return nil }
    let size = 1 << 16
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      unsafe count = max(0, readDescriptor(descriptor, into: UnsafeMutableRawBufferPointer(buffer)))
    }
    return bytes.isEmpty ? nil : bytes
  }

  private func closeOutput() {
    if output >= 0 { close(output) }
    output = -1
  }
}

extension ChildProcess: WireOutput {
  /// Sends to the child's input; if it is closed, the rest is discarded.
  func write(_ bytes: RawSpan) throws {
    var sent = 0
    while sent < bytes.byteCount, input >= 0 {
      guard try wait(forOutput: false) else { continue }
      let count = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[sent...])
        return unsafe sandbox_send(input, rest.baseAddress, rest.count)
      }
      if count > 0 {
        sent += count
      } else if count != -Int(EAGAIN), count != -Int(EINTR) {
        closeInput()
      }
    }
  }
}

extension ChildProcess: WireInput {
  /// Fills a buffer from the child's output.
  ///
  /// - Throws: ``WireError/truncated`` if the child closes it too early.
  func read(into buffer: inout MutableRawSpan) throws {
    var filled = 0
    let total = buffer.byteCount
    while filled < total {
      guard try wait(forOutput: true) else { continue }
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe readDescriptor(
          output, into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
      }
      if count > 0 {
        filled += count
      } else if count == 0 || errno != EINTR {
        throw WireError.truncated
      }
    }
  }
}
