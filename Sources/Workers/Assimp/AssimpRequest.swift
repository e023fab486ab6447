import MeshpipeBase
import NativeLibraries

/// The task of a worker process, passed as command line arguments.
enum AssimpRequest: Equatable {
  /// Reads a model; `anywhere` allows side files outside its folder.
  case read(path: String, anywhere: Bool)
  /// Reads a model like ``read(path:anywhere:)``, and reports only its digest.
  case prove(path: String, anywhere: Bool)
  /// Reads a model that was just written and so can't be malicious.
  case readBack(path: String)
  /// Writes the scene received on standard input.
  case write(format: String, path: String)
  /// Fails on purpose, for tests of error handling.
  case misbehave(Misbehaviour, path: String)

  /// The key of the answer to ``prove(path:anywhere:)``.
  static let digestKey = "digest"

  /// The kinds of failure.
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

  /// The readable files and folders, with everything below them.
  var readable: [String] {
    let folder = FileSystem.folder(of: path)
    switch self {
    case .read(_, anywhere: true), .prove(_, anywhere: true): return ["/"]
    // The file itself may be a link to another folder.
    case .read, .prove, .readBack, .misbehave: return [folder, path]
    case .write: return []
    }
  }

  /// The writable folders.
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
