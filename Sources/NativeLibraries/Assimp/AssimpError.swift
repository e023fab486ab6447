public import MeshPipeline

/// A failure that Assimp itself reported.
public enum AssimpError: UserError, Equatable {
  case reading(path: String, reason: String)
  case empty(path: String)
  case writing(path: String, reason: String)

  public var exitCode: ExitCode {
    switch self {
    case .reading, .empty: .data
    case .writing: .inputOutput
    }
  }

  public var message: String {
    switch self {
    case .reading(let path, let reason):
      "\(path): not readable: \(reason.isEmpty ? "Assimp gives no reason" : reason)"
    case .empty(let path):
      "\(path): no faces and no points in it"
    case .writing(let path, let reason):
      "\(path): not written: \(reason.isEmpty ? "Assimp gives no reason" : reason)"
    }
  }
}
