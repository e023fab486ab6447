package import MeshPipeline

/// Unpacks the items of a batch to disk, one after another.
///
/// Each archive is read once from beginning to end, as a stream; a scan is returned as soon as its
/// last file is complete. Its folder belongs to the caller, who removes it after processing, so
/// that the disk holds only the items in progress. Only one thread may call at a time.
package final class ItemStager {
  private let listing: BatchListing
  private let limits: ItemLimits
  private let folder: String
  private let isWanted: (Int) -> Bool
  private let cancellation: Cancellation
  /// The next item in the list.
  private var place = 0
  private var current: ArchiveStaging?
  private var finishedArchives: Set<Int> = []

  /// - Parameters:
  ///   - listing: From ``BatchInputs``.
  ///   - folder: The folder for unpacked items; it must exist, and should be private.
  ///   - isWanted: Whether to stage an item, by its index in the list.
  package init(
    _ listing: BatchListing, limits: ItemLimits = ItemLimits(), in folder: String,
    cancellation: Cancellation = Cancellation(),
    where isWanted: @escaping (Int) -> Bool = { _ in true }
  ) {
    self.listing = listing
    self.limits = limits
    self.folder = folder
    self.isWanted = isWanted
    self.cancellation = cancellation
  }

  /// The next item; nil when there are no more.
  ///
  /// Failed items are returned too, with their fault. Those of one archive are in the order of
  /// their completion.
  /// - Throws: If the disk can't be written to, or the work is cancelled. Faults of an archive are
  ///   those of its items.
  package func next() throws -> StagedItem? {
    while true {
      if cancellation.isRequested { throw Cancelled() }
      if let current {
        if let staged = try current.next() { return staged }
        self.current = nil
      }
      guard place < listing.items.count else { return nil }
      let index = self.place
      self.place += 1
      guard isWanted(index) else { continue }
      let item = listing.items[index]
      guard let archive = listing.archives[index] else { return onDisk(item) }
      if finishedArchives.insert(archive).inserted { try open(archive) }
    }
  }

  private func onDisk(_ item: BatchItem) -> StagedItem {
    guard case .disk(let path) = item.origin else {
      return StagedItem(item: item, path: "", fault: item.fault)
    }
    return StagedItem(item: item, path: path, fault: item.fault)
  }

  private func open(_ archive: Int) throws {
    let tree = listing.trees[archive]
    current = try ArchiveStaging(
      tree, at: tree.path, items: listing.items, limits: limits, in: folder,
      cancellation: cancellation, isWanted: isWanted)
  }
}
