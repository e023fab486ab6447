internal import CSandbox
import MeshpipeBase
import POSIX

/// The counterpart of ``DecoderCell`` in the child process.
package enum DecoderServer {
  /// The internal verb that makes the command a cell.
  package static let verb = "__decode"

  /// The arguments of a cell.
  static func arguments(_ library: DecoderLibrary, sharedSize: Int) -> [String] {
    [verb, "\(getpid())", library.rawValue, "\(memoryCeiling)", "\(sharedSize)"]
  }

  /// The most memory of any task: three quarters of what there is.
  static var memoryCeiling: Int { WorkerLimits(forBytes: .max).memory }

  /// Does a cell's work if the command line requests it.
  ///
  /// Call it first, before any other thread exists.
  /// - Returns: The exit status, or nil if something else is requested.
  package static func runIfAsked(_ arguments: some Collection<String>) -> Int32? {
    guard arguments.first == verb else { return nil }
    let words = Array(arguments)
    guard words.count == 5, let parent = pid_t(words[1]),
      let library = DecoderLibrary(rawValue: words[2]), let ceiling = Int(words[3]),
      let sharedSize = Int(words[4])
    else { return ExitCode.usage.rawValue }
    // Nothing else printed to standard output may get between the bytes of an answer.
    var output = Descriptor(number: dup(1))
    dup2(2, 1)
    MemoryEnd.exit(with: .temporary)
    let memory = sharedSize > 0 ? SharedMemory(inheritedOf: sharedSize) : nil
    do {
      library.open()
      let hello = enter(WorkerLimits(memory: ceiling, seconds: 1e9, fileSize: 1 << 31), parent)
      try hello.write(to: &output, through: nil)
      guard hello.outcome == .done else { return ExitCode.unavailable.rawValue }
      return try serve(&output, memory)
    } catch {
      return ExitCode.software.rawValue
    }
  }

  /// Confines this process, and says whether that worked.
  private static func enter(_ limits: WorkerLimits, _ parent: pid_t) -> CellMessage {
    do {
      let isConfined = try Sandbox.enterCell(limits, parent: parent)
      return CellMessage(.done, [isConfined ? 1 : 0], text: meshpipeVersion)
    } catch {
      return CellMessage(
        .missing, text: "it can't be confined (\(error.protection)): \(text(ofError: error.error))")
    }
  }

  /// Answers one request after the other, until there are no more.
  private static func serve(_ output: inout Descriptor, _ memory: SharedMemory?) throws -> Int32 {
    var input = Descriptor(number: 0)
    let service = DecoderService(memory)
    while true {
      let header: CellMessage.Header
      do {
        header = try CellMessage.header(from: &input, mostBytes: .max)
      } catch WireError.truncated {
        return ExitCode.success.rawValue
      }
      Sandbox.setMemory(header.memory)
      let request = try CellMessage(header, from: &input, through: memory)
      let files = (0..<header.files).map { _ in sandbox_receive_descriptor(0) }
      guard files.allSatisfy({ $0 >= 0 }) else { return ExitCode.software.rawValue }
      let answer =
        request.kind == DecoderTask.misbehave.rawValue
        ? try misbehave(request, &output) : service.answer(to: request, files: files)
      try answer.write(to: &output, through: memory)
    }
  }
}

extension DecoderServer {
  /// The kinds of failure.
  enum Misbehaviour: String, CaseIterable {
    case crash, hang, burnTime, eatMemory, stopHalfway, talkNonsense, promiseTooMuch, chatter
    case talkOn, trespass
  }

  private static func misbehave(
    _ request: CellMessage, _ output: inout Descriptor
  ) throws -> CellMessage {
    switch Misbehaviour(rawValue: request.text) {
    case .crash?: abort()
    case .hang?: while true { sleep(1000) }
    case .burnTime?: while true {}
    case .eatMemory?:
      var eaten: [[UInt8]] = []
      while true { eaten.append([UInt8](repeating: 1, count: 1 << 24)) }
    case .stopHalfway?:
      unsafe try output.write([CellMessage.mark, 0].span.bytes)
      exit(0)
    case .talkNonsense?:
      unsafe try output.write([UInt8](repeating: 0x41, count: 1 << 10).span.bytes)
    case .promiseTooMuch?:
      // Bytes that would be far beyond the end of the shared memory.
      let words = [CellMessage.mark, 0, 0, 0, 0, 0, 1 << 10, 1 << 60]
      unsafe try output.write((words + [Int](repeating: 0, count: 8)).span.bytes)
    case .chatter?:
      let chatter = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
      unsafe try Descriptor(number: 2).write(chatter.span.bytes)
    case .talkOn?:
      let chatter = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
      while true { unsafe try Descriptor(number: 2).write(chatter.span.bytes) }
    case .trespass?:
      let done = trespasses(near: String(decoding: request.bytes, as: UTF8.self))
        .filter(\.succeeded).map(\.deed)
      return CellMessage(done.isEmpty ? .done : .damaged, text: done.joined(separator: ", "))
    case nil: break
    }
    return CellMessage(.done)
  }

  /// Attempts that a confined process must not succeed in.
  private static func trespasses(near path: String) -> [(deed: String, succeeded: Bool)] {
    [
      ("read a file", unsafe open(path.systemPath, O_RDONLY) >= 0),
      ("read a file of the system", unsafe open("/etc/passwd", O_RDONLY) >= 0),
      ("write the file", unsafe open(path.systemPath, O_WRONLY) >= 0),
      ("write beside it", unsafe open("\(path)-new".systemPath, O_WRONLY | O_CREAT, 0o600) >= 0),
      ("remove it", unsafe unlink(path.systemPath) == 0),
      ("open its own memory", unsafe open("/proc/self/mem", O_RDWR) >= 0),
      ("open a socket", Descriptor.canOpenSocket),
      ("end its parent", kill(getppid(), 0) == 0),
    ]
  }
}
