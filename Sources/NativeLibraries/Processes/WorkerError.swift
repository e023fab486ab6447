package import MeshpipeBase

/// The failures of a worker process.
package enum WorkerError: UserError, Equatable {
  /// The task and its file.
  package struct Task: Sendable, Equatable {
    package enum Verb: String, Sendable { case reading, writing }

    package var verb: Verb
    package var path: String

    package init(_ verb: Verb, _ path: String) {
      self.verb = verb
      self.path = path
    }
  }

  case crashed(Task, signal: Int32, said: String)
  case timedOut(Task, seconds: Double)
  case outOfMemory(Task, limit: Int)
  case diskFull(Task)
  /// Its output violates the protocol.
  case nonsense(Task, reason: String)
  /// The worker reported an error.
  case failed(exitCode: ExitCode, message: String)
  case notStarted(executable: String, reason: String)
  /// The system currently has no process, descriptor or memory for another program.
  case noRoom(reason: String)
  /// The user requires confinement that this system can't provide.
  case unconfined
  case executableUnknown

  package var exitCode: ExitCode {
    switch self {
    case .crashed(let task, _, _), .nonsense(let task, _):
      task.verb == .reading ? .data : .inputOutput
    case .timedOut, .outOfMemory, .noRoom: .temporary
    case .diskFull: .inputOutput
    case .failed(let exitCode, _): exitCode
    case .notStarted, .executableUnknown, .unconfined: .unavailable
    }
  }

  package var message: String {
    switch self {
    case .crashed(let task, let signal, let said):
      "\(task.path): Assimp crashed \(task.verb) it (signal \(signal))"
        + (task.verb == .reading ? "; the file is damaged, or too large for Assimp" : "")
        + (said.isEmpty ? "" : "; its last output: \(said)")
    case .timedOut(let task, let seconds):
      "\(task.path): \(task.verb) was stopped after \(JSONValue.text(of: seconds.rounded())) s"
    case .outOfMemory(let task, let limit):
      "\(task.path): \(task.verb) exceeded its memory limit of \(limit >> 20) MB"
    case .diskFull(let task):
      "\(task.path): the disk is full, or the file would exceed the size limit"
    case .nonsense(let task, let reason):
      "\(task.path): \(task.verb) with Assimp gave an invalid result: \(reason)"
    case .failed(_, let message): message
    case .notStarted(let executable, let reason):
      "\(executable): the process for Assimp can't be started: \(reason)"
    case .noRoom(let reason):
      "no process can be started for work that needs a separate one: \(reason)"
    case .unconfined:
      "--require-confinement or its environment variable is set, but there is neither Landlock nor bubblewrap to "
        + "confine Assimp here"
    case .executableUnknown:
      "a separate process needs the program meshpipe, which is not in PATH; "
        + "set MESHPIPE_EXECUTABLE to its path"
    }
  }
}
