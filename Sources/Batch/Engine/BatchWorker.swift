import Dispatch
package import MeshPipeline
import NativeLibraries
import POSIX
import Synchronization

/// The counterpart of ``BatchEngine`` in a worker process.
///
/// It processes many items. The first line on its standard input is the ``BatchWork``, each further
/// one an item; when the input is closed it cancels the current item and ends.
package enum BatchWorker {
  /// The internal verb that makes the command a worker.
  package static let verb = "__batch"

  /// Finds the place of checkpoints, given the settings and the names of private files.
  package typealias CheckpointsAtHand = @Sendable (RunSettings, ShownPaths) -> CheckpointUse?

  /// How long a cancelled item gets to end.
  private static let gracePeriod: useconds_t = 250_000

  /// Serves a batch if the arguments request it.
  ///
  /// Call it first, before any other thread exists.
  /// - Parameters:
  ///   - environment: The available stages, formats and layouts.
  ///   - checkpoints: Where results of stages are kept.
  ///   - deliver: Signs and uploads outputs.
  /// - Returns: The exit status; nil if the arguments request something else.
  package static func runIfAsked(
    _ arguments: some Collection<String>, environment: (BatchWork) -> PipelineEnvironment,
    checkpoints: @escaping CheckpointsAtHand, deliver: @escaping ItemDelivery.Performer
  ) -> Int32? {
    let words = Array(arguments)
    guard words.first == verb else { return nil }
    guard words.count == 3, let parent = Int32(words[1]) else { return ExitCode.usage.rawValue }
    guard LineProcess.tieToParent(parent) else { return ExitCode.temporary.rawValue }
    guard ThreadSupply.count > 0 else { return ExitCode.temporary.rawValue }
    MemoryEnd.exit(with: .temporary)
    LastWord.arrange()
    // When memory runs out, the kernel should kill a worker and not the batch.
    ProcessResources.preferKilling()
    WriteSignals.ignore()
    // Nothing else printed to standard output may get between the replies.
    let replies = ReplyStream(descriptor: dup(1))
    dup2(2, 1)
    OutputTransaction.stagingFolder = words[2]
    // Items unpacked from archives are next to it.
    FileSystem.noteTemporary(FileSystem.folder(of: words[2]))
    return serve(environment, checkpoints, deliver, replies)
  }

  private static func serve(
    _ environment: (BatchWork) -> PipelineEnvironment, _ checkpoints: @escaping CheckpointsAtHand,
    _ deliver: @escaping ItemDelivery.Performer, _ replies: ReplyStream
  ) -> Int32 {
    let inbox = Inbox()
    let cancellation = Cancellation()
    DispatchQueue(label: "inbox").async {
      var input = LineInput(descriptor: 0)
      while let line = input.next() { inbox.put(line) }
      inbox.close()
      cancellation.request()
      // Calls of C libraries don't check for cancellation.
      usleep(gracePeriod)
      OutputTransaction.abandonAll()
      _exit(ExitCode.interrupted.rawValue)
    }
    guard let line = inbox.next(), let json = JSONReader.read(Array(line.utf8)).value,
      let work = BatchWork(json)
    else { return ExitCode.usage.rawValue }
    if work.run.requiresConfinement { Confinement.require() }
    let document = work.document
    let environment = environment(work)
    while let line = inbox.next() {
      guard let json = JSONReader.read(Array(line.utf8)).value, let request = ItemRequest(json)
      else { return ExitCode.usage.rawValue }
      let run = ItemRun(
        request: request, work: work, document: document, environment: environment,
        checkpoints: checkpoints, deliver: deliver, cancellation: cancellation
      ) { event in
        if case .progress(let progress) = event { replies.tell(progress) }
      }
      do throws(Cancelled) {
        let entry = try Parallel.withThreads(work.threads) { () throws(Cancelled) in
          try run.perform()
        }
        replies.send(.finished(entry))
      } catch {
        return error.exitCode.rawValue
      }
      if PeakMemory.bytes > 256 << 20 { ProcessResources.giveBackMemory() }
    }
    return ExitCode.success.rawValue
  }
}

/// The received lines that are not processed yet.
private final class Inbox: Sendable {
  private struct State {
    var lines: [String] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let changes = DispatchSemaphore(value: 0)

  func put(_ line: String) {
    state.withLock { $0.lines.append(line) }
    changes.signal()
  }

  func close() {
    state.withLock { $0.isClosed = true }
    changes.signal()
  }

  /// Waits for the next line; nil when there are no more.
  func next() -> String? {
    changes.wait()
    return state.withLock { state in
      state.isClosed || state.lines.isEmpty ? nil : state.lines.removeFirst()
    }
  }
}

/// Lines from a descriptor.
private struct LineInput {
  let descriptor: Int32
  private var pending: [UInt8] = []

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Waits for the next line; nil at the end.
  mutating func next() -> String? {
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: pending[..<end], as: UTF8.self)
        pending.removeFirst(end + 1)
        return line
      }
      let size = 1 << 16
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        unsafe count = max(0, read(descriptor, buffer.baseAddress, size))
      }
      if bytes.isEmpty { return nil }
      pending += bytes
    }
  }
}

/// The worker's reports to the batch; from any thread.
private final class ReplyStream: Sendable {
  private struct Shown {
    var time = -1.0
    var step = -1
  }

  private let shown = Mutex(Shown())
  private let writer: Mutex<FileWriter>

  init(descriptor: Int32) {
    writer = Mutex(FileWriter(descriptor: descriptor, name: "the batch"))
  }

  /// Reports progress, at most ten times a second.
  func tell(_ progress: RunProgress) {
    let isDue = shown.withLock { shown in
      let isNew = progress.step.index != shown.step || progress.elapsed < shown.time
      guard progress.elapsed - shown.time >= 0.1 || isNew && progress.elapsed > 0.1 else {
        return false
      }
      shown = Shown(time: progress.elapsed, step: progress.step.index)
      return true
    }
    if isDue { send(.progress(progress.overall, step: Self.name(of: progress.step))) }
  }

  private static func name(of step: RunStep) -> String {
    switch step.kind {
    case .read: "reading"
    case .stage: step.name
    case .write: "writing \(FileSystem.name(of: step.name))"
    case .commit: "putting in place"
    }
  }

  /// Sends a reply; a batch that no longer listens is about to end this process.
  func send(_ reply: WorkerReply) {
    try? writer.withLock { writer in
      try writer.write(reply.json.compactText + "\n")
      try writer.finish()
    }
  }
}
