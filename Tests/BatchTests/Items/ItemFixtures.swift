import Captures
import Formats
import MeshPipeline
import MeshTestSupport
import MeshpipeKit
import NativeLibraries
import Testing

@testable import Batch

/// Scans that are worth no more than their names, and ways to list and stage them.
struct ItemFixtures {
  static let environment = PipelineEnvironment(
    stages: [any Stage.Type](), formats: builtInFormats, captures: builtInCaptures)

  let folder: TemporaryFolder

  /// Its path as the listing writes it.
  private let root: String

  init() throws {
    folder = try TemporaryFolder()
    root = FileSystem.canonicalPath(of: folder.path) ?? folder.path
  }

  func path(_ name: String) -> String { "\(root)/\(name)" }

  /// Writes files whose contents are their names.
  func write(_ names: [String]) throws {
    for name in names { try folder.write(name, name) }
  }

  /// Writes an archive of files whose contents are their names, or bytes.
  @discardableResult
  func archive(_ name: String, _ entries: [(String, [UInt8]?)]) throws -> String {
    try FileSystem.createFolder(FileSystem.folder(of: path(name)))
    let writer = try ArchiveWriter(creating: path(name))
    for (entry, bytes) in entries { try writer.add(entry, bytes ?? Array(entry.utf8)) }
    try writer.finish()
    return path(name)
  }

  @discardableResult
  func archive(_ name: String, _ entries: [String]) throws -> String {
    try archive(name, entries.map { ($0, nil) })
  }

  func list(
    _ arguments: [String], _ change: (inout BatchInputs.Options) -> Void = { _ in }
  ) throws -> BatchListing {
    var options = BatchInputs.Options()
    options.temporaryFolder = folder.path
    change(&options)
    return try BatchInputs(in: Self.environment, options: options).list(arguments)
  }

  /// The names of items without the path of the fixture's folder.
  func names(_ listing: BatchListing) -> [String] { listing.items.map { short($0.name) } }

  func short(_ text: String) -> String {
    var text = text
    while let range = text.firstRange(of: root + "/") { text.removeSubrange(range) }
    return text
  }

  /// A staged item with the names and contents of its files.
  struct Staged: Equatable {
    var name: String
    var path: String
    var files: [String: String]
    var fault: String?
    var hash: String?
  }

  /// Stages all items, and removes their folders as a batch does.
  func stage(
    _ listing: BatchListing, limits: ItemLimits = ItemLimits(),
    where isWanted: @escaping (Int) -> Bool = { _ in true }
  ) throws -> [Staged] {
    let root = path("staging")
    try FileSystem.createFolder(root)
    let stager = ItemStager(listing, limits: limits, in: root, where: isWanted)
    var result: [Staged] = []
    while let staged = try stager.next() {
      var files: [String: String] = [:]
      if let folder = staged.folder {
        try Self.read(folder, "", into: &files)
        try FileSystem.removeFolder(folder)
      }
      let relative = staged.folder.map { String(staged.path.dropFirst($0.count + 1)) }
      result.append(
        Staged(
          name: short(staged.item.name), path: relative ?? short(staged.path), files: files,
          fault: staged.fault.map { short($0.message) }, hash: staged.contentHash))
    }
    return result
  }

  /// The names that are left in the folder that items are staged in.
  func leftovers() throws -> [String] { try FileSystem.names(inFolder: path("staging")) }

  private static func read(
    _ root: String, _ relative: String, into files: inout [String: String]
  ) throws {
    for name in try FileSystem.names(inFolder: "\(root)/\(relative)") {
      let path = relative.isEmpty ? name : "\(relative)/\(name)"
      if try FileSystem.status(of: "\(root)/\(path)")?.isFolder == true {
        try read(root, path, into: &files)
      } else {
        files[path] = String(
          decoding: try FileSystem.contents(of: "\(root)/\(path)").prefix(100), as: UTF8.self)
      }
    }
  }
}

extension ItemFixtures {
  static func matches(_ pattern: String, _ path: String) -> Bool {
    GlobPattern(pattern).matches(path)
  }
}
