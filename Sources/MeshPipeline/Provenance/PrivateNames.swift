import MeshpipeBase

/// The names of files and folders that were read, which outputs of a private run don't tell.
struct PrivateNames {
  /// As ``plain(_:)`` has them.
  private var names: Set<String> = []

  /// Those of files and the folders that they are in.
  init(ofFiles paths: [String]) {
    for path in paths {
      add(FileSystem.name(of: path))
      add(FileSystem.stem(of: path))
      add(FileSystem.name(of: FileSystem.folder(of: FileSystem.absolutePath(of: path))))
    }
  }

  /// Adds a name, unless there is nothing in it.
  mutating func add(_ name: String) {
    let plain = Self.plain(name)
    if !plain.isEmpty { names.insert(plain) }
  }

  /// Whether a text has one of the names in it, also with other signs between its letters, as formats need it.
  func isTold(by text: String) -> Bool {
    let plain = Self.plain(text)
    return names.contains { name in
      // Names of a few letters are in many words.
      name.count >= 4
        ? plain.contains(name)
        : plain.hasPrefix(name) && plain.dropFirst(name.count).allSatisfy(\.isNumber)
    }
  }

  private static func plain(_ name: String) -> String {
    String(name.lowercased().filter { $0.isLetter || $0.isNumber })
  }
}
