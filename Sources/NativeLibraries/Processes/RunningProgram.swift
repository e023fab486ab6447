internal import CSandbox
import MeshpipeBase
import MeshpipeScene
import POSIX

/// A program running in its own process group, with this process's ends of its three streams.
///
/// It can't outlive its owner. Nothing here waits, except ``killGroup()`` and ``waitForEnd(_:)``;
/// ``WireProcess`` and ``LineProcess`` say what is sent and when to wait. Not thread-safe.
final class RunningProgram {
  /// Which part of a long error output is kept, in bytes.
  enum KeptErrors {
    case first(Int)
    case last(Int)
  }

  let id: pid_t
  /// A socket, so that writing to a program that has ended raises no signal; -1 when closed.
  private(set) var input: Int32
  /// -1 when closed.
  private(set) var output: Int32
  /// -1 when closed.
  private(set) var errors: Int32
  /// How it ended; nil until that is noticed.
  private(set) var ending: ProcessEnding?
  private var errorText: [UInt8] = []
  private let keptErrors: KeptErrors

  /// Starts a program.
  ///
  /// - Parameter shared: A descriptor that it gets as ``SharedMemory/childDescriptor``; negative
  ///   for none.
  /// - Throws: ``WorkerError/notStarted(executable:reason:)``.
  init(
    executable: String, arguments: [String], environment: [String], shared: Int32 = -1,
    keeping keptErrors: KeptErrors
  ) throws(WorkerError) {
    var opened: [Int32] = []
    func failed(_ error: Int32) -> WorkerError {
      for descriptor in opened { close(descriptor) }
      if [EAGAIN, ENOMEM, EMFILE, ENFILE].contains(error) {
        return .noRoom(reason: text(ofError: error))
      }
      return .notStarted(executable: executable, reason: text(ofError: error))
    }
    func pair(
      _ make: (UnsafeMutablePointer<Int32>) -> Int32
    ) throws(WorkerError) -> (Int32, Int32) {
      var ends: (Int32, Int32) = (-1, -1)
      let error = unsafe withUnsafeMutablePointer(to: &ends) { ends in
        unsafe ends.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe make($0) }
      }
      guard error == 0 else { throw failed(error) }
      opened += [ends.0, ends.1]
      return ends
    }
    let inputEnds = try unsafe pair(sandbox_socket_pair)
    let outputEnds = try unsafe pair(sandbox_pipe)
    let errorEnds = try unsafe pair(sandbox_pipe)
    var process: pid_t = 0
    let error = unsafe withCStrings([executable] + arguments) { arguments in
      unsafe withCStrings(environment) { environment in
        unsafe sandbox_spawn(
          executable.systemPath, arguments, environment, inputEnds.0, outputEnds.1, errorEnds.1,
          shared, &process)
      }
    }
    guard error == 0 else { throw failed(error) }
    for descriptor in [inputEnds.0, outputEnds.1, errorEnds.1] { close(descriptor) }
    (id, input, output, errors) = (process, inputEnds.1, outputEnds.0, errorEnds.0)
    self.keptErrors = keptErrors
    for descriptor in [output, errors] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    killGroup()
    for descriptor in [input, output, errors] where descriptor >= 0 { close(descriptor) }
  }

  // MARK: Streams

  /// Sends as many bytes as the program can take now; closes its input if it has done so itself.
  ///
  /// - Returns: The number of bytes sent.
  func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    var sent = 0
    while sent < bytes.count, input >= 0 {
      let count = unsafe sandbox_send(
        input, bytes.baseAddress.map { unsafe $0 + sent }, bytes.count - sent)
      if count > 0 {
        sent += count
      } else if count == -Int(EAGAIN) {
        break
      } else if count != -Int(EINTR) {
        closeInput()
      }
    }
    return sent
  }

  /// Receives what there is of the program's output, and notices its end.
  ///
  /// - Returns: The number of bytes received; 0 also if there are none yet.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    unsafe Self.receive(from: &output, into: buffer)
  }

  /// Passes on the output that there is, up to what a pipe holds.
  func receiveAll(_ body: ([UInt8]) -> Void) { Self.receiveAll(from: &output, body) }

  /// Keeps what there is of the program's error output, up to what a pipe holds.
  func receiveErrors() {
    Self.receiveAll(from: &errors) { bytes in
      switch keptErrors {
      case .first(let limit): errorText += bytes.prefix(limit - errorText.count)
      case .last(let limit):
        errorText += bytes
        errorText.removeFirst(max(0, errorText.count - limit))
      }
    }
  }

  private static func receiveAll(from descriptor: inout Int32, _ body: ([UInt8]) -> Void) {
    var count = 0
    // What a pipe holds; a program that never stops must not keep its reader from its deadline.
    var rounds = 1 << 4
    repeat {
      rounds -= 1
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, filled in
        unsafe count = receive(from: &descriptor, into: UnsafeMutableRawBufferPointer(buffer))
        filled = count
      }
      if count > 0 { body(bytes) }
    } while count > 0 && rounds >= 0
  }

  private static func receive(
    from descriptor: inout Int32, into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    while descriptor >= 0 {
      let count = unsafe readDescriptor(descriptor, into: buffer)
      if count > 0 { return count }
      if count < 0, errno == EAGAIN { return 0 }
      if count == 0 || errno != EINTR {
        close(descriptor)
        descriptor = -1
      }
    }
    return 0
  }

  /// Closes the program's input, so that it sees the end.
  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// The kept error output, line by line.
  var errorLines: [String] {
    String(decoding: errorText, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
  }

  /// The last line of the kept error output.
  var lastErrorLine: String { errorLines.last.map { String($0.prefix(300)) } ?? "" }

  func forgetErrors() { errorText = [] }

  /// Waits until one of the descriptors is ready for its events, for a limited time.
  ///
  /// - Parameter polled: Negative descriptors are passed over.
  static func wait(for polled: inout [pollfd], milliseconds: Int32) {
    _ = unsafe poll(&polled, nfds_t(polled.count), milliseconds)
  }

  // MARK: End

  /// Notices the program's end.
  ///
  /// - Returns: How it ended; nil while it runs.
  func reap() -> ProcessEnding? { reap(WNOHANG) }

  private func reap(_ options: Int32) -> ProcessEnding? {
    if let ending { return ending }
    var status: Int32 = 0
    var usage = rusage()
    while true {
      let reaped = unsafe wait4(id, &status, options, &usage)
      if reaped == id { ending = ProcessEnding(status: status, usage: usage) }
      if reaped >= 0 || errno != EINTR { return ending }
    }
  }

  /// Waits for the end of the program, which nothing in its streams shows.
  ///
  /// - Parameter goesOn: Asked at intervals of 0.1 to 10 milliseconds whether to wait longer.
  /// - Returns: Nil if it still runs.
  func waitForEnd(while goesOn: () throws -> Bool) rethrows -> ProcessEnding? {
    var pause: useconds_t = 100
    while reap() == nil, try goesOn() {
      usleep(pause)
      pause = min(pause * 2, 10_000)
    }
    return ending
  }

  /// Asks the program to end.
  func terminate() { if ending == nil { kill(id, SIGTERM) } }

  /// Kills the program and its process group, and waits for that.
  func killGroup() {
    guard ending == nil else { return }
    kill(-id, SIGKILL)
    _ = reap(0)
  }

  /// The resident memory of the program and its descendants, in bytes; 0 if it has ended or the
  /// system does not report it.
  var residentMemory: Int { Int(sandbox_resident_memory(id)) }
}

/// Calls `body` with a nil-terminated list of C strings.
@unsafe
func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers = unsafe strings.map { unsafe strdup($0.systemPath) }
  unsafe pointers.append(nil)
  defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
  return unsafe body(&pointers)
}
