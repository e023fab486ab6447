/// The files of one scan.
struct ScanGroup: Sendable, Equatable {
  /// The path of the mesh, or of the capture's folder; empty for a capture at the archive's top
  /// level.
  var path: String
  var isCapture = false
  /// Files of this scan, as indices in the list, in its order.
  var own: [Int]
  /// Files that may belong to any scan of the folder.
  var shared: [Int] = []

  /// The folder to which its files' paths are relative: that of the mesh or the capture.
  var folder: String {
    if isCapture { return path }
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return String(path[..<slash])
  }
}

/// A find in a folder or an archive, with its position in the list.
enum ScanFind: Sendable, Equatable {
  case scan(ScanGroup)
  /// An archive, as an index in the list.
  case archive(Int)
  /// A file that must not be opened and belongs to no scan.
  case refused(Int)
}
