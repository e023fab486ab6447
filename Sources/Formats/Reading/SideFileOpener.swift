import MeshPipeline

/// Opens the side files of a scan: material libraries, textures, buffers.
///
/// Nothing outside the folder of the main file is opened, whether by `..`, an absolute path or a
/// symbolic link, unless the context allows it.
struct SideFileOpener {
  private let folder: String
  private let root: String?
  private let context: ReadingContext

  /// - Parameter mainPath: The file that refers to the others.
  init(mainPath: String, context: ReadingContext) {
    folder = FileSystem.folder(of: mainPath)
    root = FileSystem.canonicalPath(of: folder)
    self.context = context
  }

  /// The result of looking for a file.
  enum Outcome {
    case found(MappedFile, canonicalPath: String)
    case missing
    /// It exists where it must not be opened.
    case outside
    case unreadable(FileError)
  }

  /// Looks for a file named in a file of this folder.
  ///
  /// - Parameters:
  ///   - name: A path relative to the folder, or an absolute one, with slashes or backslashes. If
  ///     nothing exists there, the bare file name is looked up in the folder, since many programs
  ///     write the path of the original machine.
  ///   - subfolder: The folder of the file that refers to it, relative to the main file's.
  func open(_ name: String, subfolder: String = "") -> Outcome {
    guard !name.isEmpty, !name.utf8.contains(0) else { return .missing }
    let path = String(name.map { $0 == "\\" ? "/" : $0 })
    var candidates: [String] = []
    if path.hasPrefix("/") { candidates.append(path) }
    if !subfolder.isEmpty { candidates.append("\(folder)/\(subfolder)/\(path)") }
    candidates += ["\(folder)/\(path)", "\(folder)/\(FileSystem.name(of: path))"]
    var worst = Outcome.missing
    for candidate in candidates {
      let outcome = openExactly(candidate)
      switch outcome {
      case .found: return outcome
      case .missing: context.didMiss(candidate)
      case .outside, .unreadable: if case .missing = worst { worst = outcome }
      }
    }
    return worst
  }

  private func openExactly(_ path: String) -> Outcome {
    guard let canonical = FileSystem.canonicalPath(of: path) else { return .missing }
    if !context.allowsExternalFiles {
      guard let root else { return .missing }
      guard canonical.hasPrefix(root == "/" ? "/" : root + "/") else { return .outside }
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
    _ name: String, subfolder: String = "", purpose: String, source: String
  ) -> (file: MappedFile, canonicalPath: String)? {
    switch open(name, subfolder: subfolder) {
    case .found(let file, let path):
      return (file, path)
    case .missing:
      context.stage.warn("\(source): \(purpose) '\(name)' does not exist and is ignored")
    case .outside:
      context.stage.warn(
        "\(source): \(purpose) '\(name)' is outside the scan's folder and was not opened")
    case .unreadable(let error):
      context.stage.warn("\(source): \(purpose) '\(name)' is ignored: \(error.message)")
    }
    return nil
  }
}
