import MeshPipeline

/// What a worker process is to do: travels as the arguments of its command line.
enum WorkerRequest: Equatable {
  /// Reads a model; `anywhere` lets its side files lie outside its folder.
  case read(path: String, anywhere: Bool)
  /// Reads a model as ``read(path:anywhere:)`` does, and tells only whether it is the same.
  case prove(path: String, anywhere: Bool)
  /// Reads a model that was written just now and can't be damaged on purpose.
  case readBack(path: String)
  /// Writes the scene that comes through standard input.
  case write(format: String, path: String)
  /// Goes wrong on purpose, for tests of what happens then.
  case misbehave(Misbehaviour, path: String)

  /// What the answer to ``prove(path:anywhere:)`` is called.
  static let digestKey = "digest"

  /// The ways of going wrong.
  enum Misbehaviour: String, CaseIterable {
    case crash, hang, eatMemory, burnTime, stopHalfway, talkNonsense, chatter, trespass
  }

  /// The arguments after the hidden verb.
  var arguments: [String] {
    switch self {
    case .read(let path, let anywhere): [anywhere ? "read-anywhere" : "read", path]
    case .prove(let path, let anywhere): [anywhere ? "prove-anywhere" : "prove", path]
    case .readBack(let path): ["read-back", path]
    case .write(let format, let path): ["write", format, path]
    case .misbehave(let way, let path): ["misbehave", way.rawValue, path]
    }
  }

  init?(arguments: some Collection<String>) {
    let words = Array(arguments)
    switch (words.first, words.count) {
    case ("read", 2): self = .read(path: words[1], anywhere: false)
    case ("read-anywhere", 2): self = .read(path: words[1], anywhere: true)
    case ("prove", 2): self = .prove(path: words[1], anywhere: false)
    case ("prove-anywhere", 2): self = .prove(path: words[1], anywhere: true)
    case ("read-back", 2): self = .readBack(path: words[1])
    case ("write", 3): self = .write(format: words[1], path: words[2])
    case ("misbehave", 3):
      guard let way = Misbehaviour(rawValue: words[1]) else { return nil }
      self = .misbehave(way, path: words[2])
    default: return nil
    }
  }

  /// What the process may see: files and folders with all beneath them.
  var readable: [String] {
    let folder = FileSystem.folder(of: path)
    switch self {
    case .read(_, anywhere: true), .prove(_, anywhere: true): return ["/"]
    // The file itself may be a link to somewhere else.
    case .read, .prove, .readBack, .misbehave: return [folder, path]
    case .write: return []
    }
  }

  /// The folders that the process may write.
  var writable: [String] {
    if case .write = self { [FileSystem.folder(of: path)] } else { [] }
  }

  var path: String {
    switch self {
    case .read(let path, _), .prove(let path, _), .readBack(let path), .write(_, let path),
      .misbehave(_, let path):
      path
    }
  }

  var task: WorkerError.Task {
    switch self {
    case .read(let path, _), .prove(let path, _), .readBack(let path), .misbehave(_, let path):
      .init(.reading, path)
    case .write(_, let path): .init(.writing, path)
    }
  }
}
