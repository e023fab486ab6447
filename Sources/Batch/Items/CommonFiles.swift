import MeshPipeline

/// Files shared by several scans of an archive, kept until the last of these has been staged.
struct CommonFiles {
  private struct Kept {
    var path: String
    var hash: String
    var usesLeft: Int
  }

  private var kept: [Int: Kept] = [:]
  private let folder: String

  /// - Parameter folder: Private; created when needed.
  init(in folder: String) { self.folder = folder }

  /// The path for a file, by its index in the list.
  func path(for place: Int) -> String { "\(folder)/\(place)" }

  /// The hash of a stored file; nil for others.
  func hash(of place: Int) -> String? { kept[place]?.hash }

  mutating func keep(_ index: Int, hash: String, uses: Int) {
    kept[index] = Kept(path: path(for: index), hash: hash, usesLeft: uses)
  }

  /// Gives a file to a scan under its name there, as a hard link if the volume supports it,
  /// otherwise as a copy.
  func give(_ index: Int, as path: String) throws {
    guard let file = kept[index] else { return }
    try FileSystem.createFolder(FileSystem.folder(of: path))
    if FileSystem.link(file.path, as: path) { return }
    let copy = try FileWriter(creating: path)
    let reader = try BlockReader(file.path)
    while case let block = try reader.next(), !block.isEmpty { try copy.write(Array(block)) }
    try copy.finish(synchronizing: false)
  }

  /// Records that one scan fewer needs a file.
  mutating func release(_ index: Int) throws {
    guard var file = kept[index] else { return }
    file.usesLeft -= 1
    kept[index] = file.usesLeft > 0 ? file : nil
    if file.usesLeft <= 0 { try FileSystem.removeFile(file.path) }
  }

  func removeAll() { try? FileSystem.removeFolder(folder) }
}
