import MeshPipeline

/// A working plugin to start from.
package struct PluginSkeleton: Sendable {
  /// The language of a skeleton.
  package enum Language: String, Sendable, CaseIterable { case python, c, swift }

  /// The kind of a skeleton.
  package enum Kind: String, Sendable, CaseIterable { case stage, reader, writer }

  /// A file of the skeleton.
  package struct File: Sendable {
    /// The path in the plugin's folder.
    package var name: String
    package var text: String
    package var isProgram = false
  }

  package var name: String
  package var language: Language
  package var kind: Kind

  /// - Throws: ``UserError`` for an invalid plugin name, or a language without a skeleton of this
  ///   kind.
  package init(name: String, language: Language, kind: Kind = .stage) throws {
    guard name.isNameOfStage else { throw Fault(message: PluginManifest.nameRule(name)) }
    guard kind == .stage || language == .python else {
      throw Fault(
        message: "a \(kind.rawValue) runs as a separate program, and its skeleton is in Python; "
          + "leave out --lang")
    }
    self.kind = kind
    self.name = name
    self.language = language
  }

  /// Whether the plugin has to be built before it runs.
  package var isCompiled: Bool { language != .python }

  /// The command line that runs the skeleton's own test.
  package func testCommand(in folder: String) -> String {
    guard language == .python else { return "make -C \(folder) test" }
    let path = PythonModule.folder.map { "PYTHONPATH='\($0)' " } ?? ""
    return "\(path)python3 \(folder)/test_\(identifier).py"
  }

  /// The name as an identifier in C, Python and Swift: `lift_up`.
  var identifier: String { String(name.map { $0 == "-" ? "_" : $0 }) }

  /// The files, the manifest first.
  ///
  /// - Throws: ``UserError`` if the header of the C ABI, which is one of them, can't be found.
  package func files() throws -> [File] {
    switch language {
    case .python: kind == .stage ? python : format
    case .c: try c
    case .swift: try swift
    }
  }

  /// Writes the files into a new folder.
  ///
  /// - Returns: The names of the files.
  @discardableResult
  package func write(to folder: String) throws -> [String] {
    if try FileSystem.status(of: folder) != nil {
      throw Fault(exitCode: .cannotCreate, message: "\(folder) already exists")
    }
    let files = try files()
    for file in files {
      let path = "\(folder)/\(file.name)"
      try FileSystem.createFolder(FileSystem.folder(of: path))
      try FileSystem.replaceFile(path, with: file.text)
      if file.isProgram { try FileSystem.setPermissions(0o755, of: path) }
    }
    return files.map(\.name)
  }

  /// The manifest, whose stage moves every vertex up.
  ///
  /// - Parameter program: The keys for its program, indented by two spaces.
  func manifest(program: String) -> String {
    """
    {
      "meshpipePlugin": 1,
      "name": "\(name)",
      "version": "0.1.0",
      "summary": "What it is good for.",
      "author": "Your name",
      "license": "MIT",
      \(program)
      "stages": [
        {
          "name": "\(name)",
          "summary": "Moves every vertex up.",
          "description": "How it works, and what to run before it.",
          "parameters": {
            "type": "object",
            "properties": {
              "distance": {
                "type": "number", "format": "length", "minimum": 0, "maximum": "10m",
                "default": "1cm", "description": "How far."
              }
            }
          },
          "needs": ["faces"],
          "removes": [],
          "deterministic": true,
          "example": { "with": { "distance": "5cm" } }
        }
      ]
    }

    """
  }

  /// Why a skeleton can't be made.
  struct Fault: UserError {
    var exitCode = ExitCode.usage
    var message: String
  }
}
