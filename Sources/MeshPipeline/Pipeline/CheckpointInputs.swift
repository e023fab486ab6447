import MeshpipeBase
import Synchronization

/// The files that a run with checkpoints has read or will read.
final class CheckpointInputs: Sendable {
  let paths: [String]
  let statuses: [FileStatus]
  private let runHashes: RunHashes
  private let cancellation: Cancellation
  /// Empty until they are needed.
  private let hashed = Mutex<[Checkpoint.File]>([])

  /// - Parameters:
  ///   - runHashes: Those that the run makes of its files for its provenance.
  ///   - start: When the run began.
  /// - Returns: Nil if a file is none that can be known again, or was written since the run began, so that it is unknown
  ///   what was read.
  init?(
    _ paths: [String], _ runHashes: RunHashes, since start: Int64, _ cancellation: Cancellation
  ) {
    let statuses = paths.compactMap { try? FileSystem.status(of: $0) }
    guard statuses.count == paths.count,
      statuses.allSatisfy(\.isRegularFile),
      paths.allSatisfy({ FileSystem.changeTime(of: $0).map { $0 < start } ?? false })
    else { return nil }
    (self.paths, self.statuses) = (paths, statuses)
    (self.runHashes, self.cancellation) = (runHashes, cancellation)
  }

  /// The bytes that are still to be hashed.
  var unhashedBytes: Int {
    hashed.withLock(\.isEmpty) ? statuses.reduce(0) { $0 + $1.size } : 0
  }

  /// The files with their hashes.
  ///
  /// - Returns: Nil if they are no longer those that the run began with.
  func hashes() throws -> [Checkpoint.File]? {
    guard areUnchanged else { return nil }
    let known = hashed.withLock(\.self)
    guard known.isEmpty else { return known }
    let files = try Parallel.map(count: paths.count) { index in
      Result {
        Checkpoint.File(
          path: self.paths[index], size: self.statuses[index].size,
          sha256: try self.runHashes.sha256(
            of: self.paths[index], self.statuses[index], cancellation: self.cancellation))
      }
    }.map { try $0.get() }
    guard areUnchanged else { return nil }
    hashed.withLock { $0 = files }
    return files
  }

  private var areUnchanged: Bool {
    zip(paths, statuses).allSatisfy { (try? FileSystem.status(of: $0)) == $1 }
  }
}
