import Synchronization

/// The names under which the user knows files that lie in private folders: an archive's for what was
/// unpacked from it, `standard input` for what was read from a pipe.
///
/// Messages, reports and tables are written with these names, at the place where they leave the
/// program and nowhere else.
enum ShownPaths {
  private struct Entry {
    var path: String
    var name: String
  }

  private static let entries = Mutex<[Entry]>([])

  /// Shows a file, or everything in a folder, under a name.
  static func show(_ path: String, as name: String) {
    entries.withLock { $0.append(Entry(path: path, name: name)) }
  }

  /// A text with the names in place of the paths.
  static func readable(_ text: String) -> String {
    entries.withLock(\.self).reduce(text) { $0.replacing($1.path, with: $1.name) }
  }
}
