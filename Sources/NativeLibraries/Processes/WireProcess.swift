internal import CSandbox
package import MeshpipeBase
import POSIX

/// A running program that exchanges messages, with a deadline.
///
/// While waiting for its input or output, its error stream is drained, so that neither blocks the
/// other. Not thread-safe: the kernel ends the program when the thread that started it ends.
package final class WireProcess {
  /// Further output on the error stream is discarded, in bytes.
  private static let errorLimit = 1 << 14
  /// The interval of checking for cancellation, in milliseconds.
  private static let pollInterval: Int32 = 20
  /// The interval of checking the memory, in seconds.
  private static let memoryInterval = 0.1
  /// How long a supervisor may take to end its descendants.
  private static let endingSeconds = 5.0

  private let program: RunningProgram
  private var deadline: Double
  private let memory: Int?
  private var nextMemoryCheck: Double
  private var run: any Cancellable
  /// The number of bytes received while waiting for its end.
  package private(set) var surplus = 0

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - seconds: The time after which waiting for it throws ``ProcessInterruption/deadline``.
  ///   - memory: The resident memory, including its descendants, beyond which waiting for it throws
  ///     ``ProcessInterruption/memory``; nil for no limit.
  ///   - shared: Memory that the program gets as ``SharedMemory/childDescriptor``.
  ///   - run: Waiting throws ``ProcessInterruption/cancelled`` when it is cancelled.
  /// - Throws: ``WorkerError/notStarted(executable:reason:)``.
  package init(
    executable: String, arguments: [String], environment: [String], seconds: Double,
    memory: Int? = nil, shared: SharedMemory? = nil, run: any Cancellable
  ) throws(WorkerError) {
    program = try RunningProgram(
      executable: executable, arguments: arguments, environment: environment,
      shared: shared?.descriptor ?? -1, keeping: .first(Self.errorLimit))
    deadline = MonotonicClock.seconds + seconds
    self.memory = memory
    nextMemoryCheck = MonotonicClock.seconds + Self.memoryInterval
    self.run = run
  }

  /// The last line of the error output.
  package var lastErrorLine: String { program.lastErrorLine }

  /// The error output, line by line.
  package var errorLines: [String] { program.errorLines }

  /// Gives the program this many seconds from now on for its next task.
  ///
  /// - Parameter run: Waiting throws ``ProcessInterruption/cancelled`` when it is cancelled.
  func allow(seconds: Double, for run: (any Cancellable)?) {
    deadline = MonotonicClock.seconds + seconds
    self.run = run ?? Cancellation()
  }

  /// Hands a descriptor to the program; false if it takes none.
  func send(descriptor: Int32) -> Bool {
    program.input >= 0 && sandbox_send_descriptor(program.input, descriptor) == 0
  }

  /// Kills the program and its process group.
  package func killGroup() { program.killGroup() }

  /// Ends a ``ProgramSupervisor``, which ends all its descendants, and waits for that.
  package func endSupervised() {
    program.terminate()
    let end = MonotonicClock.seconds + Self.endingSeconds
    _ = program.waitForEnd { MonotonicClock.seconds < end }
  }

  /// Closes the program's input, so that it sees the end.
  package func closeInput() { program.closeInput() }

  /// Waits for the program to exit by itself.
  ///
  /// - Throws: ``ProcessInterruption``.
  package func waitForEnd() throws -> ProcessEnding {
    closeInput()
    while program.errors >= 0 || program.output >= 0 {
      try wait(forOutput: true)
      // Remaining output is irrelevant.
      program.receiveAll { surplus += $0.count }
    }
    let ending = try program.waitForEnd {
      try checkInterruption()
      return true
    }
    // It waits until there is one.
    return ending ?? ProcessEnding()
  }

  private func checkInterruption() throws {
    let now = MonotonicClock.seconds
    guard now < deadline else { throw ProcessInterruption.deadline }
    if let memory, now >= nextMemoryCheck {
      nextMemoryCheck = now + Self.memoryInterval
      guard program.residentMemory <= memory else { throw ProcessInterruption.memory }
    }
    do { try run.checkCancellation() } catch { throw ProcessInterruption.cancelled }
  }

  /// Waits a while for the program's output, or until it takes input, and drains its error stream.
  private func wait(forOutput: Bool) throws {
    try checkInterruption()
    var polled = [
      pollfd(
        fd: forOutput ? program.output : program.input,
        events: Int16(forOutput ? POLLIN : POLLOUT), revents: 0),
      pollfd(fd: program.errors, events: Int16(POLLIN), revents: 0),
    ]
    RunningProgram.wait(for: &polled, milliseconds: Self.pollInterval)
    if polled[1].revents != 0 { program.receiveErrors() }
  }
}

extension WireProcess: WireOutput {
  /// Sends to the program's input; if it is closed, the rest is discarded.
  package func write(_ bytes: RawSpan) throws {
    var sent = 0
    while sent < bytes.byteCount, program.input >= 0 {
      try wait(forOutput: false)
      unsafe bytes.withUnsafeBytes { buffer in
        sent += unsafe program.send(UnsafeRawBufferPointer(rebasing: buffer[sent...]))
      }
    }
  }
}

extension WireProcess: WireInput {
  /// Fills a buffer from the program's output.
  ///
  /// - Throws: ``WireError/truncated`` if the program closes it too early.
  package func read(into buffer: inout MutableRawSpan) throws {
    var filled = 0
    let total = buffer.byteCount
    while filled < total {
      guard program.output >= 0 else { throw WireError.truncated }
      try wait(forOutput: true)
      filled += unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe program.receive(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
      }
    }
  }
}

extension WireProcess {
  /// The environment of processes for foreign code.
  ///
  /// Only what the loader, sanitizers and reproducible output need; no crash reporter, which would
  /// start a debugger within the limits, and a single malloc arena, since many would exhaust the
  /// limits.
  package static var workerEnvironment: [String] {
    let kept = [
      "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "ASAN_OPTIONS",
      "TSAN_OPTIONS", "LLVM_PROFILE_FILE", "SOURCE_DATE_EPOCH",
    ]
    let inherited = kept.compactMap { name in
      FileSystem.environment(name).map { "\(name)=\($0)" }
    }
    return inherited + ["SWIFT_BACKTRACE=enable=no", "MALLOC_ARENA_MAX=1", "LC_ALL=C", "TZ=UTC"]
  }
}
