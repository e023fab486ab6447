import Synchronization

/// A private folder for files that stages make for the stages after them, such as depth maps.
///
/// It is made for the first file, and removed with the run; that of a killed run by the next one that needs a folder.
package final class RunFiles: Sendable {
  private static let prefix = "meshpipe-run-"

  /// Those of stages that are run alone: their results are used as long as the process lives.
  package static let ofProcess = RunFiles()

  private struct State {
    var folder: PrivateFolder?
    var count = 0
  }

  private let state = Mutex(State())

  package init() {}

  deinit {
    state.withLock { state in
      if let folder = state.folder { try? FileSystem.removeFolder(folder.path) }
    }
  }

  /// The path of a new file, which is not there yet.
  ///
  /// - Parameter ending: With the point.
  package func newPath(ending: String) throws(FileError) -> String {
    let place = try folder()
    return state.withLock { state in
      state.count += 1
      return "\(place)/\(state.count)\(ending)"
    }
  }

  private func folder() throws(FileError) -> String {
    let outcome = state.withLock { state in
      if let folder = state.folder { return Result<String, FileError>.success(folder.path) }
      do throws(FileError) {
        let folder = try Self.create()
        state.folder = folder
        return .success(folder.path)
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  private static func create() throws(FileError) -> PrivateFolder {
    PrivateFolder.removeLeft(in: FileSystem.temporaryFolder, prefix: prefix)
    let folder = try PrivateFolder(in: FileSystem.temporaryFolder, prefix: prefix)
    FileSystem.noteTemporary(folder.path)
    return folder
  }

  /// Whether a file is in this folder.
  package func contains(_ path: String) -> Bool {
    guard let folder = state.withLock({ $0.folder?.path }) else { return false }
    return path.hasPrefix(folder + "/")
  }
}
