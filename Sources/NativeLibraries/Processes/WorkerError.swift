public import MeshPipeline

/// The ways in which a worker process fails to do its work.
public enum WorkerError: UserError, Equatable {
  /// What it was doing with which file.
  public struct Task: Sendable, Equatable {
    public enum Verb: String, Sendable { case reading, writing }

    public var verb: Verb
    public var path: String

    public init(_ verb: Verb, _ path: String) {
      self.verb = verb
      self.path = path
    }
  }

  case crashed(Task, signal: Int32, said: String)
  case timedOut(Task, seconds: Double)
  case outOfMemory(Task, limit: Int)
  case diskFull(Task)
  /// What it sent back is not what was agreed upon.
  case nonsense(Task, reason: String)
  /// The worker told what is wrong.
  case failed(exitCode: ExitCode, message: String)
  case notStarted(executable: String, reason: String)
  /// The system has no process, descriptor or memory for one more program at the moment.
  case noRoom(reason: String)
  /// The user wants confinement that this system can't give.
  case unconfined
  case executableUnknown

  public var exitCode: ExitCode {
    switch self {
    case .crashed(let task, _, _), .nonsense(let task, _):
      task.verb == .reading ? .data : .inputOutput
    case .timedOut, .outOfMemory, .noRoom: .temporary
    case .diskFull: .inputOutput
    case .failed(let exitCode, _): exitCode
    case .notStarted, .executableUnknown, .unconfined: .unavailable
    }
  }

  public var message: String {
    switch self {
    case .crashed(let task, let signal, let said):
      "\(task.path): Assimp crashed \(task.verb) it (signal \(signal))"
        + (task.verb == .reading ? "; the file is damaged, or more than Assimp can take" : "")
        + (said.isEmpty ? "" : "; its last words: \(said)")
    case .timedOut(let task, let seconds):
      "\(task.path): \(task.verb) was given up after \(JSONValue.text(of: seconds.rounded())) s"
    case .outOfMemory(let task, let limit):
      "\(task.path): \(task.verb) needs more than the \(limit >> 20) MB of memory that it may have"
    case .diskFull(let task):
      "\(task.path): the disk is full, or the file would be larger than is allowed"
    case .nonsense(let task, let reason):
      "\(task.path): \(task.verb) through Assimp gave nonsense: \(reason)"
    case .failed(_, let message): message
    case .notStarted(let executable, let reason):
      "\(executable): the worker for Assimp can't be started: \(reason)"
    case .noRoom(let reason):
      "no process can be started for work that must not be done in this one: \(reason)"
    case .unconfined:
      "--require-confinement or its environment variable is set, and there is neither Landlock nor bubblewrap that could "
        + "confine Assimp here"
    case .executableUnknown:
      "work in another process needs the program meshpipe, which is not in PATH; "
        + "set MESHPIPE_EXECUTABLE to where it is"
    }
  }
}
