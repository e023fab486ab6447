import MeshPipeline
import NativeLibraries

/// Unpacks the wanted scans of one archive, in a single pass if their files are well ordered.
final class ArchiveStaging {
  private let tree: ArchiveTree
  private let path: String
  private let items: [BatchItem]
  private let limits: ItemLimits
  private let folder: String
  private let cancellation: Cancellation
  private let isWanted: (Int) -> Bool
  /// The number of wanted scans that still need each file.
  private var uses: [Int]
  /// Whether several scans need it.
  private let isCommon: [Bool]
  private var passes: [StagingPass] = []
  private var pass = StagingPass()

  /// The nested archives with wanted items, by index in the list of files.
  private var inner: [Int: ArchiveTree] = [:]
  private var reader: ArchiveReader?
  private var ordinal = -1
  /// The files to read in this pass, as indices in the list of files, and its progress.
  private var wanted: [Int] = []
  private var cursor = 0
  private var users: [Int: [Int]] = [:]
  private var open: [Int: OpenScan] = [:]
  /// For each unfinished scan of this pass, the number of its missing files.
  private var missing: [Int: Int] = [:]
  private var failed: Set<Int> = []
  private var common: CommonFiles
  private var ready = ArraySlice<StagedItem>()
  private var child: ArchiveStaging?
  private var childFolder: String?

  /// - Parameters:
  ///   - path: The path of the archive's file on disk.
  ///   - items: All items of the batch.
  ///   - isWanted: Whether an item is wanted, by its index in the list.
  init(
    _ tree: ArchiveTree, at path: String, items: [BatchItem], limits: ItemLimits, in folder: String,
    cancellation: Cancellation, isWanted: @escaping (Int) -> Bool
  ) throws {
    self.tree = tree
    self.path = path
    self.items = items
    self.limits = limits
    self.folder = folder
    self.cancellation = cancellation
    self.isWanted = isWanted
    common = CommonFiles(in: try FileSystem.createPrivateFolder(prefix: folder + "/common-"))
    var uses = [Int](repeating: 0, count: tree.files.count)
    let scans = tree.scans.indices.filter { isWanted(tree.scans[$0].item) }
    for scan in scans {
      let group = tree.scans[scan].group
      for index in group.own + group.shared { uses[index] += 1 }
    }
    for (index, innerTree) in tree.inner where innerTree.items.contains(where: isWanted) {
      inner[index] = innerTree
    }
    self.uses = uses
    isCommon = uses.map { $0 > 1 }
    passes = StagingPass.passes(over: tree, scans: scans, uses: uses, bytes: limits.stagedBytes)
  }

  deinit {
    for scan in open.values { try? FileSystem.removeFolder(scan.folder) }
    if let childFolder { try? FileSystem.removeFolder(childFolder) }
    common.removeAll()
  }

  /// The next scan; nil when there are no more.
  func next() throws -> StagedItem? {
    while true {
      if cancellation.isRequested { throw Cancelled() }
      if let first = ready.popFirst() { return first }
      if let child {
        if let staged = try child.next() { return staged }
        try closeChild()
      } else if reader != nil {
        try advance()
      } else if passes.isEmpty {
        return nil
      } else {
        try begin(passes.removeFirst())
      }
    }
  }

  // MARK: Passes

  private func begin(_ pass: StagingPass) throws {
    self.pass = pass
    (users, missing) = ([:], [:])
    for scan in pass.scans where !failed.contains(scan) {
      if !pass.isForCommonFiles { missing[scan] = 0 }
      for index in places(of: scan) where common.hash(of: index) == nil {
        guard isCommon[index] || !pass.isForCommonFiles else { continue }
        users[index, default: []].append(scan)
        missing[scan]? += 1
      }
    }
    let places = Array(users.keys) + (pass.isForCommonFiles ? [] : Array(inner.keys))
    wanted = places.sorted()
    (cursor, ordinal) = (0, -1)
    guard !wanted.isEmpty else { return }
    do {
      reader = try ArchiveReader(
        path, limits: limits.reading(entries: limits.entries), for: cancellation)
    } catch let error as any UserError {
      try give(up: "\(error.message)", (error as? ArchiveError)?.exitCode ?? .data)
    }
  }

  /// Moves to the next entry of the archive.
  private func advance() throws {
    guard let reader, cursor < wanted.count else { return try end() }
    do {
      guard let entry = try reader.next() else {
        return try give(up: "the archive changed while it was read")
      }
      ordinal += 1
      let index = wanted[cursor]
      guard ordinal == tree.files[index].ordinal else { return }
      guard entry.name == tree.files[index].path else {
        return try give(up: "the archive changed while it was read")
      }
      cursor += 1
      try unpack(entry, index, from: reader)
    } catch let error as ArchiveError where error.path == path {
      try give(up: "the archive \(error.reason)", error.exitCode)
    }
  }

  private func end() throws {
    reader = nil
    // Nothing else needs the partial files.
    for scan in missing.keys.sorted() { try fail(scan, "the archive changed while it was read") }
  }

