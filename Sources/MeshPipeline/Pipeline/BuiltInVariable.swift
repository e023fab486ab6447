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
    switch self {
    case .name: FileSystem.name(of: path)
    case .dir: FileSystem.folder(of: path)
    case .stem: FileSystem.stem(of: path)
    case .archive: archive.map(FileSystem.stem(of:))
    }
  }
}
