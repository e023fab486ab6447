import MeshpipeBase
import POSIX

/// Why a cell gave no answer.
enum CellFailure: Error, Equatable {
  /// A crash, with the last line of what it said.
  case ended(signal: Int32, said: String)
  case deadline(seconds: Double)
  case memory(limit: Int)
  /// The answer violates the protocol, or is impossible.
  case nonsense(String)
  /// There is no cell, through no fault of the file.
  case notStarted(String)
  /// The system currently has no process, descriptor or memory for another program.
  case noRoom(String)
  /// The run that the task is for was cancelled.
  case cancelled

  /// That of the file's error.
  var exitCode: ExitCode {
    switch self {
    case .ended, .deadline, .memory, .nonsense: .data
    case .notStarted: .unavailable
    case .noRoom: .temporary
    case .cancelled: .interrupted
    }
  }

  /// Whether the file may be at fault.
  var isOfFile: Bool { exitCode == .data }

  /// The reason for a file's message.
  func reason(_ library: DecoderLibrary) -> String {
    let decoder = "can't be decoded: \(library.name)"
    return switch self {
    case .ended(let signal, let said):
      "\(decoder) ended with \(Self.name(ofSignal: signal)), so the file is damaged or hostile, or the library faulty"
        + (said.isEmpty ? "" : "; its last output: \(said)")
    case .deadline(let seconds):
      "\(decoder) was stopped after \(JSONValue.text(of: seconds.rounded())) s"
    case .memory(let limit): "\(decoder) exceeded its memory limit of \(limit >> 20) MB"
    case .nonsense(let reason): "\(decoder) gave an invalid result: \(reason)"
    case .notStarted(let reason):
      "can't be decoded: the process for \(library.name) can't be started: \(reason)"
    case .noRoom(let reason):
      "can't be decoded: no process can be started for \(library.name): \(reason)"
    case .cancelled: "\(decoder) was interrupted"
    }
  }

  private static func name(ofSignal signal: Int32) -> String {
    let names = [
      SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGILL: "SIGILL",
      SIGSEGV: "SIGSEGV", SIGSYS: "SIGSYS", SIGTERM: "SIGTERM", SIGTRAP: "SIGTRAP",
    ]
    return names[signal] ?? "signal \(signal)"
  }
}

extension CellFailure {
  /// The failure to start a cell.
  init(_ error: WorkerError) {
    switch error {
    case .noRoom(let reason): self = .noRoom(reason)
    case .notStarted(let executable, let reason): self = .notStarted("\(executable): \(reason)")
    case .unconfined:
      self = .notStarted(
        "--require-confinement or its environment variable is set, but the system has neither Landlock nor filters "
          + "of system calls")
    default: self = .notStarted(error.message)
    }
  }
}
