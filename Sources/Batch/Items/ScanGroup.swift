/// The files of one scan.
struct ScanGroup: Sendable, Equatable {
  /// The path of the mesh, or of the capture's folder; empty for a capture that fills its archive.
  var path: String
  var isCapture = false
  /// Files that belong to this scan, as places in the list, in its order.
  var own: [Int]
  /// Files that may belong to any scan of the folder.
  var shared: [Int] = []
  /// Why the scan can't be worked on, beside what its files say.
  var problem: String?

  /// What the paths of its files are relative to: the folder of the mesh, or that of the capture.
  var folder: String {
    if isCapture { return path }
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return String(path[..<slash])
  }
}

/// What is found in a folder or an archive, at the place in the list that says its turn.
enum ScanFind: Sendable, Equatable {
  case scan(ScanGroup)
  /// An archive, as a place in the list.
  case archive(Int)
  /// A file that must not be opened and belongs to no scan.
  case refused(Int)
}
