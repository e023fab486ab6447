/// A file of a folder or of an archive, known by name.
struct ListedFile: Sendable {
  /// Relative to the folder or the archive, with slashes.
  var path: String
  /// In bytes.
  var size: Int
  /// The index of its archive entry; 0 on disk.
  var ordinal = 0
  /// Why it must not be opened; nil if it may be.
  var refusal: String?

  /// Whether a name is hidden or left behind by a system.
  static func isHidden(_ path: String) -> Bool {
    path.split(separator: "/").contains { ($0.hasPrefix(".") && $0 != "..") || $0 == "__MACOSX" }
  }
}

/// A folder with its files and folders, known by name.
struct ListedFolder: Sendable {
  /// As indices in the list from which the folder was made.
  private(set) var files: [String: Int] = [:]
  private(set) var folders: [String: ListedFolder] = [:]
  /// Whether it contains a mesh at any depth.
  private(set) var holdsMesh = false

  /// Makes the root folder of all files of a list.
  init(_ files: [ListedFile], isMesh: (String) -> Bool) {
    for (index, file) in files.enumerated() {
      insert(index, at: file.path.split(separator: "/")[...], isMesh: isMesh(file.path))
    }
  }

  private init() {}

  private mutating func insert(_ index: Int, at parts: ArraySlice<Substring>, isMesh: Bool) {
    guard let first = parts.first else { return }
    holdsMesh = holdsMesh || isMesh
    if parts.count == 1 {
      // Of two files with the same name the first represents both: they are refused together.
      if files[String(first)] == nil { files[String(first)] = index }
    } else {
      folders[String(first), default: ListedFolder()]
        .insert(index, at: parts.dropFirst(), isMesh: isMesh)
    }
  }

  /// The names in the folder.
  var names: [String] { Array(files.keys) + folders.keys }

  /// Whether there is a file or folder at a relative path.
  func holds(_ path: String) -> Bool {
    var folder = self
    let parts = path.split(separator: "/")
    for part in parts.dropLast() {
      guard let next = folder.folders[String(part)] else { return false }
      folder = next
    }
    guard let last = parts.last.map({ String($0) }) else { return false }
    return folder.files[last] != nil || folder.folders[last] != nil
  }

  /// All files at any depth, as indices in the list, in its order.
  var allFiles: [Int] {
    var result: [Int] = []
    collect(into: &result)
    return result.sorted()
  }

  private func collect(into result: inout [Int]) {
    result += files.values
    for folder in folders.values { folder.collect(into: &result) }
  }
}
