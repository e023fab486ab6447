import Formats
import MeshPipeline
import MeshTestSupport
import Testing

/// What came of reading a file.
struct Reading {
  var scene: Scene
  var warnings: [String]
  var openedFiles: [String]

  init(_ path: String, allowsExternalFiles: Bool = false) throws {
    let context = ReadingContext(allowsExternalFiles: allowsExternalFiles)
    let reader = try #require(FormatRegistry(builtInFormats).reader(forPath: path))
    scene = try reader.read(path, in: context)
    warnings = context.stage.warnings
    openedFiles = context.openedFiles
    for mesh in scene.meshes { try mesh.validate(materialCount: scene.materials.count) }
  }

  /// Reads a file that holds one mesh made of a text.
  static func mesh(_ name: String, _ contents: String) throws -> Mesh {
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write(name, contents))
    return try #require(reading.scene.meshes.first)
  }
}

/// The message of the error that reading a text gives, without the folder.
func readingFault(_ name: String, _ contents: String) throws -> String {
  try readingFault(name, Array(contents.utf8))
}

func readingFault(_ name: String, _ contents: [UInt8]) throws -> String {
  let folder = try TemporaryFolder()
  let path = try folder.write(name, contents)
  do {
    _ = try Reading(path)
    return "no error"
  } catch let error as any UserError {
    #expect(error.exitCode == .data)
    return error.message.replacing(folder.path + "/", with: "")
  }
}
