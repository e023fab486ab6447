import Foundation
import MeshPipeline

/// A folder for the files of one test, removed with the object.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    path = try FileSystem.createPrivateFolder(prefix: NSTemporaryDirectory() + "/meshpipe-test-")
  }

  deinit { try? FileSystem.removeFolder(path) }
}
