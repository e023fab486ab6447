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

  mutating func keep(_ place: Int, hash: String, uses: Int) {
    kept[place] = Kept(path: path(for: place), hash: hash, usesLeft: uses)
  }

  /// Gives a file to a scan under its name there, as a hard link if the volume supports it,
  /// otherwise as a copy.
  func give(_ place: Int, as path: String) throws {
    guard let file = kept[place] else { return }
    try FileSystem.createFolder(FileSystem.folder(of: path))
    if FileSystem.link(file.path, as: path) { return }
    let copy = try FileWriter(creating: path)
    let reader = try BlockReader(file.path)
    while case let block = try reader.next(), !block.isEmpty { try copy.write(Array(block)) }
    try copy.finish(synchronizing: false)
  }

  /// Records that one scan fewer needs a file.
  mutating func release(_ place: Int) throws {
    guard var file = kept[place] else { return }
    file.usesLeft -= 1
    kept[place] = file.usesLeft > 0 ? file : nil
    if file.usesLeft <= 0 { try FileSystem.removeFile(file.path) }
  }

  func removeAll() { try? FileSystem.removeFolder(folder) }
}
