internal import CSandbox
import MeshPipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A running child with its three streams, a deadline, and no way to outlive its owner.
///
/// Whoever waits here, for room in the child's input or for its output, drains what the child says on
/// its error stream all the while, so that neither can block the other. Not for more than one thread:
/// the kernel ends the child when the thread that started it ends.
final class ChildProcess {
  /// Why the child was ended from here.
  enum Interruption: Error {
    case deadline, cancelled
  }

  /// More of what the child says is thrown away.
  private static let speechLimit = 1 << 14
  /// How soon a cancellation is noticed.
  private static let patience: Int32 = 20

  private let process: pid_t
  private var input: Int32
  private var output: Int32
  private var errors: Int32
  private let deadline: Double
  private let context: StageContext
  private var ending: ProcessEnding?
  /// The beginning of what the child wrote to its error stream.
  private var speech: [UInt8] = []

  /// Starts a program.
  ///
  /// - Parameter seconds: The time after which waiting for it throws ``Interruption/deadline``.
  /// - Throws: ``WorkerError/notStarted(executable:reason:)``.
  init(
    executable: String, arguments: [String], environment: [String], seconds: Double,
    context: StageContext
  ) throws(WorkerError) {
    let child = try StartedChild(
      executable: executable, arguments: arguments, environment: environment)
    (process, input, output, errors) = (child.id, child.input, child.output, child.errors)
    deadline = MonotonicClock.seconds + seconds
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

  /// What the child said on its error stream, in one line.
  var lastWords: String {
    let text = String(decoding: speech, as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).last.map { String($0.prefix(300)) } ?? ""
  }

  /// Ends the child and everything that it started.
  func killGroup() {
    kill(-process, SIGKILL)
  }

  /// Closes the child's input, so that it sees the end of it.
  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Waits for the child to end by itself.
  func waitForEnd() throws -> ProcessEnding {
    if let ending { return ending }
    closeInput()
    while errors >= 0 || output >= 0 {
      // What is still in the output is of no use to anybody.
      if try wait(forOutput: true), try receive(output) == nil { closeOutput() }
    }
    var pause: useconds_t = 100
    while true {
      var status: Int32 = 0
      var usage = rusage()
      let reaped = unsafe wait4(process, &status, WNOHANG, &usage)
      if reaped == process {
        let ending = ProcessEnding(status: status, usage: usage)
        self.ending = ending
        return ending
      }
      try checkInterruption()
      usleep(pause)
      pause = min(pause * 2, 10_000)
    }
  }

  // MARK: Waiting

  private func checkInterruption() throws {
    guard MonotonicClock.seconds < deadline else { throw Interruption.deadline }
    do { try context.checkCancellation() } catch { throw Interruption.cancelled }
  }

  /// Waits until the child's output (or else its input) is ready, draining its error stream.
  ///
  /// - Returns: Whether it is; false means that something else happened meanwhile.
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

  /// Up to 64 kB of what is there, or nil at the end.
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
  /// Sends to the child's input; a child that closed it takes the rest as read.
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
  /// - Throws: ``WireError/truncated`` when the child closes it before.
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
