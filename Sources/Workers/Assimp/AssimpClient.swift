package import MeshPipeline
package import MeshpipeBase
package import MeshpipeScene
package import NativeLibraries
import POSIX

/// Runs Assimp in a child process with limits, and converts each outcome to a result or an error.
package struct AssimpClient: Sendable {
  /// The program to start as ``AssimpServer/verb``.
  package var executable: String
  package var limits: WorkerLimits
  /// The confinement of the process.
  var confinement = Confinement.ofWorkers

  package init(executable: String, limits: WorkerLimits) {
    self.executable = executable
    self.limits = limits
  }

  /// Reads a model; nothing outside its folder is opened, unless `anywhere` is true.
  ///
  /// On damaged files Assimp silently reads beyond the ends of arrays and interprets what it finds
  /// as coordinates. So a second process reads the file, at other addresses and in memory filled
  /// with other bytes: what both agree on is in the file.
  /// - Throws: ``WorkerError``, ``AssimpError`` or ``Cancelled``.
  package func read(
    _ path: String, anywhere: Bool = false, in context: any Cancellable
  ) throws -> WireScene {
    let full = absolutePath(path)
    let proof = AssimpRequest.prove(path: full, anywhere: anywhere)
    // Both at once, unless that would take much memory.
    let isSmall = ((try? FileSystem.status(of: path)) ?? nil)?.size ?? 0 < Self.smallSize
    var prover = isSmall ? try start(proof, in: context) : nil
    let request = AssimpRequest.read(path: full, anywhere: anywhere)
    var first = try start(request, in: context)
    var digest: String?
    guard case .scene(let content) = try finish(&first, request, digest: &digest) else {
      throw WorkerError.nonsense(.init(.reading, path), reason: "no scene came back")
    }
    var second = try prover ?? start(proof, in: context)
    prover = nil
    var otherDigest: String?
    do {
      _ = try finish(&second, proof, digest: &otherDigest)
    } catch let error as WorkerError {
      guard error.exitCode == .data else { throw error }
    }
    guard let digest, digest == otherDigest else { throw AssimpError.uncertain(path: path) }
    return content
  }

  /// Smaller files in bytes take little memory even twice.
  private static let smallSize = 32 << 20

  /// Reads a model that was just written, to compare it with its source.
  ///
  /// - Throws: ``WorkerError``, or ``Cancelled``.
  package func readBack(_ path: String, in context: any Cancellable) throws -> Scene {
    let answer = try run(.readBack(path: absolutePath(path)), in: context)
    guard case .scene(let content) = answer else {
      throw WorkerError.nonsense(.init(.reading, path), reason: "no scene came back")
    }
    return content.scene
  }

  /// Writes a scene as one of Assimp's export formats; nothing outside the folder is written.
  ///
  /// - Parameters:
  ///   - provenance: What made it; short enough for ``AssimpExport/longestText``.
  ///   - format: Assimp's id of the format.
  /// - Throws: ``WorkerError``, or ``Cancelled``.
  package func write(
    _ scene: Scene, madeBy provenance: Provenance? = nil, as format: String, to path: String,
    in context: any Cancellable
  ) throws {
    var content = WireScene(scene)
    content.provenance = provenance
    let request = AssimpRequest.write(format: format, path: absolutePath(path))
    let answer = try run(request, sending: .scene(content), in: context)
    guard case .done = answer else {
      throw WorkerError.nonsense(.init(.writing, path), reason: "no end was told")
    }
  }

  /// A warning about this system; nil if a worker is confined as intended.
  package static let confinementNotice: String? = {
    #if os(Linux)
      guard Confinement.ofWorkers == .nothing else { return nil }
      return
        "the process in which Assimp runs is not confined and can read all files that you can read: the kernel has "
        + "no Landlock (Linux 5.13 and later) or forbids it, and bubblewrap is not installed ('apt install "
        + "bubblewrap') or does not work here; --require-confinement refuses to run like this"
    #else
      return nil
    #endif
  }()

  func run(
    _ request: AssimpRequest, sending message: WireMessage? = nil, in context: any Cancellable
  ) throws -> WireMessage {
    var child = try start(request, in: context)
    var digest: String?
    return try finish(&child, request, sending: message, digest: &digest)
  }

  private func start(_ request: AssimpRequest, in context: any Cancellable) throws -> WireProcess {
    if Confinement.isRequired, Self.confinementNotice != nil { throw WorkerError.unconfined }
    let command = command(for: request)
    return try WireProcess(
      executable: command[0], arguments: Array(command[1...]),
      environment: WireProcess.workerEnvironment, seconds: limits.seconds, run: context)
  }

  private func finish(
    _ child: inout WireProcess, _ request: AssimpRequest, sending message: WireMessage? = nil,
    digest: inout String?
  ) throws -> WireMessage {
    do {
      if let message { try WireEncoder.write(message, to: &child) }
      child.closeInput()
      let answer = Result { try Self.answer(from: &child, &digest) }
      var ending = try child.waitForEnd()
      if confinement == .bubblewrap { ending = ending.asToldByShells }
      return try judge(answer, ending, of: request, lastErrorLine: child.lastErrorLine)
    } catch let interruption as ProcessInterruption {
      child.killGroup()
      switch interruption {
      case .cancelled: throw Cancelled()
      case .memory: throw WorkerError.outOfMemory(request.task, limit: limits.memory)
      case .deadline: throw WorkerError.timedOut(request.task, seconds: limits.seconds)
      }
    }
  }

  /// The answer, and the messages before it.
  private static func answer(
    from child: inout WireProcess, _ digest: inout String?
  ) throws -> WireMessage {
    while true {
      let message = try WireDecoder().read(from: &child)
      guard case .report(key: AssimpRequest.digestKey, value: let value) = message else {
        return message
      }
      digest = value.text
    }
  }

  /// The program to start, and its arguments.
  func command(for request: AssimpRequest) -> [String] {
    let limits = ["\(limits.memory)", "\(limits.seconds)", "\(limits.fileSize)"]
    guard confinement == .bubblewrap, let bubblewrap = Bubblewrap.path else {
      return [executable, AssimpServer.verb, "\(getpid())"] + limits + request.arguments
    }
    // A program that embeds the library may start another than itself, with its own libraries.
    let own = FileSystem.canonicalPath(of: executable) ?? executable
    let libraries = FileSystem.folder(of: FileSystem.folder(of: own)) + "/lib/meshpipe"
    let places = request.readable + request.writable
    let view =
      places.contains("/")
      ? .everything
      : FileView(of: FileView.libraries + OwnProgram.libraries + [own, libraries] + places)
    let writable = request.writable.first.flatMap { FileSystem.canonicalPath(of: $0) }
    return [bubblewrap]
      + Bubblewrap(view: view, writable: writable)
      // The parent is the first process of the view, which is bubblewrap.
      .arguments(running: [own, AssimpServer.verb, "1"] + limits + request.arguments)
  }

  /// The combined meaning of the answer and the child's exit.
  private func judge(
    _ answer: Result<WireMessage, any Error>, _ ending: ProcessEnding,
    of request: AssimpRequest, lastErrorLine: String
  ) throws -> WireMessage {
    let task = request.task
    if case .success(.failure(let exitCode, let message)) = answer {
      throw WorkerError.failed(exitCode: exitCode, message: message)
    }
    if case .failure(let error) = answer, !(error is WireError) { throw error }
    switch (ending.exitStatus, ending.signal) {
    case (ExitCode.success.rawValue, _):
      do {
        return try answer.get()
      } catch let error as WireError {
        throw WorkerError.nonsense(task, reason: error.message)
      }
    case (ExitCode.temporary.rawValue, _), (_, SIGKILL):
      // The status of C++'s new-handler, or the kernel's signal when memory runs out.
      throw WorkerError.outOfMemory(task, limit: limits.memory)
    case (_, SIGXCPU): throw WorkerError.timedOut(task, seconds: limits.seconds)
    case (_, let signal?):
      // Swift's allocator traps where C++'s handler would have been called. A peak below our own may be ours.
      if ending.peakMemory > max(limits.memory / 10 * 6, PeakMemory.bytes) {
        throw WorkerError.outOfMemory(task, limit: limits.memory)
      }
      throw WorkerError.crashed(task, signal: signal, said: lastErrorLine)
    case (let status, nil):
      throw WorkerError.nonsense(
        task,
        reason: "the worker ended with status \(status ?? -1)"
          + (lastErrorLine.isEmpty ? "" : ": \(lastErrorLine)"))
    }
  }
}

/// The absolute path, with the last component unresolved: the worker starts in the same folder, but
/// this makes the file rules easier to reason about.
private func absolutePath(_ path: String) -> String {
  if path.hasPrefix("/") { return path }
  return "\(FileSystem.workingFolder)/\(path)"
}
