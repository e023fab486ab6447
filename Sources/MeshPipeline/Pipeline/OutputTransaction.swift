import MeshpipeBase
import POSIX

/// The files of a run while they are written, and the moment when all of them appear.
///
/// Each output is written to a private folder next to its destination (``begin(_:)``). ``commit()``
/// then renames everything into place, side files first, main files last; files whose bytes would
/// not change are left alone. If anything fails before, the destinations are unchanged.
package final class OutputTransaction {
  /// An output being written.
  private struct Staged {
    /// The path as given by the user.
    var path: String
    /// The destination folder, with symbolic links resolved for the main file.
    var folder: String
    var output: OutputSet
    /// Names of the files, the main file last.
    var files: [String] = []
  }

  /// A file being written.
  private struct Move {
    var source: String
    var target: String
    var isMain: Bool
    /// The permissions of the replaced file; nil for a new file.
    var permissions: UInt32?
    var isUnchanged: Bool
  }

  private let overwriting: PipelineRunner.Overwriting
  private let touchesUnchanged: Bool
  private let hashes: Bool
  private let standardOutput: Int32
  private var inputs: [FileStatus.Identity: String] = [:]
  private var staged: [Staged] = []
  private var madeFolders: [String] = []

  /// Begins a transaction.
  ///
  /// - Parameters:
  ///   - touchesUnchanged: Whether unchanged files get a new time.
  ///   - hashes: Whether to compute the SHA-256 of every file.
  ///   - standardOutput: The destination of the output `-`.
  package init(
    overwriting: PipelineRunner.Overwriting = .allowed, touchesUnchanged: Bool = false,
    hashes: Bool = false, standardOutput: Int32 = 1
  ) {
    self.overwriting = overwriting
    self.touchesUnchanged = touchesUnchanged
    self.hashes = hashes
    self.standardOutput = standardOutput
  }

  deinit { abandon() }

  /// Removes the files of every unfinished transaction of the process, and prevents further
  /// commits.
  ///
  /// For the thread that ends the process after a signal; waits for a commit in progress.
  package static func abandonAll() { StagingFolders.removeAll() }

  /// The folder for this process's unfinished outputs, if it is on the volume of their destination;
  /// nil, the default, for private folders next to their destinations.
  ///
  /// It gives a single place to clean up after a killed process.
  package static var stagingFolder: String? {
    get { StagingFolders.root }
    set { StagingFolders.root = newValue }
  }

  /// Registers input files, which no output may replace.
  package func protect(_ paths: [String]) {
    for path in paths {
      if let status = try? FileSystem.status(of: path) { inputs[status.identity] = path }
    }
  }

  /// Checks that an output may be written, before any work is done for it.
  package func check(_ path: String) throws {
    guard path != "-" else { return }
    let status: FileStatus?
    do throws(FileError) {
      status = try FileSystem.status(of: path)
      if status == nil { try checkFolder(of: path) }
    } catch {
      throw FileError(.create, path, code: error.code)
    }
    if let status { try refuse(path, status, isUnchanged: false) }
  }

  /// Checks that the folder of a new file can be written to, or created.
  private func checkFolder(of path: String) throws(FileError) {
    var folder = FileSystem.folder(of: path)
    while true {
      if let status = try FileSystem.status(of: folder) {
        if !status.isFolder { throw FileError(.create, path, code: ENOTDIR) }
        if !FileSystem.isWritable(folder) { throw FileError(.create, path, code: EACCES) }
        return
      }
      let parent = FileSystem.folder(of: folder)
      if parent == folder { return }
      folder = parent
    }
  }

  /// Begins an output.
  ///
  /// - Parameter path: The destination of its main file; `-` for standard output.
  package func begin(_ path: String) throws -> OutputSet {
    try check(path)
    let isStandardOutput = path == "-"
    // A link stays a link; its target is replaced.
    let target = isStandardOutput ? path : FileSystem.canonicalPath(of: path) ?? path
    let folder = isStandardOutput ? FileSystem.temporaryFolder : FileSystem.folder(of: target)
    let (staging, made) = try StagingFolders.create(in: folder)
    madeFolders += made
    let name = isStandardOutput ? "output" : FileSystem.name(of: target)
    let output = OutputSet(
      folder: staging, mainFileName: name, finalFolder: isStandardOutput ? nil : folder)
    staged.append(Staged(path: path, folder: folder, output: output))
    return output
  }

  /// Completes an output whose files are all written.
  package func seal(_ output: OutputSet) throws {
    guard let index = staged.firstIndex(where: { $0.output.folder == output.folder }) else {
      preconditionFailure("the output was not begun by this transaction")
    }
    let names = try FileSystem.deepNames(inFolder: output.folder)
    guard names.contains(output.mainFileName) else {
      if try FileSystem.status(of: output.folder) == nil {
        throw FileError(.create, staged[index].path, code: FileError.noSuchFile)
      }
      throw OutputFailure.notWritten(staged[index].path)
    }
    if staged[index].path == "-", names.count > 1 { throw OutputFailure.severalFiles(names) }
    for name in names { try FileSystem.synchronize(output.sidePath(name)) }
    staged[index].files = names.filter { $0 != output.mainFileName } + [output.mainFileName]
  }

  /// Discards an output; the others stay.
  package func abandon(_ output: OutputSet) {
    staged.removeAll { $0.output.folder == output.folder }
    StagingFolders.remove(output.folder)
  }

  /// Discards everything that is not committed.
  package func abandon() {
    for entry in staged { StagingFolders.remove(entry.output.folder) }
    staged = []
    StagingFolders.settle(madeFolders, keeping: false)
    madeFolders = []
  }

  /// Puts all outputs in place.
  ///
  /// - Returns: The files of each output, in the order of ``begin(_:)``, main file first.
  /// - Throws: Before anything is changed; or, if the system refuses to rename, after the changes
  ///   are undone.
  package func commit() throws -> [[RunReport.FileReport]] {
    defer { abandon() }
    var moves: [Move] = []
    var reports: [[RunReport.FileReport]] = []
    for entry in staged {
      let files = try entry.files.map { try prepare($0, of: entry, &moves) }
      reports.append(files.reversed())
    }
    let ordered = moves.filter { !$0.isMain } + moves.filter(\.isMain)
    for move in ordered { try refuse(move) }
    // Before any file: if its reader stops reading, no file has changed.
    for entry in staged where entry.path == "-" {
      try FileSystem.copy(
        entry.output.mainPath, to: standardOutput, named: "standard output")
    }
    try StagingFolders.whileOpen { try apply(ordered) }
    StagingFolders.settle(madeFolders, keeping: true)
    madeFolders = []
    return reports
  }

  // MARK: Refusals

  private func refuse(_ move: Move) throws {
    guard let status = try FileSystem.status(of: move.target) else { return }
    try refuse(move.target, status, isUnchanged: move.isUnchanged)
  }

  private func refuse(_ path: String, _ status: FileStatus, isUnchanged: Bool) throws {
    if status.isFolder { throw OutputFailure.isFolder(path) }
    if !status.isRegularFile { throw OutputFailure.isSpecial(path) }
    if overwriting == .never { throw OutputFailure.exists(path) }
    if isUnchanged { return }
    if let input = inputs[status.identity] { throw OutputFailure.isInput(path, input: input) }
    // Even for a user who can write everything, a file without write permission is preserved.
    let isReadOnly = status.permissions & 0o222 == 0 || !FileSystem.isWritable(path)
    if isReadOnly, overwriting != .forced { throw OutputFailure.isReadOnly(path) }
  }

  // MARK: Commit

  private func prepare(
    _ name: String, of entry: Staged, _ moves: inout [Move]
  ) throws -> RunReport.FileReport {
    let source = entry.output.sidePath(name)
    let isMain = name == entry.output.mainFileName
    let bytes = try FileSystem.status(of: source)?.size ?? 0
    let sha256 = hashes ? try SHA256.hexadecimal(ofFile: source) : ""
    if entry.path == "-" {
      return .init(path: "-", bytes: bytes, sha256: sha256, isUnchanged: false)
    }
    let target = entry.folder == "." ? name : "\(entry.folder)/\(name)"
    let shown = isMain ? entry.path : FileSystem.path(of: name, beside: entry.path)
    if let other = moves.first(where: { $0.target == target }) {
      // Two outputs may share a side file, such as a texture, if it is identical.
      guard try FileSystem.haveSameContents(source, other.source) else {
        throw OutputFailure.conflict(shown)
      }
      return .init(path: shown, bytes: bytes, sha256: sha256, isUnchanged: other.isUnchanged)
    }
    let existing = try FileSystem.status(of: target)
    let isUnchanged =
      existing?.isRegularFile == true && existing?.size == bytes
      ? try FileSystem.haveSameContents(source, target) : false
    moves.append(
      Move(
        source: source, target: target, isMain: isMain, permissions: existing?.permissions,
        isUnchanged: isUnchanged))
    return .init(path: shown, bytes: bytes, sha256: sha256, isUnchanged: isUnchanged)
  }

  /// Makes the folder of a side file below that of its main file.
  private func makeFolder(of path: String) throws {
    let missing = try StagingFolders.missingFolders(upTo: FileSystem.folder(of: path))
    madeFolders = missing + madeFolders
    if let folder = missing.first { try FileSystem.createFolder(folder) }
  }

  private func apply(_ moves: [Move]) throws {
    var done: [(move: Move, backup: String?)] = []
    do {
      for move in moves {
        if move.isUnchanged {
          if touchesUnchanged { try FileSystem.touch(move.target) }
          continue
        }
        var backup: String?
        if let permissions = move.permissions {
          try FileSystem.setPermissions(permissions, of: move.source)
          let name = move.source + ".before"
          if FileSystem.link(move.target, as: name) { backup = name }
        }
        try makeFolder(of: move.target)
        try FileSystem.rename(move.source, to: move.target)
        done.append((move, backup))
      }
    } catch {
      for (move, backup) in done.reversed() {
        if let backup {
          try? FileSystem.rename(backup, to: move.target)
        } else if move.permissions == nil {
          try? FileSystem.removeFile(move.target)
        }
      }
      throw error
    }
    for folder in Set(done.map { FileSystem.folder(of: $0.move.target) }).sorted() {
      try FileSystem.synchronize(folder)
    }
  }
}

/// Why an output can't be put in place.
package enum OutputFailure: UserError, Equatable {
  case isInput(String, input: String)
  case isFolder(String)
  case isSpecial(String)
  case isReadOnly(String)
  case exists(String)
  case conflict(String)
  case notWritten(String)
  case severalFiles([String])

  package var exitCode: ExitCode {
    if case .notWritten = self { .software } else { .cannotCreate }
  }

  package var message: String {
    switch self {
    case .isInput(let path, let input):
      "\(path): would overwrite the input '\(input)'; choose another name or folder"
    case .isFolder(let path): "\(path): is a folder"
    case .isSpecial(let path): "\(path): is not a regular file; use '-' for standard output"
    case .isReadOnly(let path): "\(path): is read-only; use --force to replace it"
    case .exists(let path): "\(path): already exists, and --no-overwrite is set"
    case .conflict(let path): "\(path): two outputs write different files of this name"
    case .notWritten(let path): "\(path): the format wrote no file"
    case .severalFiles(let names):
      "standard output can take only one file, but the format writes \(names.joined(separator: ", "))"
    }
  }
}
