import MeshPipeline

/// Opens the side files of a scan: material libraries, textures, buffers.
///
/// Nothing outside the folder of the main file is opened, whether by `..`, an absolute path or a
/// symbolic link, unless the context allows it.
struct SideFileOpener {
  private let search: SideFileSearch
  private let root: String?
  private let context: ReadingContext

  /// - Parameter mainPath: The file that refers to the others.
  init(mainPath: String, context: ReadingContext) {
    let folder = FileSystem.folder(of: mainPath)
    search = SideFileSearch(in: folder, leavesFolder: context.allowsExternalFiles)
    root = FileSystem.canonicalPath(of: folder)
    self.context = context
  }

  /// The folder of the main file.
  var folder: String { search.folder }

  /// The result of looking for a file.
  enum Outcome {
    case found(MappedFile, canonicalPath: String)
    case missing
    /// It exists where it must not be opened.
    case outside
    case unreadable(FileError)
  }

  /// Looks for a file named in a file of this folder: see ``SideFileSearch``.
  ///
  /// - Parameters:
  ///   - name: A path relative to the folder, or an absolute one, in any spelling.
  ///   - subfolder: The folder of the file that refers to it, relative to the main file's.
  ///   - isPicture: Whether another ending of pictures may be taken, with a warning.
  func open(_ name: String, subfolder: String = "", isPicture: Bool = false) -> Outcome {
    var worst = Outcome.missing
    let found = search.first(name, subfolder: subfolder, isPicture: isPicture) { path, isWritten in
      let outcome = openExactly(path)
      switch outcome {
      case .found: return outcome
      case .missing: if isWritten { context.didMiss(path) }
      case .outside, .unreadable: if case .missing = worst { worst = outcome }
      }
      return nil
    }
    guard let found else { return worst }
    if found.match != .name {
      let taken = FileSystem.name(of: found.path)
      context.stage.warn(
        found.match == .otherEnding
          ? "'\(name)' does not exist; '\(taken)' is taken"
          : "'\(name)' does not exist, but several files with that name in another case; '\(taken)' is taken"
      )
    }
    return found.file
  }

  /// The tiles that the name of a picture stands for: see ``SideFileSearch/tiles(of:subfolder:)``.
  func tiles(of name: String, subfolder: String) -> TextureTiles? {
    search.tiles(of: name, subfolder: subfolder).map {
      TextureTiles(name: name, paths: $0.paths, named: $0.named)
    }
  }

  /// The picture of a tile, at a path of ``tiles(of:subfolder:)``.
  func tile(at path: String) -> Texture? {
    guard case .found(let file, _) = openExactly(path) else { return nil }
    defer { didFinish(file) }
    return Texture(
      file.withBytes { [UInt8](copying: $0) },
      fileName: FileSystem.name(of: path).withoutForeignBytes)
  }

  /// Whether a file that is named so exists, be it one that must not be opened.
  func exists(_ name: String, subfolder: String) -> Bool {
    search.first(name, subfolder: subfolder) { path, _ in FileSystem.canonicalPath(of: path) }
      != nil
  }

  private func openExactly(_ path: String) -> Outcome {
    guard let canonical = FileSystem.canonicalPath(of: path) else { return .missing }
    if !context.allowsExternalFiles {
      guard let root else { return .missing }
      guard FileSystem.isPath(canonical, below: root) else { return .outside }
    }
    do throws(FileError) {
      let file = try MappedFile(path: canonical, allowsPipes: false)
      context.didOpen(path.hasPrefix("./") ? String(path.dropFirst(2)) : path)
      return .found(file, canonicalPath: canonical)
    } catch {
      return .unreadable(error)
    }
  }

  /// Call it after reading everything from a file that this opened.
  func didFinish(_ file: MappedFile) { context.didFinish(file) }

  /// Opens a file, or warns the user why not.
  ///
  /// - Parameters:
  ///   - purpose: What it is, such as `the image`.
  ///   - source: The file that refers to it, such as `room.mtl`.
  func openOrWarn(
    _ name: String, subfolder: String = "", purpose: String, source: String, isPicture: Bool = false
  ) -> (file: MappedFile, canonicalPath: String)? {
    switch open(name, subfolder: subfolder, isPicture: isPicture) {
    case .found(let file, let path):
      return (file, path)
    case .missing:
      context.stage.warn("\(source): \(purpose) '\(name)' does not exist and is ignored")
    case .outside:
      context.stage.warn(
        "\(source): \(purpose) '\(name)' is outside the scan's folder and was not opened; --allow-external opens it"
      )
    case .unreadable(let error):
      context.stage.warn("\(source): \(purpose) '\(name)' is ignored: \(error.message)")
    }
    return nil
  }
}