  /// Ends the pass; incomplete scans fail.
  private func give(up reason: String, _ exitCode: ExitCode = .data) throws {
    reader = nil
    for scan in missing.keys.sorted() { try fail(scan, reason, exitCode) }
    guard !pass.isForCommonFiles else { return }
    for (_, tree) in inner.sorted(by: { $0.key < $1.key }) { fail(tree, reason, exitCode) }
    inner = [:]
  }

  // MARK: Entries

  private func unpack(
    _ entry: ArchiveReader.Entry, _ index: Int, from reader: ArchiveReader
  ) throws {
    if let innerTree = inner.removeValue(forKey: index) {
      return try openChild(innerTree, entry, from: reader)
    }
    let scans = (users[index] ?? []).filter { !failed.contains($0) }
    guard let first = scans.first else { return }
    do {
      if isCommon[index] {
        let unpacking = MemberUnpacking(reader, limit: limits.itemBytes)
        let hash = try unpacking.unpack(entry, to: common.path(for: index)).hash
        common.keep(index, hash: hash, uses: uses[index])
      } else {
        try unpackOwn(entry, index, for: first, from: reader)
      }
    } catch let error as ArchiveError where error.path == path && error.concernsEntryAlone {
      for scan in scans { try fail(scan, "'\(entry.name)' \(error.reason)") }
      return
    }
    for scan in scans {
      guard let count = missing[scan] else { continue }
      missing[scan] = count - 1
      if count == 1 { try finish(scan) }
    }
  }

  private func unpackOwn(
    _ entry: ArchiveReader.Entry, _ index: Int, for scan: Int, from reader: ArchiveReader
  ) throws {
    var state = try open[scan] ?? opened(scan)
    open[scan] = state
    let unpacking = MemberUnpacking(reader, limit: limits.itemBytes - state.bytes)
    let (count, hash) = try unpacking.unpack(entry, to: state.path(for: tree.files[index]))
    state.bytes += count
    state.add(tree.files[index], hash: hash)
    open[scan] = state
  }

  private func openChild(
    _ tree: ArchiveTree, _ entry: ArchiveReader.Entry, from reader: ArchiveReader
  ) throws {
    let folder = try FileSystem.createPrivateFolder(prefix: folder + "/inner-")
    childFolder = folder
    let path = "\(folder)/\(FileSystem.name(of: entry.name))"
    do {
      _ = try MemberUnpacking(reader, limit: limits.itemBytes).unpack(entry, to: path)
    } catch let error as ArchiveError where error.path == self.path && error.concernsEntryAlone {
      fail(tree, "'\(entry.name)' \(error.reason)")
      return try closeChild()
    } catch let error as ArchiveError where error.path == self.path {
      fail(tree, "the archive \(error.reason)", error.exitCode)
      throw error
    }
    child = try ArchiveStaging(
      tree, at: path, items: items, limits: limits, in: self.folder, cancellation: cancellation,
      isWanted: isWanted)
  }

  private func closeChild() throws {
    child = nil
    if let childFolder { try FileSystem.removeFolder(childFolder) }
    childFolder = nil
  }
}

// MARK: Scans

extension ArchiveStaging {
  private func places(of scan: Int) -> [Int] {
    tree.scans[scan].group.own + tree.scans[scan].group.shared
  }

  private func opened(_ scan: Int) throws -> OpenScan {
    try OpenScan(tree.scans[scan].group, of: items[tree.scans[scan].item], in: folder)
  }

  /// Returns a complete scan.
  private func finish(_ scan: Int) throws {
    var state = try open.removeValue(forKey: scan) ?? opened(scan)
    missing[scan] = nil
    for index in places(of: scan) where isCommon[index] {
      let file = tree.files[index]
      try common.give(index, as: state.path(for: file))
      if let hash = common.hash(of: index) { state.add(file, hash: hash) }
      try common.release(index)
      uses[index] -= 1
    }
    let item = items[tree.scans[scan].item]
    ready.append(
      StagedItem(
        item: item, path: state.mainPath, contentHash: state.contentHash, folder: state.folder))
  }

  /// Returns a scan that can't be unpacked.
  private func fail(_ scan: Int, _ reason: String, _ exitCode: ExitCode = .data) throws {
    guard failed.insert(scan).inserted else { return }
    missing[scan] = nil
    if let state = open.removeValue(forKey: scan) { try FileSystem.removeFolder(state.folder) }
    for index in places(of: scan) where isCommon[index] {
      try common.release(index)
      uses[index] -= 1
    }
    fail(item: tree.scans[scan].item, reason, exitCode)
  }

  /// Returns all items of a nested archive that can't be unpacked.
  private func fail(_ tree: ArchiveTree, _ reason: String, _ exitCode: ExitCode = .data) {
    for item in tree.items where isWanted(item) { fail(item: item, reason, exitCode) }
  }

  private func fail(item index: Int, _ reason: String, _ exitCode: ExitCode) {
    let item = items[index]
    let fault = BatchItem.Fault(exitCode: exitCode, message: "\(item.name): \(reason)")
    ready.append(StagedItem(item: item, path: "", fault: fault))
  }
}
