internal import CSandbox
package import MeshpipeBase
import MeshpipeScene
package import NativeLibraries
import POSIX

/// An untrusted program, running confined, that exchanges messages of ``WireFormat``.
///
/// It reads and executes system files and those given to it, and writes only in its own folder,
/// which is removed afterwards; it has no network unless allowed, and limits of time and memory.
/// Everything it starts ends with it. Not thread-safe.
package final class SupervisedProgram {
  /// The program to start, and what it may use.
  package struct Start: Sendable {
    /// The program to start as ``ProgramSupervisor/verb``.
    package var supervisor: String
    /// The path of the program, and its arguments.
    package var command: [String]
    /// Environment variables in addition to, or instead of, the default ones: `NAME=VALUE`.
    package var variables: [String] = []
    package var limits: WorkerLimits
    /// The size in bytes of the memory shared with this process for arrays of messages; 0 for none.
    package var sharedMemory = 0
    /// Whether it may use the network.
    package var allowsNetwork = false
    /// Files and folders that it may read and execute, with everything below them, besides the
    /// system's.
    package var readable: [String] = []

    package init(supervisor: String, command: [String], limits: WorkerLimits) {
      self.supervisor = supervisor
      self.command = command
      self.limits = limits
    }
  }

  /// The exit status of a program that was not started because it could not be confined.
  package static let notConfined = Int32(sandbox_not_confined)
  /// The status of a program that could not be executed.
  package static let notStarted = Int32(sandbox_not_started)

  /// Whether this system can restrict programs to writing in their folder.
  package static var canConfineWriting: Bool { Confinement.isThere }

  private let start: Start
  /// The program's working folder, the only one that it writes in; removed with this object.
  package let folder: String
  private let memory: SharedMemory?
  private var child: WireProcess

  /// Starts the program.
  ///
  /// - Throws: ``WorkerError/notStarted(executable:reason:)``, or ``FileError``.
  package init(_ start: Start, for run: any Cancellable) throws {
    self.start = start
    memory = start.sharedMemory > 0 ? SharedMemory(size: start.sharedMemory) : nil
    // Links to it would lead elsewhere while the view is set up.
    let place = FileSystem.temporaryFolder
    folder = try FileSystem.createPrivateFolder(
      prefix: "\(FileSystem.canonicalPath(of: place) ?? place)/meshpipe-plugin-")
    let limits = start.limits
    let order = ProgramOrder(
      parent: getpid(), limits: limits, folder: folder, bubblewrap: Bubblewrap.path ?? "",
      allowsNetwork: start.allowsNetwork, readable: start.readable, command: start.command)
    do {
      child = try WireProcess(
        executable: start.supervisor,
        arguments: [ProgramSupervisor.verb] + order.arguments,
        environment: Self.environment(with: ["TMPDIR=\(folder)"] + start.variables),
        seconds: limits.seconds, memory: limits.memory, shared: memory, run: run)
    } catch {
      try? FileSystem.removeFolder(folder)
      throw error
    }
  }

  deinit {
    end()
    try? FileSystem.removeFolder(folder)
  }

  /// The offer to the program in the first message.
  package var sharing: WireHello.Sharing {
    memory.map {
      .offered(descriptor: Int(SharedMemory.childDescriptor), bytes: $0.size)
    } ?? .none
  }

  /// Sends a message; if the program has ended, or closed its input, it is discarded.
  ///
  /// - Parameter sharesArrays: Whether its arrays go through the shared memory, if they fit.
  /// - Throws: ``ProcessInterruption``.
  package func send(_ message: WireMessage, sharesArrays: Bool = false) throws {
    try WireEncoder.write(message, to: &child, memory: sharesArrays ? memory : nil)
  }

  /// Sends bytes that need not be a message.
  package func send(bytes: [UInt8]) throws { unsafe try child.write(bytes.span.bytes) }

  /// Waits for the next message.
  ///
  /// - Parameter sharesArrays: Whether its arrays may be in the shared memory.
  /// - Throws: ``ProcessInterruption``, or ``WireError``.
  package func receive(sharesArrays: Bool = false) throws -> WireMessage {
    let decoder = WireDecoder(
      maximumPayloadLength: start.limits.memory, memory: sharesArrays ? memory : nil)
    return try decoder.read(from: &child)
  }

  /// Closes the program's input, and waits for its end and that of its descendants.
  ///
  /// - Throws: ``ProcessInterruption``.
  package func waitForEnd() throws -> ProcessEnding { try child.waitForEnd() }

  /// Ends the program and its descendants, within a few milliseconds.
  package func end() { child.endSupervised() }

  /// The number of bytes after the last message.
  package var surplus: Int { child.surplus }

  /// The last error output of the program, on one line.
  package var lastErrorLine: String { child.lastErrorLine }

  /// The lines of the program's error stream, up to a limit.
  package var errorLines: [String] { child.errorLines }

  /// The variables that an interpreter needs to be found and to find its modules, and none that
  /// could be secret.
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
      // Same input, same result: the order of Python's sets must not change between runs.
      "PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "SWIFT_BACKTRACE=enable=no",
      "OMP_NUM_THREADS=\(threads)", "OPENBLAS_NUM_THREADS=\(threads)",
      // Lets idle numpy threads sleep; by default they use a core for 40 ms at start-up.
      "OPENBLAS_THREAD_TIMEOUT=4",
    ]
  }
}
