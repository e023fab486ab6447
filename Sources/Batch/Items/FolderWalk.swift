import MeshPipeline

/// The files of a folder on disk, at any depth.
struct FolderWalk {
  private(set) var files: [ListedFile] = []
  /// Unreadable folders and files, with the reason.
  private(set) var faults: [(path: String, fault: BatchItem.Fault)] = []
  private let root: String
  private let filter: ItemFilter
  private let ignored: Set<FileStatus.Identity>

  /// The maximum depth of nested folders.
  private static let maximumDepth = 100

  /// - Parameters:
  ///   - filter: Folders that it excludes by name are not read.
  ///   - ignored: Folders to skip.
  init(_ root: String, filter: ItemFilter, ignoring ignored: Set<FileStatus.Identity> = []) {
    self.root = root
    self.filter = filter
    self.ignored = ignored
    visit("", depth: 0)
  }

  private mutating func visit(_ folder: String, depth: Int) {
    guard depth <= Self.maximumDepth else {
      let message = "there are folders more than \(Self.maximumDepth) deep"
      faults.append((folder, BatchItem.Fault(message: message)))
      return
    }
    do throws(FileError) {
      for name in try FileSystem.names(inFolder: path(of: folder)) where !ListedFile.isHidden(name)
      {
        try look(at: folder.isEmpty ? name : "\(folder)/\(name)", depth: depth)
      }
    } catch {
      faults.append((folder, BatchItem.Fault(exitCode: error.exitCode, message: error.message)))
    }
  }

  private mutating func look(at path: String, depth: Int) throws(FileError) {
    if filter.excludes(path) { return }
    guard let status = try FileSystem.status(of: self.path(of: path)) else {
      // A dangling link.
      return
    }
    if ignored.contains(status.identity) { return }
    if status.isRegularFile {
      files.append(ListedFile(path: path, size: status.size))
    } else if status.isFolder, !FileSystem.isSymbolicLink(self.path(of: path)) {
      // A linked folder could contain the folder of the link.
      visit(path, depth: depth + 1)
    }
  }

  private func path(of relative: String) -> String { DiskPath.join(root, relative) }
}
