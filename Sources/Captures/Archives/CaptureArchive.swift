package import MeshPipeline
package import NativeLibraries

/// A scan in an archive: a capture folder, or a mesh with its companion files.
package enum CaptureArchive {
  /// The extensions of archives.
  package static let endings = [
    ".zip", ".7z", ".r3d", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".txz", ".tar.zst",
    ".tzst",
  ]

  /// The path without the archive's extension: `scans/room` for `scans/room.tar.gz`; nil if it is
  /// not an archive.
  package static func stem(of path: String) -> String? {
    let name = path.lowercased()
    guard let ending = endings.filter({ name.hasSuffix($0) }).max(by: { $0.count < $1.count }),
      FileSystem.name(of: path).count > ending.count
    else { return nil }
    return String(path.dropLast(ending.count))
  }

  /// The only archive in a mesh's folder that contains a capture, judged by the names in it, and
  /// the capture's layout; nil if there is none, or several.
  ///
  /// Only zip and plain tar archives are examined, since they list their names without being
  /// unpacked.
  package static func find(
    besideMesh path: String
  ) -> (path: String, layout: any CaptureLayout.Type)? {
    guard let folder = try? CaptureFolder(FileSystem.folder(of: path)) else { return nil }
    let found = folder.names.compactMap { name in
      layout(listedIn: folder.path(of: name)).map { (path: folder.path(of: name), layout: $0) }
    }
    return found.count == 1 ? found[0] : nil
  }

  private static func layout(listedIn path: String) -> (any CaptureLayout.Type)? {
    guard [".zip", ".r3d", ".tar"].contains(where: path.lowercased().hasSuffix),
      let reader = try? ArchiveReader(path)
    else { return nil }
    var folders: [String: Set<String>] = [:]
    while let entry = try? reader.next() {
      var path = entry.name
      while path != "." && path != "/" {
        folders[FileSystem.folder(of: path), default: []].insert(FileSystem.name(of: path))
        path = FileSystem.folder(of: path)
      }
    }
    let listed = folders
    for (folder, names) in listed.sorted(by: { $0.key < $1.key }) {
      let place = CaptureFolder(listed: folder, names: Array(names)) { name in
        let path = folder == "." ? name : "\(folder)/\(name)"
        return listed[FileSystem.folder(of: path)]?.contains(FileSystem.name(of: path)) == true
      }
      if let layout = builtInLayouts.first(where: { $0.isPresent(in: place) }) { return layout }
    }
    return nil
  }

  /// Unpacks an archive into an empty, private folder.
  ///
  /// - Throws: An ``ArchiveError`` if the archive is damaged, exceeds a limit, or contains a name
  ///   that escapes the folder, a link, a device, an encrypted file, or two files whose names
  ///   differ only in case.
  package static func unpack(
    _ path: String, into folder: String, limits: ArchiveReader.Limits = ArchiveReader.Limits(),
    for run: (any Cancellable)? = nil
  ) throws {
    let reader = try ArchiveReader(path, limits: limits, for: run)
    var names: Set<String> = []
    while let entry = try reader.next() {
      try run?.checkCancellation()
      if let refusal = entry.refusal {
        throw ArchiveError(path: path, reason: "is refused, for '\(entry.name)': \(refusal)")
      }
      let target = "\(folder)/\(entry.name)"
      if entry.kind == .folder {
        try makeFolder(target, of: entry.name, in: path)
        continue
      }
      guard names.insert(entry.name.lowercased()).inserted else {
        throw ArchiveError(
          path: path, reason: "is refused, for '\(entry.name)': another file has the same name")
      }
      try makeFolder(FileSystem.folder(of: target), of: entry.name, in: path)
      if try FileSystem.status(of: target)?.isFolder == true {
        throw conflict(of: entry.name, in: path)
      }
      let file = try FileWriter(creating: target)
      try reader.forEachBlock { block in
        try run?.checkCancellation()
        try file.write(block)
      }
      // The whole folder is removed at the end.
      try file.finish(synchronizing: false)
    }
    if let damage = reader.damage { throw damage }
  }

  /// Creates a folder for an entry, unless a file of the archive has its name.
  private static func makeFolder(_ folder: String, of name: String, in archive: String) throws {
    do throws(FileError) {
      try FileSystem.createFolder(folder)
    } catch {
      // One of its parents may be the file.
      var place = folder
      while try FileSystem.status(of: place) == nil, place != "/", place != "." {
        place = FileSystem.folder(of: place)
      }
      guard try FileSystem.status(of: place)?.isFolder == false else { throw error }
      throw conflict(of: name, in: archive)
    }
  }

  private static func conflict(of name: String, in archive: String) -> ArchiveError {
    ArchiveError(
      path: archive, reason: "is refused, for '\(name)': a file and a folder have the same name")
  }
}
