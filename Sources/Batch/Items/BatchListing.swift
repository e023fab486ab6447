/// The items of a batch, with the indices of their archives.
package struct BatchListing: Sendable {
  /// In a fixed order: that of the arguments, sorted within folders, in archive order within
  /// archives.
  package internal(set) var items: [BatchItem] = []
  /// For each item its archive; nil for one on disk.
  var archives: [Int?] = []
  /// Archives on disk.
  var trees: [ArchiveTree] = []
}

/// The parts of an archive to unpack: its items, and its nested archives.
struct ArchiveTree: Sendable {
  /// The path on disk, or the name in the outer archive.
  var path: String
  var files: [ListedFile]
  var scans: [Scan] = []
  var inner: [(place: Int, tree: ArchiveTree)] = []

  /// A scan in an archive that can be processed.
  struct Scan: Sendable {
    /// The index in the list of items.
    var item: Int
    var group: ScanGroup
  }

  /// The items in it and in its nested archives.
  var items: [Int] { scans.map(\.item) + inner.flatMap { $0.tree.items } }
}
