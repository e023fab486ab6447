import MeshPipeline

/// A file or folder that a manifest asks to read: `~/models`, `/data/classes`, `../shared`.
struct ReadableFolder {
  /// As written in the manifest.
  let text: String
  /// The folder of the manifest.
  let folder: String

  /// The absolute path without `.` and `..`; nil if there is none.
  var path: String? {
    var start = "\(folder)/\(text)"
    if text.hasPrefix("/") { start = text }
    if text == "~" || text.hasPrefix("~/") {
      guard let home = FileSystem.environment("HOME"), home.hasPrefix("/") else { return nil }
      start = "\(home)/\(text.dropFirst(2))"
    }
    return FileSystem.absolutePath(of: start)
  }

  /// The existing path with links resolved; nil if it does not exist or is too broad.
  var place: String? {
    path.flatMap { FileSystem.canonicalPath(of: $0) }.flatMap {
      PersonalPlaces().contain($0) ? nil : $0
    }
  }

  /// The text, and its target if it is a link to elsewhere.
  var description: String {
    let shown = text.withoutControlCharacters
    guard let place, place != path else { return shown }
    return "\(shown) (\(place.withoutControlCharacters))"
  }

  /// Why it is refused; nil if it is acceptable.
  var fault: String? {
    if text.isEmpty { return "'reads' must list files or folders" }
    if text.hasPrefix("~"), text != "~", !text.hasPrefix("~/") {
      return
        "'\(text)': only '~/', the user's own home, is supported"
    }
    guard let path, PersonalPlaces().contain(path) else { return nil }
    return "'\(text)' is too broad; list the folders in it that the program needs"
  }
}

extension PluginManifest {
  /// The files and folders that it asks to read.
  var readableFolders: [ReadableFolder] {
    program.reads.map { ReadableFolder(text: $0, folder: folder) }
  }
}
