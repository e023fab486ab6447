/// The files of one output while they are being written: a main file and what lies beside it.
///
/// Files are written in a private folder on the same volume as their final place; ``OutputTransaction``
/// moves them there when all of them are complete.
public struct OutputSet: Sendable {
  /// The private folder.
  public let folder: String
  /// The name of the main file, without folder.
  public let mainFileName: String
  /// The folder that the files come to lie in; nil when the main file goes to standard output.
  public let finalFolder: String?

  /// Creates a set whose private folder is the final one.
  public init(folder: String, mainFileName: String) {
    self.init(folder: folder, mainFileName: mainFileName, finalFolder: folder)
  }

  init(folder: String, mainFileName: String, finalFolder: String?) {
    self.folder = folder
    self.mainFileName = mainFileName
    self.finalFolder = finalFolder
  }

  /// The path to write the main file at.
  public var mainPath: String { "\(folder)/\(mainFileName)" }

  /// The main file's name without extension: what names of side files begin with, which the main file names.
  public var stem: String {
    let end = mainFileName.lastIndex(of: ".") ?? mainFileName.endIndex
    return String(mainFileName[..<end]).withoutForeignBytes
  }

  /// The path to write a side file at; the name must not contain a folder.
  public func sidePath(_ name: String) -> String { "\(folder)/\(name)" }
}
