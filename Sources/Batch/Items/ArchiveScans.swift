import Captures
import MeshPipeline

/// Makes items from the index of an archive.
struct ArchiveScans {
  let kinds: ScanKinds
  let limits: ItemLimits
  /// The path of the archive on disk.
  let outermost: String
  /// Whether an item is wanted, by its path relative to the input.
  let includes: (String) -> Bool

  /// The names of an archive.
  struct View {
    /// In names of items: `in/scans.zip`, `in/scans.zip/day1.tar`.
    var name: String
    /// The path within the outermost archive; empty for that one.
    var member: String
    /// ``BatchItem/Place/archive`` of its items.
    var stem: String
    /// As seen by patterns.
    var shown: String

    func inner(_ path: String, stem innerStem: String) -> View {
      View(
        name: "\(name)/\(path)", member: member.isEmpty ? path : "\(member)/\(path)",
        stem: "\(stem)/\(innerStem)", shown: "\(shown)/\(path)")
    }
  }

  /// The maximum number of entries of one archive that are refused individually; further ones are
  /// counted.
  private static let maximumRefusals = 1000

  /// Makes the items of an archive.
  ///
  /// - Parameter firstItem: The index of the first item in the list of items.
  func tree(
    of index: ArchiveIndex, at path: String, _ view: View, firstItem: Int
  ) -> (tree: ArchiveTree, items: [BatchItem]) {
    var tree = ArchiveTree(path: path, files: index.files)
    var items: [BatchItem] = []
    var refused = index.misnamed
    for find in ScanGrouping.finds(in: index.files, kinds: kinds) {
      switch find {
      case .scan(let group):
        let shown = group.path.isEmpty ? view.shown : "\(view.shown)/\(group.path)"
        guard includes(shown) else { continue }
        let item = item(of: group, in: index, view)
        if item.fault == nil {
          tree.scans.append(ArchiveTree.Scan(item: firstItem + items.count, group: group))
        }
        items.append(item)
      case .refused(let place): refused.append(index.files[place])
      case .archive(let place):
        let file = index.files[place]
        let innerView = view.inner(file.path, stem: CaptureArchive.stem(of: file.path) ?? file.path)
        guard let inner = index.inner[file.ordinal] else {
          let reason =
            "it is nested in more than \(limits.nesting) other archive\(limits.nesting == 1 ? "" : "s") "
            + "(--max-nesting)"
          if includes(innerView.shown) { items.append(entry(file, reason, view)) }
          continue
        }
        let (innerTree, innerItems) = self.tree(
          of: inner, at: file.path, innerView, firstItem: firstItem + items.count)
        tree.inner.append((place, innerTree))
        items += innerItems
      }
    }
    items += refusals(refused, view)
    if let damage = index.damage { items.append(whole(damage, view)) }
    return (tree, items)
  }

  private func item(of group: ScanGroup, in index: ArchiveIndex, _ view: View) -> BatchItem {
    let name = group.path.isEmpty ? view.name : "\(view.name)/\(group.path)"
    let member = [view.member, group.path].filter { !$0.isEmpty }.joined(separator: "/")
    var place = BatchItem.Place(archive: view.stem, path: group.path, isFolder: group.isCapture)
    if group.path.isEmpty {
      place = BatchItem.Place(stem: FileSystem.name(of: view.stem))
      place.archive = view.stem
    }
    var item = BatchItem(name: name, place: place, origin: .archive(outermost, member: member))
    var problem: String?
    for file in (group.own + group.shared).map({ index.files[$0] }) {
      item.size += min(file.size, .max - item.size)
      if let refusal = file.refusal, problem == nil {
        problem = "'\(file.path)' is refused: \(refusal)"
      }
    }
    if problem == nil, item.size > limits.itemBytes {
      problem =
        "it has \(ByteSize.text(of: item.size)), more than "
        + "\(ByteSize.text(of: limits.itemBytes)) (--max-bytes)"
    }
    item.fault = problem.map { BatchItem.Fault(message: "\(name): \($0)") }
    return item
  }

  private func refusals(_ files: [ListedFile], _ view: View) -> [BatchItem] {
    let wanted = files.filter { includes("\(view.shown)/\($0.path)") }
    var items = wanted.prefix(Self.maximumRefusals).map { file in
      entry(file, "it is refused: \(file.refusal ?? "it is damaged")", view)
    }
    let rest = wanted.count - items.count
    if rest > 0 {
      items.append(whole(BatchItem.Fault(message: "\(rest) more entries are refused"), view))
    }
    return items
  }

  /// An entry with its own fault.
  private func entry(_ file: ListedFile, _ reason: String, _ view: View) -> BatchItem {
    // Names shown to the user must not control the terminal.
    let path = file.path.withoutControlCharacters
    let name = "\(view.name)/\(path)"
    let member = view.member.isEmpty ? path : "\(view.member)/\(path)"
    return BatchItem(
      name: name, place: BatchItem.Place(archive: view.stem, path: path),
      origin: .archive(outermost, member: member), size: file.size,
      fault: BatchItem.Fault(message: "\(name): \(reason)"))
  }

  /// The archive itself as a failed item.
  private func whole(_ fault: BatchItem.Fault, _ view: View) -> BatchItem {
    var fault = fault
    fault.message = "\(view.name): \(fault.message)"
    return BatchItem(
      name: view.name, place: BatchItem.Place(path: FileSystem.name(of: view.name)),
      origin: .archive(outermost, member: view.member), fault: fault)
  }
}
