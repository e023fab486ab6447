package import MeshPipeline
import NativeLibraries
import Workers

/// The cache: a folder with the results of stages, each a file of ``MeshScene``.
///
/// The name of a file is the name of the result and a checksum of its bytes, so that a reader knows both, a file appears
/// complete or not at all, and several runs may write, read and remove at once. The time of a file is that of its last use.
package struct CheckpointFolder: CheckpointStore {
  /// What is kept without a word of the user.
  package static let usualBytes = 5_000_000_000

  package let path: String
  /// In bytes.
  package var capacity: Int
  /// Private files and folders of this run.
  package var places = ShownPaths()
  /// Whether the user names the folder, so that it matters if it can't be written.
  package var isNamed = true

  package init(_ path: String, capacity: Int = usualBytes) {
    self.path = path
    self.capacity = capacity
  }

  // MARK: Using

  package func candidates(for key: String) -> [any KeptCheckpoint] {
    let folder = "\(path)/\(key.prefix(2))"
    return ((try? FileSystem.names(inFolder: folder)) ?? [])
      .filter { $0.hasPrefix(key) }
      .compactMap { CheckpointFile("\(folder)/\($0)") }
      .compactMap { $0.opened(places) }
  }

  package func keep(_ checkpoint: Checkpoint, _ scene: Scene, for key: String) throws {
    guard 2 * WireEncoder.payloadLength(of: scene) < capacity else { return }
    let folder = "\(path)/\(key.prefix(2))"
    let unfinished = "\(folder)/.\(key).\(FileSystem.now)"
    do {
      try createFolders(folder)
      try write(checkpoint, scene, to: unfinished)
      let sum = try SHA256.hexadecimal(ofFile: unfinished)
      let path = "\(folder)/\(key)-\(sum)\(CheckpointFile.ending)"
      try FileSystem.rename(unfinished, to: path)
      removeForerunners(of: path, checkpoint, for: key)
    } catch {
      try? FileSystem.removeFile(unfinished)
      if isNamed || (error as? any UserError)?.exitCode == .interrupted { throw error }
      return
    }
    try prune(to: capacity)
  }

  /// Removes earlier files of the same result, which differ in the time that it took.
  ///
  /// Of several that are written at once the last one stays.
  private func removeForerunners(of path: String, _ checkpoint: Checkpoint, for key: String) {
    guard let own = CheckpointFile(path) else { return }
    for file in files(inShard: FileSystem.folder(of: path)) where file.path != path {
      guard FileSystem.name(of: file.path).hasPrefix(key),
        (file.used, file.path) < (own.used, own.path)
      else { continue }
      if file.opened(places)?.checkpoint?.files == checkpoint.files { file.discard() }
    }
  }

  private func createFolders(_ folder: String) throws {
    if try FileSystem.status(of: path) == nil {
      try FileSystem.createFolder(path)
      // Scans of someone's rooms.
      try FileSystem.setPermissions(0o700, of: path)
    }
    try FileSystem.createFolder(folder)
  }

  private func write(_ checkpoint: Checkpoint, _ scene: Scene, to path: String) throws {
    var sent = scene
    let unsent = UnsentScene(takenFrom: &sent)
    var message = WireScene(sent)
    message.checkpoint = places.lasting([
      "about": try JSONEncoding.json(checkpoint), "scene": try JSONEncoding.json(unsent),
    ])
    var sink = FileSink(writer: try FileWriter(creating: path))
    try WireEncoder.write(.scene(message), to: &sink)
    // A file that a power cut damages does not match its checksum.
    try sink.writer.finish(synchronizing: false)
  }

  // MARK: Keeping house

  /// All results, those used longest ago first.
  package func files() throws -> [CheckpointFile] {
    try FileSystem.names(inFolder: path).flatMap { files(inShard: "\(path)/\($0)") }
      .sorted { ($0.used, $0.path) < ($1.used, $1.path) }
  }

  private func files(inShard folder: String) -> [CheckpointFile] {
    ((try? FileSystem.names(inFolder: folder)) ?? []).compactMap {
      CheckpointFile("\(folder)/\($0)")
    }
  }

  /// Removes results that were used longest ago until the others have no more than some bytes, and what runs that were
  /// killed have left.
  ///
  /// - Returns: What was removed.
  @discardableResult
  package func prune(to bytes: Int) throws -> [CheckpointFile] {
    removeUnfinished()
    let files = try files()
    var total = files.reduce(0) { $0 + $1.byteCount }
    var removed: [CheckpointFile] = []
    for file in files where total > bytes {
      total -= file.byteCount
      file.discard()
      removed.append(file)
    }
    return removed
  }

  /// No run writes a file for longer, in nanoseconds.
  private static let longestWriting: Int64 = 3_600_000_000_000

  /// Removes what ``keep(_:_:for:)`` began; anything else in the folder is the user's own.
  private func removeUnfinished() {
    for shard in (try? FileSystem.names(inFolder: path)) ?? [] where shard.utf8.count == 2 {
      let folder = "\(path)/\(shard)"
      guard !FileSystem.isSymbolicLink(folder) else { continue }
      for name in (try? FileSystem.names(inFolder: folder)) ?? [] where name.hasPrefix(".") {
        let parts = name.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].isHash, parts[0].hasPrefix(shard), Int64(parts[1]) != nil,
          let status = try? FileSystem.status(of: "\(folder)/\(name)"), status.isRegularFile,
          status.modified + Self.longestWriting < FileSystem.now
        else { continue }
        try? FileSystem.removeFile("\(folder)/\(name)")
      }
    }
  }
}

extension CheckpointFolder {
  /// The folder that the user wants, by an option, by `MESHPIPE_CACHE`, or by default in the user's cache folder; nil for
  /// none.
  package static func chosen(
    by settings: RunSettings,
    environment: (String) -> String? = { FileSystem.environment($0) }
  ) -> CheckpointFolder? {
    if settings.usesNoCache { return nil }
    let capacity = settings.cacheSize?.bytes ?? usualBytes
    let named = settings.cacheFolder ?? environment("MESHPIPE_CACHE")
    if let named, !named.isEmpty {
      return named == "none" ? nil : CheckpointFolder(named, capacity: capacity)
    }
    guard let place = usualPlace(environment) else { return nil }
    var folder = CheckpointFolder(place, capacity: capacity)
    folder.isNamed = false
    return folder
  }

  private static func usualPlace(_ environment: (String) -> String?) -> String? {
    if let caches = environment("XDG_CACHE_HOME"), caches.hasPrefix("/") {
      return "\(caches)/meshpipe"
    }
    guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
    #if os(macOS)
      return "\(home)/Library/Caches/meshpipe"
    #else
      return "\(home)/.cache/meshpipe"
    #endif
  }

  /// How a run with some settings uses the cache; nil without one.
  ///
  /// - Parameter places: Private files and folders of the run.
  package static func use(for settings: RunSettings, places: ShownPaths) -> CheckpointUse? {
    guard var folder = chosen(by: settings) else { return nil }
    folder.places = places
    return CheckpointUse(
      store: folder, program: meshpipeProgram, places: places, rerunFrom: settings.rerunFrom)
  }
}
