import Captures
import MeshPipeline

/// Collects items, each once and with a unique name.
struct ListingBuilder {
  private(set) var listing = BatchListing()
  let kinds: ScanKinds
  private let options: BatchInputs.Options
  private let filter: ItemFilter
  private let ignored: Set<FileStatus.Identity>
  private let cancellation: Cancellation
  private var names: Set<String> = []
  private var paths: Set<String> = []

  init(kinds: ScanKinds, options: BatchInputs.Options, cancellation: Cancellation) {
    self.kinds = kinds
    self.options = options
    self.cancellation = cancellation
    // A path that doesn't exist yet contains nothing.
    let folders = options.ignoredFolders.map { (try? FileSystem.status(of: $0)) ?? nil }
    ignored = Set(folders.compactMap { $0?.identity })
    filter = ItemFilter(include: options.include, exclude: options.exclude)
  }

  // MARK: Arguments

  /// Adds an existing path given by the user.
  mutating func add(named path: String) throws { try add(DiskPath.plain(path), isNamed: true) }

  /// Adds the matches of a pattern; files that are not scans are ignored.
  mutating func add(found path: String) throws { try add(DiskPath.plain(path), isNamed: false) }

  /// Adds the paths of a list; a missing one is a failed item.
  ///
  /// Their folders are relative to the one that they have in common.
  mutating func add(listed list: [String]) throws {
    let paths = list.map { path in
      let path = DiskPath.plain(path)
      return isIndexOfCapture(path) ? FileSystem.folder(of: path) : path
    }
    let folders = ListedFolders(of: paths)
    for path in paths {
      let place = folders.place(of: path)
      do throws(FileError) {
        if try FileSystem.status(of: path) == nil {
          throw FileError(.read, path, code: FileError.noSuchFile)
        }
      } catch {
        add(
          file: path, at: place,
          fault: BatchItem.Fault(exitCode: error.exitCode, message: error.message))
        continue
      }
      try add(path, isNamed: true, at: place)
    }
  }

  /// - Parameter place: The path relative to the input; nil for the name of the file or capture alone.
  private mutating func add(_ path: String, isNamed: Bool, at place: String? = nil) throws {
    if cancellation.isRequested { throw Cancelled() }
    guard let status = try FileSystem.status(of: path) else { return }
    let name = FileSystem.name(of: path)
    if status.isFolder {
      try add(folder: path, at: place)
    } else if kinds.isArchive(path), status.isRegularFile {
      if let stem = CaptureArchive.stem(of: name) {
        try add(archive: path, stem: stem, shownAs: name, isNamed: isNamed)
      }
    } else if status.isRegularFile,
      kinds.isMesh(path) || kinds.formats.reader(ofJSONScan: path) != nil
    {
      add(file: path, at: place, size: status.size)
    } else if isNamed {
      addOther(path, status, at: place)
    }
  }

  /// Adds a file that is neither a mesh nor an archive: one that identifies a capture, or a
  /// mistake.
  private mutating func addOther(_ path: String, _ status: FileStatus, at place: String?) {
    if isIndexOfCapture(path) { return add(capture: FileSystem.folder(of: path), at: place) }
    let explanation =
      kinds.formats.explanation(ofContentsOf: path)
      ?? "is not a scan (`meshpipe formats` lists what can be read)"
    let message =
      "\(path): \(status.isRegularFile ? explanation : "is neither a file nor a folder")"
    add(
      file: path, at: place, fault: BatchItem.Fault(exitCode: .unavailable, message: message))
  }

  private func isIndexOfCapture(_ path: String) -> Bool {
    !kinds.isMesh(path) && kinds.captures.isIndex(path)
  }

  // MARK: The disk

  private mutating func add(
    file path: String, at place: String?, size: Int = 0, fault: BatchItem.Fault? = nil
  ) {
    let place = place ?? FileSystem.name(of: path)
    guard filter.includes(place) else { return }
    add(
      BatchItem(
        name: path, place: BatchItem.Place(path: place), origin: .disk(path: path), size: size,
        fault: fault))
  }

  private mutating func add(capture folder: String, at path: String?, size: Int = 0) {
    let path = path ?? DiskPath.folderName(folder)
    guard filter.includes(path) else { return }
    let place = BatchItem.Place(path: path, isFolder: true)
    add(BatchItem(name: folder, place: place, origin: .disk(path: folder), size: size))
  }

  private mutating func add(folder root: String, at place: String?) throws {
    let walk = FolderWalk(root, filter: filter, ignoring: ignored)
    let archive = DiskPath.folderName(root)
    for find in ScanGrouping.finds(in: walk.files, kinds: kinds) {
      if cancellation.isRequested { throw Cancelled() }
      switch find {
      case .scan(let group):
        let size = (group.own + group.shared).reduce(0) { $0 + walk.files[$1].size }
        if group.path.isEmpty {
          add(capture: root, at: place, size: size)
        } else if filter.includes(group.path) {
          let path = DiskPath.join(root, group.path)
          let place = BatchItem.Place(archive: archive, path: group.path, isFolder: group.isCapture)
          add(BatchItem(name: path, place: place, origin: .disk(path: path), size: size))
        }
      case .archive(let index):
        let path = walk.files[index].path
        try add(
          archive: DiskPath.join(root, path), stem: CaptureArchive.stem(of: path) ?? path,
          shownAs: path, isNamed: false)
      case .refused: break
      }
    }
    for (path, fault) in walk.faults {
      let name = DiskPath.join(root, path)
      let place = BatchItem.Place(archive: archive, path: path, isFolder: true)
      add(BatchItem(name: name, place: place, origin: .disk(path: name), fault: fault))
    }
  }

  /// Adds an item on disk, unless it was added before.
  private mutating func add(_ item: BatchItem) {
    guard case .disk(let path) = item.origin, paths.insert(path).inserted else { return }
    append(item, archive: nil)
  }

  private mutating func append(_ item: BatchItem, archive: Int?) {
    var item = item
    var number = 2
    while !names.insert(item.name).inserted {
      item.name = "\(item.name) (\(number))"
      number += 1
    }
    listing.items.append(item)
    listing.archives.append(item.fault == nil ? archive : nil)
  }

  // MARK: Archives

  /// - Parameters:
  ///   - stem: The archive's path without extension, relative to the input.
  ///   - shown: Its path with extension, as seen by patterns.
  private mutating func add(
    archive path: String, stem: String, shownAs shown: String, isNamed: Bool
  ) throws {
    guard !filter.excludes(shown), paths.insert(path).inserted else { return }
    let index = try ArchiveIndexing.index(
      path, limits: options.limits, temporaryFolder: options.temporaryFolder,
      cancellation: cancellation)
    let scans = ArchiveScans(
      kinds: kinds, limits: options.limits, outermost: path,
      includes: { [filter] in filter.includes($0) })
    let (tree, items) = scans.tree(
      of: index, at: path, ArchiveScans.View(name: path, member: "", stem: stem, shown: shown),
      firstItem: listing.items.count)
    if items.isEmpty, isNamed, !filter.narrows {
      let place = BatchItem.Place(path: FileSystem.name(of: path))
      let fault = BatchItem.Fault(message: "\(path): the archive contains no scan")
      append(
        BatchItem(name: path, place: place, origin: .disk(path: path), fault: fault), archive: nil)
    }
    for item in items { append(item, archive: listing.trees.count) }
    listing.trees.append(tree)
  }
}
