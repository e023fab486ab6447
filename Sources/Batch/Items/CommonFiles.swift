import MeshPipeline

/// Files that several scans of an archive need, kept until the last of these has been staged.
struct CommonFiles {
  private struct Kept {
    var path: String
    var hash: String
    var usesLeft: Int
  }

  private var kept: [Int: Kept] = [:]
  private let folder: String

  /// - Parameter folder: Private; made when it is needed.
  init(in folder: String) { self.folder = folder }

  /// Where a file is to be put, by its place in the list.
  func path(for place: Int) -> String { "\(folder)/\(place)" }

  /// The hash of a file that is kept; nil for one that isn't.
  func hash(of place: Int) -> String? { kept[place]?.hash }

  mutating func keep(_ place: Int, hash: String, uses: Int) {
    kept[place] = Kept(path: path(for: place), hash: hash, usesLeft: uses)
  }

  /// Gives a file to a scan under its name there; a second name for the same bytes where the volume
  /// can, a copy where it can't.
  func give(_ place: Int, as path: String) throws {
    guard let file = kept[place] else { return }
    try FileSystem.createFolder(FileSystem.folder(of: path))
    if FileSystem.link(file.path, as: path) { return }
    let copy = try FileWriter(creating: path)
    let reader = try BlockReader(file.path)
    while case let block = try reader.next(), !block.isEmpty { try copy.write(Array(block)) }
    try copy.finish(synchronizing: false)
  }

  /// Notes that one scan fewer needs a file.
  mutating func release(_ place: Int) throws {
    guard var file = kept[place] else { return }
    file.usesLeft -= 1
    kept[place] = file.usesLeft > 0 ? file : nil
    if file.usesLeft <= 0 { try FileSystem.removeFile(file.path) }
  }

  func removeAll() { try? FileSystem.removeFolder(folder) }
}
