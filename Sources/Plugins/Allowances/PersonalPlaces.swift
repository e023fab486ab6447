import MeshPipeline

/// Folders with files of every kind: a plugin never gets access to one as a whole because a file it
/// needs is there.
struct PersonalPlaces {
  private let places: [String]

  init(home: String? = FileSystem.environment("HOME")) {
    var places = ["/tmp", "/var/tmp", "/dev/shm", FileSystem.temporaryFolder]
    if let home, home.hasPrefix("/") {
      places += [
        "", "/.local/share", "/.config", "/.cache", "/Desktop", "/Documents", "/Downloads",
      ].map { home + $0 }
    }
    self.places = places.flatMap { [$0, FileSystem.canonicalPath(of: $0) ?? $0] }
  }

  /// Whether a folder is one of them, or contains one.
  func contain(_ folder: String) -> Bool {
    let start = folder.hasSuffix("/") ? folder : "\(folder)/"
    return places.contains { "\($0)/".hasPrefix(start) }
  }

  /// What to make accessible for a file: its folder, or only the file if the folder is too broad.
  func place(of file: String) -> String {
    let folder = FileSystem.folder(of: file)
    return contain(folder) ? file : folder
  }
}
