import MeshPipeline

extension BatchItem.Place {
  /// The place of a scan.
  ///
  /// - Parameters:
  ///   - archive: The path of the folder or archive around it, without an ending.
  ///   - path: Of the mesh or of the capture's folder in there.
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
