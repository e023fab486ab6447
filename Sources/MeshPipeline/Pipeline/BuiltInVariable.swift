import MeshpipeBase

/// The predefined variables of every pipeline.
package enum BuiltInVariable: String, Sendable, CaseIterable {
  /// The name of the input without folder and extension: `room` for `scans/room.obj`.
  case stem
  /// The folder of the input, or of its archive: `scans`, or `.` if there is none.
  case dir
  /// The name of the input with its extension: `room.obj`.
  case name
  /// The name of the input's archive, without extension.
  case archive

  /// The value for an input; a folder has no extension.
  ///
  /// - Returns: Nil if there is none: only an input from an archive has an `archive`.
  package func value(forInput path: String, isFolder: Bool = false, archive: String?) -> String? {
    let path = isFolder ? Self.plain(path) : path
    return switch self {
    case .name: FileSystem.name(of: path)
    case .dir: FileSystem.folder(of: archive ?? path)
    case .stem: isFolder ? FileSystem.name(of: path) : FileSystem.stem(of: path)
    case .archive: archive.map(FileSystem.stem(of:))
    }
  }

  /// A folder's path that ends in its name, resolving `.`, `..` and trailing slashes.
  private static func plain(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard [".", "..", "/"].contains(FileSystem.name(of: path)) else { return path }
    return FileSystem.canonicalPath(of: path) ?? path
  }
}
