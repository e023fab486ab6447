package import MeshPipeline

/// The hidden folder with a batch's journals in the folder of its outputs.
package struct BatchFolder: Sendable, Equatable {
  /// The folder of the outputs.
  package var root: String

  package init(root: String) {
    self.root = root
  }

  /// `out/.meshpipe-batch`.
  package var path: String { "\(root)/\(Self.name)" }

  static let name = ".meshpipe-batch"

  /// The journal of a batch, or of one of its shards: `journal.jsonl`, `journal-3-of-16.jsonl`.
  package func journal(of shard: Shard?) -> String {
    "\(path)/journal\(Self.suffix(of: shard)).jsonl"
  }

  func lock(of shard: Shard?) -> String { "\(path)/lock\(Self.suffix(of: shard))" }

  private static func suffix(of shard: Shard?) -> String {
    guard let shard else { return "" }
    return "-\(shard.number)-of-\(shard.count)"
  }

  /// The existing journals, that of an undivided batch first.
  package func journals() throws(FileError) -> [(shard: Shard?, path: String)] {
    try files(named: "journal", ending: ".jsonl")
  }

  func locks() throws(FileError) -> [(shard: Shard?, path: String)] {
    try files(named: "lock", ending: "")
  }

  private func files(
    named start: String, ending: String
  ) throws(FileError) -> [(shard: Shard?, path: String)] {
    var files: [(shard: Shard?, path: String)] = []
    for name in try FileSystem.names(inFolder: path)
    where name.hasPrefix(start) && name.hasSuffix(ending) {
      let middle = name.dropFirst(start.count).dropLast(ending.count)
      if middle.isEmpty {
        files.append((nil, "\(path)/\(name)"))
      } else if let shard = Self.shard(middle) {
        files.append((shard, "\(path)/\(name)"))
      }
    }
    return files.sorted {
      ($0.shard?.count ?? 0, $0.shard?.number ?? 0) < ($1.shard?.count ?? 0, $1.shard?.number ?? 0)
    }
  }

  /// The shard in `-3-of-16`.
  private static func shard(_ text: Substring) -> Shard? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].isEmpty, parts[2] == "of", let number = Int(parts[1]),
      let count = Int(parts[3]), let shard = Shard(number, of: count),
      suffix(of: shard) == text
    else { return nil }
    return shard
  }

  /// Creates the folder, and syncs its name.
  func create() throws {
    if try FileSystem.status(of: path) != nil { return }
    try FileSystem.createFolder(path)
    try FileSystem.synchronize(root)
  }
}
