import MeshPipeline

/// Folders in which people and programs keep things of every kind: a plugin is never handed all of one because
/// a file that it needs lies there.
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

  /// Whether a folder is one of them, or holds one.
  func contain(_ folder: String) -> Bool {
    let start = folder.hasSuffix("/") ? folder : "\(folder)/"
    return places.contains { "\($0)/".hasPrefix(start) }
  }

  /// What is handed over with a file: its folder, or the file alone where that would be too much.
  func place(of file: String) -> String {
    let folder = FileSystem.folder(of: file)
    return contain(folder) ? file : folder
  }
}
