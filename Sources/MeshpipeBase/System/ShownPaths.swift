/// The names by which users know private files and folders: an archive's path for the folder that it
/// was unpacked into, `standard input` for a temporary file, the final path for a staged output.
///
/// They are exchanged in texts and not in errors, since warnings, reports, and what libraries and
/// plugins say name files, too.
package struct ShownPaths: Sendable {
  private var names: [(path: String, name: String)] = []

  package init() {}

  /// Shows a file, or everything in a folder, under a name; earlier paths are looked for first.
  package mutating func show(_ path: String, as name: String) {
    names.append((path, name))
  }

  /// A text with the names in place of the paths.
  package func readable(_ text: String) -> String {
    names.reduce(text) { $0.replacing($1.path, with: $1.name) }
  }
}
