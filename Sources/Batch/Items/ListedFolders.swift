/// The folders of listed files, relative to the deepest folder that all of them are in.
struct ListedFolders {
  private let depth: Int

  init(of paths: [String]) {
    let folders = paths.map(Self.parts(ofFolderOf:))
    depth =
      folders.dropFirst().reduce(folders.first ?? []) { common, folder in
        Array(zip(common, folder).prefix { $0 == $1 }.map(\.0))
      }.count
  }

  /// The path of a file, or of a capture's folder, for placeholders and patterns: `day1/room.obj`.
  func place(of path: String) -> String {
    // What leads out of the output folder would be refused.
    let folder = Self.parts(ofFolderOf: path).dropFirst(depth).filter { $0 != ".." }
    return (folder + [DiskPath.folderName(path)[...]]).joined(separator: "/")
  }

  private static func parts(ofFolderOf path: String) -> [Substring] {
    Array(path.split(separator: "/").dropLast())
  }
}
