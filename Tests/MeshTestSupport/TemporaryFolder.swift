import Foundation
import MeshPipeline

/// A folder for the files of one test, removed with the object.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    path = try FileSystem.createPrivateFolder(prefix: NSTemporaryDirectory() + "/meshpipe-test-")
  }

  /// Writes a file, and the folders above it as needed.
  ///
  /// - Returns: Its path.
  @discardableResult
  package func write(_ name: String, _ contents: String) throws -> String {
    try write(name, Array(contents.utf8))
  }

  @discardableResult
  package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let file = path + "/" + name
    try FileSystem.createFolder(FileSystem.folder(of: file))
    try Data(bytes).write(to: URL(filePath: file))
    return file
  }

  deinit { try? FileSystem.removeFolder(path) }
}
