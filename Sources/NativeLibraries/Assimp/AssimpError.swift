public import MeshPipeline

/// A failure that Assimp itself reported.
public enum AssimpError: UserError, Equatable {
  case reading(path: String, reason: String)
  case empty(path: String)
  /// What came out depends on memory that nobody set.
  case uncertain(path: String)
  /// The file contradicts itself where Assimp does not look.
  case contradiction(path: String, reason: String)
  case writing(path: String, reason: String)

  public var exitCode: ExitCode {
    switch self {
    case .reading, .empty, .uncertain, .contradiction: .data
    case .writing: .inputOutput
    }
  }

  public var message: String {
    switch self {
    case .reading(let path, let reason):
      "\(path): not readable: \(Self.explained(reason))"
    case .empty(let path):
      "\(path): no faces and no points in it"
    case .uncertain(let path):
      "\(path): the file is damaged: it refers to data that it does not hold, so that reading it twice gives "
        + "different scenes"
    case .contradiction(let path, let reason):
      "\(path): the file is damaged: \(reason)"
    case .writing(let path, let reason):
      "\(path): not written: \(reason.isEmpty ? "Assimp gives no reason" : reason)"
    }
  }

  /// Assimp's words, or what they mean for the user.
  private static func explained(_ reason: String) -> String {
    if reason.isEmpty { return "Assimp gives no reason" }
    guard reason.contains("unsupported, old format version") else { return reason }
    return
      "is FBX from before version 7 (2011); Autodesk's FBX Converter, Maya, 3ds Max and Unity save a newer one"
  }
}
