/// The variables that every pipeline has, without declaring them.
public enum BuiltInVariable: String, Sendable, CaseIterable {
  /// The name of the input without folder and extension: `room` of `scans/room.obj`.
  case stem
  /// The folder of the input: `scans`, or `.` when it has none.
  case dir
  /// The name of the input with its extension: `room.obj`.
  case name
  /// The name of the archive that the input lies in, without extension.
  case archive

  /// The value for an input.
  ///
  /// - Returns: Nil when there is none: only an input from an archive has an `archive`.
  func value(forInput path: String, archive: String?) -> String? {
    let name = FileSystem.name(of: path)
    switch self {
    case .name: return name
    case .dir: return FileSystem.folder(of: path)
    case .stem: return Self.stem(of: name)
    case .archive: return archive.map { Self.stem(of: FileSystem.name(of: $0)) }
    }
  }

  private static func stem(of name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}
