import MeshPipeline

/// Paths in the user's form.
enum DiskPath {
  static func join(_ folder: String, _ name: String) -> String {
    if name.isEmpty { return folder }
    if folder == "." { return name }
    return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// A path without `.` parts, doubled and trailing slashes, so that each file has one name.
  static func plain(_ path: String) -> String {
    let parts = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    if path.hasPrefix("/") { return "/" + parts }
    return parts.isEmpty ? "." : parts
  }

  /// The name of a folder, even if its path ends in dots.
  static func folderName(_ path: String) -> String {
    let name = FileSystem.name(of: path)
    guard name.allSatisfy({ $0 == "." }) else { return name }
    return FileSystem.canonicalPath(of: path).map { FileSystem.name(of: $0) } ?? name
  }
}
