internal import CAssimp
package import MeshpipeBase
package import NativeLibraries

/// An error reported by Assimp.
package enum AssimpError: UserError, Equatable {
  case reading(path: String, reason: String)
  case empty(path: String)
  /// The result depends on uninitialised memory.
  case uncertain(path: String)
  /// The file contradicts itself where Assimp does not check.
  case contradiction(path: String, reason: String)
  case writing(path: String, reason: String)

  package var exitCode: ExitCode {
    switch self {
    case .reading, .empty, .uncertain, .contradiction: .data
    case .writing: .inputOutput
    }
  }

  package var message: String {
    switch self {
    case .reading(let path, let reason):
      "\(path): not readable: \(Self.explained(reason))"
    case .empty(let path):
      "\(path): it contains no faces or points"
    case .uncertain(let path):
      "\(path): the file is damaged: it refers to missing data, so that reading it twice gives "
        + "different scenes"
    case .contradiction(let path, let reason):
      "\(path): the file is damaged: \(reason)"
    case .writing(let path, let reason):
      "\(path): not written: \(reason.isEmpty ? "Assimp gives no reason" : reason)"
    }
  }

  /// Assimp's message, or its meaning for the user.
  private static func explained(_ reason: String) -> String {
    if reason.isEmpty { return "Assimp gives no reason" }
    guard reason.contains("unsupported, old format version") else { return reason }
    return
      "is FBX from before version 7 (2011); Autodesk's FBX Converter, Maya, 3ds Max and Unity save a newer one"
  }
}

extension LibraryVersions {
  /// The linked libraries, with Assimp.
  package static var all: [Library] { [assimp] + linked }

  private static var assimp: Library {
    let numbers = [aiGetVersionMajor(), aiGetVersionMinor(), aiGetVersionPatch()]
    return Library(name: "Assimp", version: numbers.map(String.init).joined(separator: "."))
  }
}
