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

  /// These names, and those of others, whose paths are looked for later.
  package func adding(_ others: ShownPaths) -> ShownPaths {
    var all = self
    all.names += others.names
    return all
  }

  /// A text with the names in place of the paths.
  package func readable(_ text: String) -> String {
    names.reduce(text) { $0.replacing($1.path, with: $1.name) }
  }

  /// A text that a lasting file may have: the paths, which are others in the next run, are marked by their names.
  package func lasting(_ text: String) -> String {
    names.reduce(text) { $0.replacing($1.path, with: Self.mark($1.name)) }
  }

  /// The text of which ``lasting(_:)`` was made, with the paths of this run.
  package func restored(_ text: String) -> String {
    guard text.contains(Self.sign) else { return text }
    return names.reduce(text) { $0.replacing(Self.mark($1.name), with: $1.path) }
  }

  /// The text of which ``lasting(_:)`` was made, with names in place of paths, for people.
  package static func named(_ text: String) -> String { text.replacing(sign, with: "") }

  /// No file's name and no message has it.
  private static let sign = "\u{1}"

  private static func mark(_ name: String) -> String { sign + name + sign }
}
