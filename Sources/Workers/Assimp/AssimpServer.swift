internal import CAssimpExport
internal import CSandbox
import MeshpipeBase
import NativeLibraries
import POSIX

/// The counterpart of ``AssimpClient`` in the child process.
package enum AssimpServer {
  /// The internal verb that makes the command a worker.
  static let verb = "__assimp"

  /// Performs the work of that process if the command line requests it.
  ///
  /// Call it first, before any other thread exists.
  /// - Returns: The exit status, or nil if something else is requested.
  package static func runIfAsked(_ arguments: some Collection<String>) -> Int32? {
    arguments.first == verb ? run(Array(arguments.dropFirst())) : nil
  }

  /// - Parameter arguments: Those after ``verb``: the parent's process id, the limits of memory, seconds and file size,
  ///   and the request.
  private static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count > 4, let parent = pid_t(arguments[0]), let memory = Int(arguments[1]),
      let seconds = Double(arguments[2]), let fileSize = Int(arguments[3]),
      let request = AssimpRequest(arguments: arguments[4...])
    else { return ExitCode.usage.rawValue }

    // Nothing else printed to standard output may get between the bytes of the answer.
    let output = Descriptor(number: dup(1))
    dup2(2, 1)
    // Exceeding the file size limit should be a write error, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    assimp_exit_when_out_of_memory(ExitCode.temporary.rawValue)
    MemoryEnd.exit(with: .temporary)

    do {
      let limits = WorkerLimits(memory: memory, seconds: seconds, fileSize: fileSize)
      try confine(limits, parent: parent, for: request)
      try answer(to: request, output)
      return ExitCode.success.rawValue
    } catch let error as any UserError {
      let answer = WireMessage.failure(exitCode: error.exitCode, message: error.message)
      var output = output
      try? WireEncoder.write(answer, to: &output)
      return error.exitCode.rawValue
    } catch {
      return ExitCode.software.rawValue
    }
  }

  private static func confine(
    _ limits: WorkerLimits, parent: pid_t, for request: AssimpRequest
  ) throws(WorkerError) {
    do {
      try Sandbox.enter(
        limits, parent: parent, readable: request.readable, writable: request.writable)
    } catch {
      guard error.error != ENOENT else {
        throw .failed(
          exitCode: request.task.verb == .reading ? .noInput : .cannotCreate,
          message: "\(request.path): \(text(ofError: error.error))")
      }
      throw .failed(
        exitCode: .unavailable,
        message: "the process for Assimp can't be confined (\(error.protection)): "
          + text(ofError: error.error))
    }
  }

  private static func answer(to request: AssimpRequest, _ output: Descriptor) throws {
    var output = output
    switch request {
    case .read(let path, let anywhere):
      try COLLADASource.check(path)
      sandbox_fill_memory(0x55)
      let result = try read(path, anywhere, &output)
      try WireEncoder.write(.scene(result), to: &output)
    case .prove(let path, let anywhere):
      sandbox_fill_memory(0xD7)
      _ = try read(path, anywhere, &output)
      try WireEncoder.write(.done, to: &output)
    case .readBack(let path):
      let result = try AssimpImport.read(path, allowsAllFolders: false)
      try WireEncoder.write(.scene(result), to: &output)
    case .write(let format, let path):
      var input = Descriptor(number: 0)
      let decoder = WireDecoder(requiresFiniteNumbers: false)
      guard case .scene(let content) = try decoder.read(from: &input) else {
        throw WorkerError.nonsense(request.task, reason: "no scene came")
      }
      try AssimpExport.write(
        content.scene, madeBy: content.provenance, as: format, to: path)
      try WireEncoder.write(.done, to: &output)
    case .misbehave(let way, let path):
      try misbehave(way, path, &output)
    }
  }

  /// Reads a model and reports its digest.
  private static func read(
    _ path: String, _ anywhere: Bool, _ output: inout Descriptor
  ) throws -> WireScene {
    var digest: WireDigest? = WireDigest()
    let result = try AssimpImport.read(path, allowsAllFolders: anywhere, digest: &digest)
    try digest?.mix(result)
    try WireEncoder.write(
      .report(key: AssimpRequest.digestKey, value: JSONValue(.string(digest?.text ?? ""))),
      to: &output)
    return result
  }

  private static func misbehave(
    _ way: AssimpRequest.Misbehaviour, _ path: String, _ output: inout Descriptor
  ) throws {
    switch way {
    case .crash: abort()
    case .hang: while true { sleep(1000) }
    case .burnTime: while true {}
    case .eatMemory:
      var eaten: [[UInt8]] = []
      while true { eaten.append([UInt8](repeating: 1, count: 1 << 24)) }
    case .stopHalfway:
      var half = Array("meshpipe".utf8)
      half += [1, 0, 0, 0, 255, 0, 0, 0]
      unsafe try output.write(half.span.bytes)
    case .talkNonsense:
      unsafe try output.write(Array("Once upon a time there was a mesh".utf8).span.bytes)
    case .chatter:
      let chatter = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
      unsafe try Descriptor(number: 2).write(chatter.span.bytes)
      try WireEncoder.write(.done, to: &output)
    case .trespass:
      let done = trespasses(near: path).filter(\.succeeded).map(\.deed)
      guard done.isEmpty else {
        throw WorkerError.nonsense(
          .init(.reading, path), reason: "allowed: \(done.joined(separator: ", "))")
      }
      try WireEncoder.write(.done, to: &output)
    }
  }

  /// Attempts that a confined process must not succeed in.
  private static func trespasses(near path: String) -> [(deed: String, succeeded: Bool)] {
    let folder = FileSystem.folder(of: path)
    var limit = rlimit()
    unsafe getrlimit(Descriptor.coreLimit, &limit)
    return [
      ("read a file elsewhere", unsafe open("/etc/passwd", O_RDONLY) >= 0),
      (
        "read what is beside the folder",
        unsafe open("\(folder)-neighbour".systemPath, O_RDONLY) >= 0
      ),
      ("write into the folder", unsafe open("\(folder)/new", O_WRONLY | O_CREAT, 0o600) >= 0),
      ("write the file", unsafe open(path.systemPath, O_WRONLY) >= 0),
      ("write elsewhere", unsafe open("/tmp/meshpipe-trespass", O_WRONLY | O_CREAT, 0o600) >= 0),
      ("open a socket", Descriptor.canOpenSocket),
      ("end its parent", kill(getppid(), 0) == 0),
      ("dump core", limit.rlim_max != 0),
    ]
  }
}
