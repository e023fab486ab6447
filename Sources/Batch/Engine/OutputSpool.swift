package import MeshPipeline

/// The outputs of a batch before they are written into an archive.
///
/// Workers write them as files into a folder next to the journal; at the end they are put into the
/// archive in the order of their names, and the files are removed. The contents of the archive are
/// recorded, so that a resumed batch knows which outputs still exist in it.
package struct OutputSpool {
  package let archive: OutputArchive
  /// The folder of files waiting for the archive.
  package let folder: String
  private let notePath: String
  /// From the root of a batch to its folders of outputs.
  private static let outputs = "\(BatchFolder.name)/outputs/"
  /// The contents of the archive, by name; empty if it was changed since.
  private let held: [String: JournalEntry.File]

  /// - Parameter batch: The folder of the journal.
  package init(_ archive: OutputArchive, in batch: BatchFolder) {
    self.archive = archive
    let name = FileSystem.name(of: archive.path)
    // In the template's form, so that an output's path can be recognised in it.
    folder = DiskPath.plain("\(batch.root)/\(Self.outputs)\(name)")
    notePath = "\(batch.root)/\(Self.outputs)\(name).json"
    held = Self.read(notePath, of: archive.path)
  }

  /// The folder with the journal of a batch into an archive: the archive's own.
  package static func root(of archive: OutputArchive) -> String {
    FileSystem.folder(of: archive.path)
  }

  /// The template by which workers write into the folder.
  package func template() throws(TemplateFault) -> OutputTemplate {
    // Braces in the archive's name are not part of the template.
    let start = folder.replacing("{", with: "{{").replacing("}", with: "}}")
    return try OutputTemplate(
      "\(start)/\(archive.template)", named: "\(archive.path):\(archive.template)")
  }

  /// The name in the archive of a file in the folder; nil for another file.
  private func name(of path: String) -> String? {
    path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : nil
  }

  /// The archive that an output of a batch went to, and its name in it, by the path that the journal has.
  ///
  /// - Returns: Nil for an output that is a file.
  package static func archived(_ path: String) -> (archive: String, name: String)? {
    guard let folder = path.ranges(of: outputs).last,
      let slash = path[folder.upperBound...].firstIndex(of: "/")
    else { return nil }
    return (
      String(path[..<folder.lowerBound] + path[folder.upperBound..<slash]),
      String(path[path.index(after: slash)...])
    )
  }

  /// The name of a file in the folder for the user: the archive as given, with the name in it.
  func nameForUser(of path: String) -> String? {
    name(of: path).map { "\(archive.path):\($0)" }
  }

  /// Whether an output is unchanged, in the folder or in the archive.
  func stands(_ file: JournalEntry.File) -> Bool {
    if let name = name(of: file.path), let held = held[name], held.size == file.size,
      held.sha256 == file.sha256
    {
      return true
    }
    return ItemKey.isUnchanged(file)
  }

  /// Puts the outputs of finished items into the archive, and removes everything else from it.
  ///
  /// If no item is finished, the archive stays as it is: good contents are never replaced by an
  /// empty archive.
  ///
  /// - Throws: Before anything is changed, for an output that is in another folder.
  package func assemble(
    _ entries: [JournalEntry], cancellation: Cancellation = Cancellation()
  ) throws {
    var files: [String: JournalEntry.File] = [:]
    for file in entries.flatMap(\.outputs) {
      guard let name = name(of: file.path) else {
        throw BatchItem.Fault(
          exitCode: .usage,
          message: "'\(file.path)' can't go into '\(archive.path)': it is not in '\(folder)'; "
            + "run the batch without --resume to redo all items")
      }
      files[name] = file
    }
    guard !files.isEmpty else { return try FileSystem.removeFolder(folder) }
    let waiting = try files.filter { try FileSystem.status(of: $0.value.path) != nil }
    // A file that was written again takes precedence over the older archive.
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
