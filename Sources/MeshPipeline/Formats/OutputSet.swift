import MeshpipeBase

/// The files of one output while they are written: a main file and its side files.
///
/// Files are written to a private folder on the same volume as their destination;
/// ``OutputTransaction`` moves them there when all of them are complete.
public struct OutputSet: Sendable {
  /// The private folder.
  public let folder: String
  /// The name of the main file, without folder.
  public let mainFileName: String
  /// The destination folder; nil if the main file goes to standard output.
  public let finalFolder: String?
  /// The paths of side files of other levels of the same model, which will lie in the same folder.
  let sharedFiles: [String]

  /// Creates a set whose private folder is the destination.
  public init(folder: String, mainFileName: String) {
    self.init(folder: folder, mainFileName: mainFileName, finalFolder: folder)
  }

  init(
    folder: String, mainFileName: String, finalFolder: String?, sharedFiles: [String] = []
  ) {
    self.folder = folder
    self.mainFileName = mainFileName
    self.finalFolder = finalFolder
    self.sharedFiles = sharedFiles
  }

  /// The path for writing the main file.
  public var mainPath: String { "\(folder)/\(mainFileName)" }

  /// The main file's name without extension: the prefix of side file names.
  public var stem: String {
    let end = mainFileName.lastIndex(of: ".") ?? mainFileName.endIndex
    return String(mainFileName[..<end]).withoutForeignBytes
  }

  /// The name of a side file with the same bytes of another level of the model; nil if there is none.
  ///
  /// Levels that write a texture under one name share its file.
  package func sharedName(of bytes: [UInt8]) throws -> String? {
    let path = try sharedFiles.first { path throws(FileError) in
      try FileSystem.hasContents(path, bytes)
    }
    return path.map { FileSystem.name(of: $0) }
  }

  /// The path for writing a side file; a folder in its name must be made.
  public func sidePath(_ name: String) -> String { "\(folder)/\(name)" }
}
