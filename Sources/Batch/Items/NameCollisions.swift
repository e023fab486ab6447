/// Refuses files whose names are the same on some file systems.
///
/// Names are compared ignoring case and, like Swift strings, by canonical equivalence.
enum NameCollisions {
  static func refuse(in files: inout [ListedFile]) {
    var places: [String: Int] = [:]
    var folders: Set<String> = []
    for index in files.indices {
      let key = files[index].path.lowercased()
      insertFolders(of: key, into: &folders)
      guard let other = places.updateValue(index, forKey: key) else { continue }
      places[key] = other
      refuse(&files[index], for: files[other].path)
      refuse(&files[other], for: files[index].path)
    }
    for (key, index) in places where folders.contains(key) {
      files[index].refusal = files[index].refusal ?? "a folder has the same name"
    }
  }

  private static func refuse(_ file: inout ListedFile, for other: String) {
    guard file.refusal == nil else { return }
    let isSame = file.path.utf8.elementsEqual(other.utf8)
    file.refusal =
      isSame
      ? "another file has the same name"
      : "its name and that of '\(other)' are the same on some file systems"
  }

  private static func insertFolders(of path: String, into folders: inout Set<String>) {
    var folder = path[...]
    while let slash = folder.lastIndex(of: "/") {
      folder = folder[..<slash]
      // The parents of a known folder are known too.
      if !folders.insert(String(folder)).inserted { return }
    }
  }
}
