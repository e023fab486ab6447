import MeshPipeline

/// A file or folder that a manifest asks to read: `~/models`, `/data/classes`, `../shared`.
struct ReadableFolder {
  /// As the manifest writes it.
  let text: String
  /// The folder of the manifest.
  let folder: String

  /// The absolute path without `.` and `..`; nil when there is none.
  var path: String? {
    var parts: [Substring] = []
    var start = "\(folder)/\(text)"
    if text.hasPrefix("/") { start = text }
    if text == "~" || text.hasPrefix("~/") {
      guard let home = FileSystem.environment("HOME"), home.hasPrefix("/") else { return nil }
      start = "\(home)/\(text.dropFirst(2))"
    }
    for part in start.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// What is there, without links; nil when there is nothing, or too much.
  var place: String? {
    path.flatMap { FileSystem.canonicalPath(of: $0) }.flatMap {
      PersonalPlaces().contain($0) ? nil : $0
    }
  }

  /// The text, and what it comes to where a link leads elsewhere.
  var description: String {
    let shown = text.withoutControlCharacters
    guard let place, place != path else { return shown }
    return "\(shown) (\(place.withoutControlCharacters))"
  }

  /// Why it may not be asked for; nil when it may.
  var fault: String? {
    if text.isEmpty { return "'reads' has to name files or folders" }
    if text.hasPrefix("~"), text != "~", !text.hasPrefix("~/") {
      return "'\(text)': only '~/', the user's own home, is known"
    }
    guard let path, PersonalPlaces().contain(path) else { return nil }
    return "'\(text)' is too much to ask for; name the folders in it that the program needs"
  }
}

extension PluginManifest {
  /// What it asks to read.
  var readableFolders: [ReadableFolder] {
    program.reads.map { ReadableFolder(text: $0, folder: folder) }
  }
}
