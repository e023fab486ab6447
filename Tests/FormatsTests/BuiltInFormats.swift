import MeshPipeline

@testable import Formats

/// The built-in formats by the code that reads and writes their files.
enum BuiltInFormats {
  typealias BothWays = any (ReadableFormat & WritableFormat).Type

  /// In the order of the registry.
  ///
  /// What is read as a model and written as a drawing is not the same there and back.
  static let bothWays = builtInFormats.compactMap { $0 as? BothWays }
    .filter { !$0.keeps.isDisjoint(with: [.faces, .points]) }
  /// Those that are read and written here, in Swift.
  static let native = bothWays.filter { !isOfAssimp($0) }
  /// Those of points alone: a mesh is its vertices there.
  static let ofPoints = native.filter { !$0.keeps.contains(.faces) }
  /// Those that Assimp reads and writes.
  static let ofAssimp = bothWays.filter(isOfAssimp)

  private static func isOfAssimp(_ format: BothWays) -> Bool {
    format is any AssimpReadableFormat.Type
  }
}
