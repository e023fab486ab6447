/// The items of a batch, with what is known of the archives that they lie in.
public struct BatchListing: Sendable {
  /// In a fixed order: that of the arguments, sorted within folders, as they come in archives.
  public internal(set) var items: [BatchItem] = []
  /// For each item the archive that it is unpacked from; nil for one on the disk.
  var archives: [Int?] = []
  /// Archives on the disk.
  var trees: [ArchiveTree] = []
}

/// An archive as far as it is to be unpacked: the items in it, and the archives in it.
struct ArchiveTree: Sendable {
  /// Of the file on the disk; the name in the outer archive for one within another.
  var path: String
  var files: [ListedFile]
  var scans: [Scan] = []
  var inner: [(place: Int, tree: ArchiveTree)] = []

  /// A scan in an archive that can be worked on.
  struct Scan: Sendable {
    /// The place in the list of items.
    var item: Int
    var group: ScanGroup
  }

  /// The items in it and in the archives in it.
  var items: [Int] { scans.map(\.item) + inner.flatMap { $0.tree.items } }
}
