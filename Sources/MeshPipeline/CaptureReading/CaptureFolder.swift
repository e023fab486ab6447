/// A folder that may be a capture.
public struct CaptureFolder: Sendable {
  /// The path, without a slash at its end.
  public let path: String
  /// The names in the folder, sorted.
  public let names: [String]
  /// The name of the file in the folder that the user named as the capture; nil when it was the folder.
  public let fileName: String?
  private let nameSet: Set<String>
  /// Whether a folder that is not on the disk has a file or folder; nil when it is.
  private let holds: (@Sendable (String) -> Bool)?

  public init(_ path: String, fileName: String? = nil) throws(FileError) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    self.fileName = fileName
    names = try FileSystem.names(inFolder: self.path).sorted()
    nameSet = Set(names)
    holds = nil
  }

  /// A folder of which nothing but names is known, such as one in an archive: enough to tell a layout,
  /// and to find the mesh.
  ///
  /// - Parameters:
  ///   - names: The names in the folder.
  ///   - holds: Whether there is a file or folder at a path below the folder.
  public init(
    listed path: String, names: [String], holds: @escaping @Sendable (String) -> Bool
  ) {
    self.path = path
    self.names = names.sorted()
    nameSet = Set(names)
    fileName = nil
    self.holds = holds
  }

  /// The folder around this one; nil when it can't be listed.
  public var parent: CaptureFolder? {
    holds == nil ? try? CaptureFolder(FileSystem.folder(of: path)) : nil
  }

  /// The path of a file in the folder.
  public func path(of name: String) -> String { path == "." ? name : "\(path)/\(name)" }

  /// Whether there is a file or folder of this name, which may be a path below the folder.
  public func has(_ name: String) -> Bool {
    if nameSet.contains(name) { return true }
    if let holds { return name.contains("/") && holds(name) }
    guard name.contains("/"), let status = try? FileSystem.status(of: path(of: name)) else {
      return false
    }
    return status.isFolder || status.isRegularFile
  }

  /// The names in the folder and in the folders in it.
  ///
  /// A file that is new among them may be a frame.
  public var deepNames: [String] {
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
