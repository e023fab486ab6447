package import MeshPipeline

/// One scan of a batch: a mesh with its companion files, or a capture folder.
///
/// Listing determines only names and sizes. The bytes of a scan in an archive are available when it
/// is staged: see ``StagedItem``.
package struct BatchItem: Sendable, Equatable {
  /// The unique name in messages, the journal and reports: `scans/room.obj`,
  /// `scans.tar.zst/day1/room.obj`.
  package var name: String
  /// The values of the output template's placeholders.
  package var place: Place
  package var origin: Origin
  /// The total size of its files in bytes, as listed.
  package var size: Int
  /// Why it can't be processed: a hostile name, a damaged member, a limit; nil if it can.
  package var fault: Fault?

  /// The location of an item in its input.
  package struct Place: Sendable, Equatable {
    /// The archive's or the folder's path without extension, relative to the input: `scans` for
    /// `in/scans.tar.zst`; empty for a file given directly.
    package var archive: String
    /// The item's folder in it: `day1`; empty at the top level.
    package var folder: String
    /// The name without extension; for a capture the name of its folder.
    package var stem: String
    /// The extension without the dot; empty for a capture.
    package var fileExtension: String

    package init(
      archive: String = "", folder: String = "", stem: String, fileExtension: String = ""
    ) {
      self.archive = archive
      self.folder = folder
      self.stem = stem
      self.fileExtension = fileExtension
    }
  }

  /// The location of an item's bytes.
  package enum Origin: Sendable, Equatable {
    /// A file on disk, or the folder of a capture.
    case disk(path: String)
    /// Inside an archive on disk, or inside nested archives.
    ///
    /// - Parameters:
    ///   - archive: The path of the outermost archive.
    ///   - member: The path of the mesh or of the capture's folder in it.
    case archive(String, member: String)
  }

  /// The fault of an item before it is processed.
  package struct Fault: UserError, Equatable {
    package var exitCode: ExitCode
    package var message: String

    package init(exitCode: ExitCode = .data, message: String) {
      self.exitCode = exitCode
      self.message = message
    }
  }

  package init(
    name: String, place: Place, origin: Origin, size: Int = 0, fault: Fault? = nil
  ) {
    self.name = name
    self.place = place
    self.origin = origin
    self.size = size
    self.fault = fault
  }
}

/// An item whose files are on disk, ready for processing.
package struct StagedItem: Sendable, Equatable {
  package var item: BatchItem
  /// The mesh, or the folder of the capture.
  package var path: String
  /// The SHA-256 over the names and bytes of all its files, for one from an archive; nil for one on
  /// disk, whose files are compared individually.
  package var contentHash: String?
  /// The private folder of its unpacked files, to be removed after processing; nil for an item on
  /// disk.
  package var folder: String?
  /// The error while unpacking it; nil if it is complete.
  package var fault: BatchItem.Fault?

  package init(
    item: BatchItem, path: String, contentHash: String? = nil, folder: String? = nil,
    fault: BatchItem.Fault? = nil
  ) {
    self.item = item
    self.path = path
    self.contentHash = contentHash
    self.folder = folder
    self.fault = fault
  }
}

extension BatchItem.Place {
  /// The location of a scan.
  ///
  /// - Parameters:
  ///   - archive: The path of the containing folder or archive, without extension.
  ///   - path: The path of the mesh or of the capture's folder in it.
  init(archive: String = "", path: String, isFolder: Bool = false) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[..<$0]) } ?? ""
    let name = FileSystem.name(of: path)
    let stem = isFolder ? name : FileSystem.stem(of: name)
    self.init(
      archive: archive, folder: folder, stem: stem,
      fileExtension: isFolder ? "" : String(name.dropFirst(stem.count + 1)))
  }
}
