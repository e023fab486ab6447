import MeshpipeBase

/// A folder that may contain a capture.
package struct CaptureFolder: Sendable {
  /// The path, without a trailing slash.
  package let path: String
  /// The names in the folder, sorted.
  package let names: [String]
  /// The name of the file given by the user to identify the capture; nil if the folder was given.
  package let fileName: String?
  private let nameSet: Set<String>
  /// Whether a virtual folder has a file or folder; nil for a folder on disk.
  private let holds: (@Sendable (String) -> Bool)?

  package init(_ path: String, fileName: String? = nil) throws(FileError) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    self.fileName = fileName
    names = try FileSystem.names(inFolder: self.path).sorted()
    nameSet = Set(names)
    holds = nil
  }

  /// A folder of which only names are known, such as one in an archive: enough to recognise a
  /// layout and to find the mesh.
  ///
  /// - Parameters:
  ///   - names: The names in the folder.
  ///   - holds: Whether there is a file or folder at a relative path.
  package init(
    listed path: String, names: [String], holds: @escaping @Sendable (String) -> Bool
  ) {
    self.path = path
    self.names = names.sorted()
    nameSet = Set(names)
    fileName = nil
    self.holds = holds
  }

  /// Whether only names are known.
  package var isListed: Bool { holds != nil }

  /// The parent folder; nil if it can't be listed.
  package var parent: CaptureFolder? {
    holds == nil ? try? CaptureFolder(FileSystem.folder(of: path)) : nil
  }

  /// The path of a file in the folder.
  package func path(of name: String) -> String { path == "." ? name : "\(path)/\(name)" }

  /// Whether there is a file or folder at a relative path.
  package func has(_ name: String) -> Bool {
    if nameSet.contains(name) { return true }
    if let holds { return name.contains("/") && holds(name) }
    guard name.contains("/"), let status = try? FileSystem.status(of: path(of: name)) else {
      return false
    }
    return status.isFolder || status.isRegularFile
  }

  /// The names in the folder and its subfolders.
  ///
  /// A new file among them may be a frame.
  package var deepNames: [String] {
    names.flatMap { name -> [String] in
      guard !name.contains("."), let inner = try? CaptureFolder(path(of: name)) else {
        return [name]
      }
      let below = inner.names.flatMap { child -> [String] in
        guard !child.contains("."),
          let names = try? FileSystem.names(inFolder: inner.path(of: child))
        else { return [child] }
        return [child] + names.map { "\(child)/\($0)" }
      }
      return [name] + below.map { "\(name)/\($0)" }
    }
  }
}
