internal import CSandbox
public import MeshPipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A program that is not trusted, running confined, with messages of ``WireFormat`` to and fro.
///
/// It reads and executes what belongs to the system and what it is given, and writes only in a folder of its own
/// that is removed afterwards; it has no network unless that is allowed, and limits of time and memory. Whatever it
/// starts ends with it. Not for more than one thread.
public final class SupervisedProgram {
  /// What is started, and what it may use.
  public struct Start: Sendable {
    /// The program that understands ``ProgramSupervisor/verb``.
    public var supervisor: String
    /// The path of the program, and its arguments.
    public var command: [String]
    /// What it gets of the environment besides what every program does, or instead: `NAME=VALUE`.
    public var variables: [String] = []
    public var limits: WorkerLimits
    /// Bytes of memory that it may share with this process for arrays of messages; 0 for none.
    public var sharedMemory = 0
    /// Whether it may use the network.
    public var allowsNetwork = false
    /// Files and folders that it may read and execute, with all beneath them, besides those of the system.
    public var readable: [String] = []

    public init(supervisor: String, command: [String], limits: WorkerLimits) {
      self.supervisor = supervisor
      self.command = command
      self.limits = limits
    }
  }

  /// The status of a program that was not started since it could not be confined.
  public static let notConfined = Int32(sandbox_not_confined)
  /// The status of a program that could not be executed.
  public static let notStarted = Int32(sandbox_not_started)

  /// Whether this system keeps programs from writing elsewhere than in their folder.
  public static var canConfineWriting: Bool { Confinement.isThere }

  private let start: Start
  /// The program's working folder, the only one that it writes in; it is removed with this object.
  public let folder: String
  private let memory: SharedMemory?
  private var child: ChildProcess

  /// Starts the program.
  ///
  /// - Throws: ``WorkerError/notStarted(executable:reason:)``, or ``FileError``.
  public init(_ start: Start, in context: StageContext) throws {
    self.start = start
    memory = start.sharedMemory > 0 ? SharedMemory(size: start.sharedMemory) : nil
    // Links to where it is would lead elsewhere while the view is made.
    let place = FileSystem.temporaryFolder
    folder = try FileSystem.createPrivateFolder(
      prefix: "\(FileSystem.canonicalPath(of: place) ?? place)/meshpipe-plugin-")
    let limits = start.limits
    let order = ProgramOrder(
      parent: getpid(), limits: limits, folder: folder, bubblewrap: Bubblewrap.path ?? "",
      allowsNetwork: start.allowsNetwork, readable: start.readable, command: start.command)
    do {
      child = try ChildProcess(
        executable: start.supervisor,
        arguments: [ProgramSupervisor.verb] + order.arguments,
        environment: Self.environment(with: ["TMPDIR=\(folder)"] + start.variables),
        seconds: limits.seconds, memory: limits.memory, shared: memory, context: context)
    } catch {
      try? FileSystem.removeFolder(folder)
      throw error
    }
  }

  deinit {
    end()
    try? FileSystem.removeFolder(folder)
  }

  /// What is offered to the program in the first message.
  public var sharing: WireHello.Sharing {
    memory.map {
      .offered(descriptor: Int(SharedMemory.childDescriptor), bytes: $0.size)
    } ?? .none
  }

  /// Sends a message; a program that has ended, or closed its input, takes it as read.
  ///
  /// - Parameter sharesArrays: Whether its arrays go through the shared memory, if there is room.
  /// - Throws: ``ProcessInterruption``.
  public func send(_ message: WireMessage, sharesArrays: Bool = false) throws {
    try WireEncoder.write(message, to: &child, memory: sharesArrays ? memory : nil)
  }

  /// Sends bytes that need not be a message.
  public func send(bytes: [UInt8]) throws { unsafe try child.write(bytes.span.bytes) }

  /// Waits for the next message.
  ///
  /// - Parameter sharesArrays: Whether its arrays may be in the shared memory.
  /// - Throws: ``ProcessInterruption``, or ``WireError``.
  public func receive(sharesArrays: Bool = false) throws -> WireMessage {
    let decoder = WireDecoder(
      maximumPayloadLength: start.limits.memory, memory: sharesArrays ? memory : nil)
    return try decoder.read(from: &child)
  }

  /// Closes the program's input, and waits for its end and that of all that it started.
  ///
  /// - Throws: ``ProcessInterruption``.
  public func waitForEnd() throws -> ProcessEnding { try child.waitForEnd() }

  /// Ends the program and all that it started, in a few milliseconds.
  public func end() { child.endSupervised() }

  /// How many bytes came after the last message.
  public var surplus: Int { child.surplus }

  /// What the program said last on its error stream, in one line.
  public var lastWords: String { child.lastWords }

  /// The lines that the program wrote to its error stream, up to a limit.
  public var speech: [String] { child.speechLines }

  /// What an interpreter needs to be found and to find its modules, and no secret that happens to be
  /// in the environment.
  private static func environment(with variables: [String]) -> [String] {
    let kept = [
      "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "SOURCE_DATE_EPOCH",
      "PYTHONPATH", "PYTHONHOME", "PYENV_ROOT", "PYENV_VERSION", "VIRTUAL_ENV", "CONDA_PREFIX",
      "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "ASAN_OPTIONS",
      "TSAN_OPTIONS", "LLVM_PROFILE_FILE",
    ]
    let inherited = kept.filter { name in !variables.contains { $0.hasPrefix("\(name)=") } }
      .compactMap { name in FileSystem.environment(name).map { "\(name)=\($0)" } }
    let cores = ProcessResources.allowedCores ?? sysconf(Int32(_SC_NPROCESSORS_ONLN))
    let threads = min(max(1, cores), Parallel.maximumThreads)
    return inherited + variables + [
      // Same input, same result: the order of Python's sets must not change from run to run.
      "PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "SWIFT_BACKTRACE=enable=no",
      "OMP_NUM_THREADS=\(threads)", "OPENBLAS_NUM_THREADS=\(threads)",
      // Threads of numpy sleep when they have nothing to do; by default they take a core for 40 ms at its start.
      "OPENBLAS_THREAD_TIMEOUT=4",
    ]
  }
}
