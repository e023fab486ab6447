import MeshPipeline

/// A scan with some files on disk, and others still to come.
struct OpenScan {
  /// Private to the scan.
  let folder: String
  /// The prefix of its files' paths: the name of a capture's folder.
  private let prefix: String
  private let base: String
  /// The mesh, or the folder of the capture.
  let mainPath: String
  /// Bytes unpacked so far.
  var bytes = 0
  private var hashes: [(name: String, hash: String)] = []

  init(_ group: ScanGroup, of item: BatchItem, in folder: String) throws {
    self.folder = try FileSystem.createPrivateFolder(prefix: folder + "/item-")
    prefix = group.isCapture ? item.place.stem + "/" : ""
    mainPath =
      group.isCapture
      ? "\(self.folder)/\(item.place.stem)" : "\(self.folder)/\(FileSystem.name(of: group.path))"
    base = group.folder.isEmpty ? "" : group.folder + "/"
  }

  /// The path for a file of the archive.
  func path(for file: ListedFile) -> String { "\(folder)/\(prefix)\(name(of: file))" }

  private func name(of file: ListedFile) -> Substring { file.path.dropFirst(base.count) }

  /// Records a complete file.
  mutating func add(_ file: ListedFile, hash: String) {
    hashes.append((String(name(of: file)), hash))
  }

  /// The hash over the names and the bytes of all files.
  var contentHash: String {
    var hash = SHA256()
    for file in hashes.sorted(by: { $0.name < $1.name }) {
      hash.update(Array(file.name.utf8)[...])
      hash.update([0])
      hash.update(Array(file.hash.utf8)[...])
    }
    return hash.finish()
  }
}
