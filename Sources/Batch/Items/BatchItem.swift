public import MeshPipeline

/// One scan of a batch: a mesh with its companions, or a capture folder.
///
/// Listing knows names and sizes only. The bytes of a scan in an archive are there when it is
/// staged: see ``StagedItem``.
public struct BatchItem: Sendable, Equatable {
  /// The name in messages, the journal and reports, which no other item of the batch has:
  /// `scans/room.obj`, `scans.tar.zst/day1/room.obj`.
  public var name: String
  /// What the template of the output's path may ask for.
  public var place: Place
  public var origin: Origin
  /// The bytes of all its files, as listed.
  public var size: Int
  /// Why it can't be worked on: a hostile name, a damaged member, a limit; nil when it can.
  public var fault: Fault?

  /// Where an item stands in its input.
  public struct Place: Sendable, Equatable {
    /// The archive's or the folder's path without its ending, as seen from the input that was named:
    /// `scans` of `in/scans.tar.zst`; empty for a file that was named by itself.
    public var archive: String
    /// The item's folder in there: `day1`; empty at the top.
    public var folder: String
    /// The name without extension; of a capture the name of its folder.
    public var stem: String
    /// The extension without the dot; empty for a capture.
    public var fileExtension: String

    public init(archive: String = "", folder: String = "", stem: String, fileExtension: String = "")
    {
      self.archive = archive
      self.folder = folder
      self.stem = stem
      self.fileExtension = fileExtension
    }
  }

  /// Where the bytes of an item are.
  public enum Origin: Sendable, Equatable {
    /// A file on disk, or the folder of a capture.
    case disk(path: String)
    /// Inside an archive on disk, or inside archives within it.
    ///
    /// - Parameters:
    ///   - archive: The path of the outermost archive.
    ///   - member: The path of the mesh or of the capture's folder in it.
    case archive(String, member: String)
  }

  /// What is wrong with an item before any work is done on it.
  public struct Fault: UserError, Equatable {
    public var exitCode: ExitCode
    public var message: String

    public init(exitCode: ExitCode = .data, message: String) {
      self.exitCode = exitCode
      self.message = message
    }
  }

  public init(
    name: String, place: Place, origin: Origin, size: Int = 0, fault: Fault? = nil
  ) {
    self.name = name
    self.place = place
    self.origin = origin
    self.size = size
    self.fault = fault
  }
}

/// An item whose files lie on disk, ready to be worked on.
public struct StagedItem: Sendable, Equatable {
  public var item: BatchItem
  /// The mesh, or the folder of the capture.
  public var path: String
  /// The SHA-256 over the names and bytes of all its files, for one that comes from an archive; nil for
  /// one on disk, whose files are compared as the journal names them.
  public var contentHash: String?
  /// The private folder that its files were unpacked into, to be removed when the work is done; nil for
  /// an item on disk.
  public var folder: String?
  /// What went wrong while it was unpacked; nil when all is there.
  public var fault: BatchItem.Fault?

  public init(
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
