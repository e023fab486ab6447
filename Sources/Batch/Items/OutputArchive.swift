package import MeshPipeline
import NativeLibraries

/// An archive for the outputs of a batch.
///
/// Its bytes depend only on the names and the bytes of its files, not on the order of processing.
package struct OutputArchive: Sendable, Equatable {
  /// The path of the archive.
  package var path: String
  /// The template of the names in it, with `{stem}` and the like.
  package var template: String

  /// Parses `out.zip:{stem}.glb`.
  ///
  /// - Returns: Nil for a path that is not an archive followed by a colon and a template.
  package init?(_ output: String) {
    let colons = output.indices.filter { output[$0] == ":" }
    let colon = colons.first { colon in
      let name = FileSystem.name(of: String(output[..<colon])).lowercased()
      return ArchiveWriter.endings.contains { name.hasSuffix($0) && name.count > $0.count }
    }
    guard let colon else { return nil }
    path = String(output[..<colon])
    template = String(output[output.index(after: colon)...])
    if template.isEmpty || template.hasPrefix("/") { return nil }
  }

  /// A file to put into the archive.
  package struct Entry: Sendable {
    /// The path in the archive.
    package var name: String
    /// The location of its bytes.
    package var file: String

    package init(name: String, file: String) {
      self.name = name
      self.file = file
    }
  }

  /// Makes an archive from files, and from entries of an older archive; it appears complete or not
  /// at all, and an unchanged one is left untouched.
  ///
  /// - Parameters:
  ///   - entries: In any order; they take precedence over entries of the same name in the older
  ///     archive.
  ///   - isKept: Whether to keep an entry of the older archive.
  ///   - old: The path of the older archive, which may be `path`; it need not exist.
  ///   - path: The path of the archive; its extension determines the kind.
  /// - Throws: A ``UserError`` if two entries have the same name, the older archive is damaged, or
  ///   the disk is full.
  package static func assemble(
    _ entries: [Entry], keeping isKept: (String) -> Bool = { _ in false }, from old: String? = nil,
    to path: String, cancellation: Cancellation = Cancellation()
  ) throws {
    for entry in entries where !isPlain(entry.name) {
      throw BatchItem.Fault(
        exitCode: .cannotCreate, message: "\(path): '\(entry.name)' would be outside the archive")
    }
    let folder = FileSystem.folder(of: path)
    try FileSystem.createFolder(folder)
    let work = try FileSystem.createPrivateFolder(prefix: folder + "/.meshpipe-")
    defer { try? FileSystem.removeFolder(work) }
    var assembly = ArchiveAssembly(entries, in: work, cancellation: cancellation)
    if let old, try FileSystem.status(of: old) != nil { try assembly.keep(isKept, from: old) }
    let file = "\(work)/archive"
    try assembly.write(to: file, named: path)
    if try FileSystem.haveSameContents(file, path) { return }
    try FileSystem.rename(file, to: path)
    try FileSystem.synchronize(folder)
  }
}

extension OutputArchive {
  /// Whether a name is unambiguous, and inside the archive.
  private static func isPlain(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
  }
}

/// The entries of a new archive, in the order of their names.
struct ArchiveAssembly {
  private var entries: [OutputArchive.Entry]
  /// Entries of the older archive, in its order.
  private var kept: [String] = []
  private var old: String?
  private let folder: String
  private let cancellation: Cancellation

  init(_ entries: [OutputArchive.Entry], in folder: String, cancellation: Cancellation) {
    self.entries = entries.sorted { Self.isBefore($0.name, $1.name) }
    self.folder = folder
    self.cancellation = cancellation
  }

  /// By bytes, independent of language.
  private static func isBefore(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
  }

  /// Takes over entries of an older archive.
  ///
  /// They are copied directly if they are in order, as in archives written here; otherwise by way
  /// of the disk.
  mutating func keep(_ isKept: (String) -> Bool, from old: String) throws {
    let replaced = Set(entries.map(\.name))
    let reader = try ArchiveReader(old, limits: .unbounded)
    var inOrder = true
    while let entry = try reader.next() {
      guard entry.kind == .file, isKept(entry.name), !replaced.contains(entry.name) else {
        continue
      }
      if let refusal = entry.refusal {
        throw ArchiveError(path: old, reason: "contains '\(entry.name)', and \(refusal)")
      }
      let follows = kept.last.map { Self.isBefore($0, entry.name) } ?? true
      inOrder = inOrder && entry.size != nil && follows
      kept.append(entry.name)
    }
    if let damage = reader.damage { throw damage }
    self.old = old
    if !inOrder { try unpackKept(from: old) }
  }

  private mutating func unpackKept(from old: String) throws {
    let reader = try ArchiveReader(old, limits: .unbounded)
    var wanted = Set(kept)
    while let entry = try reader.next() {
      guard entry.kind == .file, wanted.remove(entry.name) != nil else { continue }
      if cancellation.isRequested { throw Cancelled() }
      let file = "\(folder)/kept-\(entries.count)"
      _ = try MemberUnpacking(reader, limit: .max).unpack(entry, to: file)
      entries.append(OutputArchive.Entry(name: entry.name, file: file))
    }
    entries.sort { Self.isBefore($0.name, $1.name) }
    kept = []
  }

  func write(to path: String, named name: String) throws {
    for (first, second) in zip(entries, entries.dropFirst()) where first.name == second.name {
      throw BatchItem.Fault(
        exitCode: .cannotCreate, message: "\(name): two outputs have the name '\(first.name)'")
    }
    let writer = try ArchiveWriter(creating: path, named: name)
    var rest = entries[...]
    if let old, !kept.isEmpty {
      let reader = try ArchiveReader(old, limits: .unbounded)
      var wanted = kept[...]
      while let next = wanted.first, let entry = try reader.next() {
        guard entry.name == next, entry.kind == .file else { continue }
        wanted.removeFirst()
        while let first = rest.first, Self.isBefore(first.name, next) {
          try add(rest.removeFirst(), to: writer)
        }
        if cancellation.isRequested { throw Cancelled() }
        try writer.add(next, size: entry.size ?? 0) { try reader.forEachBlock($0) }
      }
      guard wanted.isEmpty else {
        throw ArchiveError(path: old, reason: "changed while it was read")
      }
    }
    while !rest.isEmpty { try add(rest.removeFirst(), to: writer) }
    try writer.finish()
  }

  private func add(_ entry: OutputArchive.Entry, to writer: ArchiveWriter) throws {
    if cancellation.isRequested { throw Cancelled() }
    try writer.add(entry.name, file: entry.file)
  }
}

extension ArchiveReader.Limits {
  /// Limits for our own archives.
  fileprivate static var unbounded: ArchiveReader.Limits {
    var result = ArchiveReader.Limits()
    (result.entries, result.bytes, result.ratio) = (.max, .max, .max)
    return result
  }
}
