import MeshPipeline

/// Determines whether an item and its outputs are unchanged.
enum ItemKey {
  /// The hash of the item's bytes and everything else that the outputs depend on; empty if unknown.
  static func key(of entry: JournalEntry, recipe: String) -> String {
    if entry.inputs.isEmpty || entry.inputs.contains(where: \.sha256.isEmpty) { return "" }
    let files = entry.inputs.map { file in
      JSONValue(.array([JSONValue(.string(file.path)), JSONValue(.string(file.sha256))]))
    }
    let content: JSONValue = [
      "recipe": JSONValue(.string(recipe)), "files": JSONValue(.array(files)),
    ]
    return SHA256.hexadecimal(of: Array(content.compactText.utf8))
  }

  /// The record of an item from an archive, the first of its inputs: the present state of the archive, with the hash of
  /// the item.
  static func archiveInput(of staged: StagedItem) -> [JournalEntry.File] {
    guard let archive = staged.item.origin.archive, let hash = staged.contentHash,
      let status = try? FileSystem.status(of: archive)
    else { return [] }
    return [
      JournalEntry.File(
        path: archive, size: status.size, modified: sureTime(of: status), sha256: hash)
    ]
  }

  /// The file of an item whose worker could not report what it had read.
  static func input(_ path: String) -> [JournalEntry.File] {
    guard let status = try? FileSystem.status(of: path), status.isRegularFile,
      let hash = try? SHA256.hexadecimal(ofFile: path)
    else { return [] }
    return [
      JournalEntry.File(path: path, size: status.size, modified: sureTime(of: status), sha256: hash)
    ]
  }

  /// The time of a file; 0 if it changed so recently that it may change again within the clock's
  /// resolution.
  static func sureTime(of status: FileStatus) -> Int64 {
    status.modified + 2_000_000_000 < FileSystem.now ? status.modified : 0
  }

  // MARK: Comparing

  /// Whether an unpacked item matches its journal entry, and its outputs still exist.
  static func isCurrent(
    _ known: JournalEntry, _ staged: StagedItem, _ plan: OutputPlanner.Plan
  ) -> Bool {
    let now = refreshed(known, staged)
    return !known.key.isEmpty
      && key(of: now, recipe: plan.recipe(ofResult: known.state)) == known.key
  }

  /// The entry with the present state of the archive.
  static func refreshed(_ known: JournalEntry, _ staged: StagedItem) -> JournalEntry {
    var entry = known
    entry.inputs = archiveInput(of: staged) + known.inputs.dropFirst()
    entry.time = 0
    return entry
  }

  /// Whether a file is unchanged.
  static func isUnchanged(_ file: JournalEntry.File) -> Bool {
    guard let status = try? FileSystem.status(of: file.path), status.size == file.size else {
      return false
    }
    if file.modified != 0, status.modified == file.modified { return true }
    return (try? SHA256.hexadecimal(ofFile: file.path)) == file.sha256
  }
}
