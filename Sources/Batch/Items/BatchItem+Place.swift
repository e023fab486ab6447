import MeshPipeline

extension BatchItem.Place {
  /// The location of a scan.
  ///
  /// - Parameters:
  ///   - archive: The path of the containing folder or archive, without extension.
  ///   - path: The path of the mesh or of the capture's folder in it.
  init(archive: String = "", path: String, isFolder: Bool = false) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[..<$0]) } ?? ""
    let name = FileSystem.name(of: path)
    let stem = isFolder ? name : FileSystem.stem(of: name)
    self.init(
      archive: archive, folder: folder, stem: stem,
      fileExtension: isFolder ? "" : String(name.dropFirst(stem.count + 1)))
  }
}
