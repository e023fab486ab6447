import MeshpipeBase

/// The files of one output while they are written: a main file and its side files.
///
/// Files are written to a private folder on the same volume as their destination;
/// the run moves them there when all of them are complete.
public struct OutputSet: Sendable {
  /// The private folder.
  public let folder: String
  /// The name of the main file, without folder.
  public let mainFileName: String
  /// The destination folder; nil if the main file goes to standard output.
  public let finalFolder: String?
  /// What the names of a model's levels have in common, in whose name levels share files; nil for what is not a level.
  package let sharedStem: String?

  /// Creates a set whose private folder is the destination.
  public init(folder: String, mainFileName: String) {
    self.init(folder: folder, mainFileName: mainFileName, finalFolder: folder)
  }

  /// The same set, as that of a level of a model: without its name, `room_lod1` is `room`.
  package func ofLevel(_ level: String) -> OutputSet {
    var shared = stem
    // Last in most names; a short one may be a part of the model's.
    if let place = shared.ranges(of: level).last { shared.removeSubrange(place) }
    func isSeparator(_ character: Character) -> Bool { "_-. ".contains(character) }
    let rest = shared.drop(while: isSeparator)
    let end = rest.lastIndex { !isSeparator($0) }
    return OutputSet(
      folder: folder, mainFileName: mainFileName, finalFolder: finalFolder,
      sharedStem: end.map { String(rest[...$0]) } ?? "")
  }

  init(
    folder: String, mainFileName: String, finalFolder: String?, sharedStem: String? = nil
  ) {
    self.folder = folder
    self.mainFileName = mainFileName
    self.finalFolder = finalFolder
    self.sharedStem = sharedStem
  }

  /// The path for writing the main file.
  public var mainPath: String { "\(folder)/\(mainFileName)" }

  /// The main file's name without extension: the prefix of side file names.
  public var stem: String {
    let end = mainFileName.lastIndex(of: ".") ?? mainFileName.endIndex
    return String(mainFileName[..<end]).withoutForeignBytes
  }

  /// The path for writing a side file; a folder in its name must be made.
  public func sidePath(_ name: String) -> String { "\(folder)/\(name)" }
}
