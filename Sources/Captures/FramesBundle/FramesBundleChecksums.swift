import MeshPipeline

/// The hashes of `manifest.sha256.json`.
package enum FramesBundleChecksums {
  package static let name = "manifest.sha256.json"

  /// Warns about every file that was changed since the bundle was made.
  ///
  /// - Returns: The names of the files.
  static func verify(
    _ folder: CaptureFolder, in context: CaptureReadingContext
  ) throws -> [String] {
    let path = folder.path(of: name)
    guard folder.has(name) else {
      context.didMiss(path)
      return []
    }
    let json = try context.json(at: path)
    guard let hashes = FileHashes(manifest: json, path: { folder.path(of: $0) }) else {
      context.warn("\(path): contains no file hashes")
      return []
    }
    let faults = hashes.faults()
    try context.checkCancellation()
    for fault in FileHashes.Fault.allCases {
      let names = zip(hashes.entries, faults).filter { $1 == fault }.map { "'\($0.0.name)'" }
      guard !names.isEmpty else { continue }
      let more = names.count > 3 ? " and \(names.count - 3) more" : ""
      context.warn("\(path): \(names.prefix(3).joined(separator: ", "))\(more) \(fault.rawValue)")
    }
    return hashes.entries.filter { $0.path != nil }.map(\.name)
  }
}
