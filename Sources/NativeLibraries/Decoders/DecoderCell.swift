import MeshpipeBase
import POSIX

/// A process that decodes one file after the other with one library, and can do nothing else.
///
/// It gets bytes or open files and returns bytes. Used by one thread at a time.
final class DecoderCell: @unchecked Sendable {
  /// What a task may take.
  struct Limits {
    var seconds = 60.0
    /// Bytes of memory, besides programs and libraries.
    var memory: Int
    /// The most bytes of the answer.
    var answer: Int
    /// Whether the answer is pixels.
    var isOfPixels = false
    /// What the task is for; when it is cancelled, the cell is ended.
    var run: (any Cancellable)?
  }

  let library: DecoderLibrary
  private var process: WireProcess
  let memory: SharedMemory?

  /// Enough for 320 million pixels, more than any picture may have; untouched pages take no memory.
  static let sharedSize = 5 << 28

  /// Starts a cell.
  ///
  /// - Throws: A failure without a fault of any file, or a crash of the library as it is opened.
  init(_ library: DecoderLibrary, executable: String) throws(CellFailure) {
    self.library = library
    let memory = SharedMemory(size: Self.sharedSize)
    self.memory = memory
    let arguments = DecoderServer.arguments(library, sharedSize: memory?.size ?? 0)
    struct Started: @unchecked Sendable { var result: Result<WireProcess, WorkerError> }
    nonisolated(unsafe) let shared = memory
    let started = LastingThread.run {
      Started(
        result: Result { () throws(WorkerError) in
          try WireProcess(
            executable: executable, arguments: arguments,
            environment: WireProcess.workerEnvironment, seconds: Self.startSeconds,
            shared: unsafe shared, run: Cancellation())
        })
    }
    switch started?.result {
    case .success(let process)?: self.process = process
    case .failure(let error)?: throw CellFailure(error)
    case nil: throw .noRoom("no thread can be created")
    }
    try greet(executable)
  }

  /// More than loading a library takes on a busy machine.
  private static let startSeconds = 120.0

  private func greet(_ executable: String) throws(CellFailure) {
    let hello: CellMessage
    do {
      hello = try receive(Limits(seconds: Self.startSeconds, memory: .max, answer: 0))
    } catch .nonsense(let reason) {
      throw .notStarted("\(executable): \(reason); is it another version of meshpipe?")
    }
    guard hello.outcome == .done else { throw .notStarted(hello.text) }
    guard hello.text == meshpipeVersion else {
      throw .notStarted("\(executable) has version \(hello.text), not \(meshpipeVersion)")
    }
    if hello.numbers != [1], Confinement.isRequired { throw CellFailure(.unconfined) }
  }

  /// Does a task.
  ///
  /// - Parameter files: Open files for it, which stay open here.
  func answer(
    to request: CellMessage, files: [Int32] = [], _ limits: Limits
  ) throws(CellFailure) -> CellMessage {
    try send(request, files: files, limits)
    return try receive(limits)
  }

  /// Sends a request, whose answer must be received before the next.
  func send(
    _ request: CellMessage, files: [Int32] = [], _ limits: Limits
  ) throws(CellFailure) {
    process.allow(seconds: limits.seconds, for: limits.run)
    do {
      try request.write(
        to: &process, through: memory, allowance: limits.memory, files: files.count)
      // What is lost here is missed by a cell that lives.
      for file in files where !process.send(descriptor: file) { process.closeInput() }
    } catch {
      throw failure(error, limits)
    }
  }

  /// Waits for the answer to the last request.
  func receive(_ limits: Limits) throws(CellFailure) -> CellMessage {
    process.allow(seconds: limits.seconds, for: limits.run)
    do {
      let header = try CellMessage.header(from: &process, mostBytes: limits.answer)
      let answer = try CellMessage(
        header, from: &process, through: memory, isOfPixels: limits.isOfPixels)
      memory?.trim()
      return answer
    } catch {
      throw failure(error, limits)
    }
  }

  private func failure(_ error: any Error, _ limits: Limits) -> CellFailure {
    defer { process.killGroup() }
    if let error = error as? WireError, error != .truncated { return .nonsense(error.message) }
    if error as? ProcessInterruption == .cancelled { return .cancelled }
    guard error is WireError else { return .deadline(seconds: limits.seconds) }
    guard let ending = try? process.waitForEnd() else { return .deadline(seconds: limits.seconds) }
    switch (ending.exitStatus, ending.signal) {
    case (ExitCode.temporary.rawValue, _), (_, SIGKILL):
      // The status of an allocation that failed, or the kernel's signal when memory runs out.
      return .memory(limit: min(limits.memory, DecoderServer.memoryCeiling))
    case (_, let signal?): return .ended(signal: signal, said: process.lastErrorLine)
    case (let status, nil):
      let said = process.lastErrorLine
      return .nonsense(
        "the process ended with status \(status ?? -1)" + (said.isEmpty ? "" : ": \(said)"))
    }
  }
}
