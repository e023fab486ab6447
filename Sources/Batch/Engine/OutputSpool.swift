public import MeshPipeline

/// The outputs of a batch on their way into an archive.
///
/// Workers write them as files into a folder beside the journal; at the end they are put into the archive
/// in the order of their names, and the files are removed. A note of what the archive holds is kept, so
/// that a batch that is resumed knows which outputs still stand in it.
public struct OutputSpool {
  public let archive: OutputArchive
  /// Where files wait for the archive.
  public let folder: String
  private let notePath: String
  /// What the archive holds, by name; empty when it is not as it was left.
  private let held: [String: JournalEntry.File]

  /// - Parameter batch: The folder of the journal.
  public init(_ archive: OutputArchive, in batch: BatchFolder) {
    self.archive = archive
    let name = FileSystem.name(of: archive.path)
    // As a template writes paths, so that an output's path can be told to stand in it.
    folder = DiskPath.plain("\(batch.path)/outputs/\(name)")
    notePath = "\(batch.path)/outputs/\(name).json"
    held = Self.read(notePath, of: archive.path)
  }

  /// The folder in which the journal of a batch into an archive is kept: the archive's own.
  public static func root(of archive: OutputArchive) -> String {
    FileSystem.folder(of: archive.path)
  }

  /// The template by which workers write into the folder.
  public func template() throws(TemplateFault) -> OutputTemplate {
    // A brace in the archive's name is none of the template's.
    let start = folder.replacing("{", with: "{{").replacing("}", with: "}}")
    return try OutputTemplate(
      "\(start)/\(archive.template)", named: "\(archive.path):\(archive.template)")
  }

  /// The name in the archive of a file in the folder; nil for another file.
  private func name(of path: String) -> String? {
    path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : nil
  }

  /// How a file in the folder is named to the user: as he named the archive, with the name in it.
  func nameForUser(of path: String) -> String? {
    name(of: path).map { "\(archive.path):\($0)" }
  }

  /// Whether an output is as it was written, in the folder or in the archive.
  func stands(_ file: JournalEntry.File) -> Bool {
    if let name = name(of: file.path), let held = held[name], held.size == file.size,
      held.sha256 == file.sha256
    {
      return true
    }
    return ItemKey.isUnchanged(file)
  }

  /// Puts the outputs of items that are done into the archive, and leaves out all else that it held.
  ///
  /// When no item is done, the archive stays as it is: nothing good gives way for an empty one.
  ///
  /// - Throws: Before anything is changed, a fault for an output that waits in another place.
  public func assemble(
    _ entries: [JournalEntry], cancellation: Cancellation = Cancellation()
  ) throws {
    var files: [String: JournalEntry.File] = [:]
    for file in entries.flatMap(\.outputs) {
      guard let name = name(of: file.path) else {
        throw BatchItem.Fault(
          exitCode: .usage,
          message: "'\(file.path)' can't go into '\(archive.path)': it is not in '\(folder)'; "
            + "run the batch without --resume to make all results anew")
      }
      files[name] = file
    }
    guard !files.isEmpty else { return try FileSystem.removeFolder(folder) }
    let waiting = try files.filter { try FileSystem.status(of: $0.value.path) != nil }
    // A file that was written anew gives way for nothing in the older archive.
    let isKept = { (name: String) in files[name] != nil && waiting[name] == nil }
    try OutputArchive.assemble(
      waiting.map { .init(name: $0.key, file: $0.value.path) }, keeping: isKept,
      from: held.isEmpty ? nil : archive.path, to: archive.path, cancellation: cancellation)
    try write(files)
    try FileSystem.removeFolder(folder)
  }

  // MARK: Note

  private static func read(_ path: String, of archive: String) -> [String: JournalEntry.File] {
    guard let bytes = try? FileSystem.contents(of: path), let json = JSONReader.read(bytes).value,
      let status = try? FileSystem.status(of: archive), json["size"]?.wholeNumber == status.size,
      json["modified"]?.wholeNumber == Int(status.modified)
    else { return [:] }
    var files: [String: JournalEntry.File] = [:]
    for element in json["files"]?.elements ?? [] {
      guard let name = element["name"]?.text, let size = element["size"]?.wholeNumber,
        let sha256 = element["sha256"]?.text
      else { return [:] }
      files[name] = JournalEntry.File(path: name, size: size, sha256: sha256)
    }
    return files
  }

  private func write(_ files: [String: JournalEntry.File]) throws {
    guard let status = try FileSystem.status(of: archive.path) else { return }
    let list = files.sorted { $0.key < $1.key }.map { name, file -> JSONValue in
      ["name": name.json, "size": .exact(file.size), "sha256": file.sha256.json]
    }
    let json: JSONValue = [
      "size": .exact(status.size), "modified": String(status.modified).json,
      "files": JSONValue(.array(list)),
    ]
    try FileSystem.replaceFile(notePath, with: json.compactText)
  }
}
