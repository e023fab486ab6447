import MeshPipeline

/// Finds files by their names in folders, each of which is listed once, however many frames there are.
struct FolderListings {
  private var known: [String: Set<String>] = [:]

  /// The names in a folder; none if it can't be listed.
  mutating func names(in folder: String) -> Set<String> {
    if let names = known[folder] { return names }
    let names = Set((try? FileSystem.names(inFolder: folder)) ?? [])
    known[folder] = names
    return names
  }

  /// The path of the first of some regular files in a folder; nil if there is none.
  mutating func file(
    of candidates: [String], in folder: String, where isAllowed: (String) -> Bool = { _ in true }
  ) -> String? {
    let names = names(in: folder)
    for name in candidates where names.contains(name) {
      let path = Self.path(of: name, in: folder)
      if (try? FileSystem.status(of: path))?.isRegularFile == true, isAllowed(path) { return path }
    }
    return nil
  }

  /// The path of a file in a folder.
  static func path(of name: String, in folder: String) -> String {
    folder == "." ? name : folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }
}
