import MeshPipeline

/// A working plugin to begin from.
public struct PluginSkeleton: Sendable {
  /// A language that there is a skeleton in.
  public enum Language: String, Sendable, CaseIterable { case python }

  /// A file of the skeleton.
  public struct File: Sendable {
    /// The path in the plugin's folder.
    public var name: String
    public var text: String
    public var isProgram = false
  }

  public var name: String
  public var language: Language

  /// - Throws: ``UserError`` for a name that no plugin can have.
  public init(name: String, language: Language) throws {
    guard name.isNameOfStage else { throw BadName(message: PluginManifest.nameRule(name)) }
    self.name = name
    self.language = language
  }

  /// The files, the manifest first.
  public var files: [File] {
    switch language {
    case .python: python
    }
  }

  /// Writes the files into a folder that is not there yet.
  public func write(to folder: String) throws {
    if try FileSystem.status(of: folder) != nil {
      throw BadName(exitCode: .cannotCreate, message: "\(folder) is there already")
    }
    for file in files {
      let path = "\(folder)/\(file.name)"
      try FileSystem.createFolder(FileSystem.folder(of: path))
      try FileSystem.replaceFile(path, with: file.text)
      if file.isProgram { try FileSystem.setPermissions(0o755, of: path) }
    }
  }

  private struct BadName: UserError {
    var exitCode = ExitCode.usage
    var message: String
  }
}
