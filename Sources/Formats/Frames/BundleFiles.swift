import Captures
import MeshPipeline

/// The files of a bundle while it is written.
struct BundleFiles {
  private let output: OutputSet
  private let context: WritingContext
  /// The file from which each one is copied; empty for others.
  private var sources: [String: String] = [
    FramesBundle.index: "", FramesBundleManifest.name: "", FramesBundleChecksums.name: "",
    "README.md": "",
  ]
  private var folders: Set<String> = []

  init(_ output: OutputSet, _ context: WritingContext) {
    self.output = output
    self.context = context
  }

  /// Whether pictures must say nothing beside their pixels.
  var isPrivate: Bool { context.isPrivate }

  /// Reserves a name.
  ///
  /// - Parameters:
  ///   - wanted: The name in the source, which is used if it may be and is free.
  ///   - usual: Another one.
  ///   - source: The file to copy; two frames may share one.
  mutating func name(_ wanted: String?, or usual: String, for source: String) -> String {
    for name in [wanted, usual].compactMap(\.self) where Self.isPlain(name) {
      let other = sources[name]
      if other == nil || other == source && !source.isEmpty {
        sources[name] = source
        return name
      }
    }
    let (stem, ending) = (usual.prefix(while: { $0 != "." }), fileExtension(of: usual))
    var number = 2
    while sources["\(stem)_\(number).\(ending)"] != nil { number += 1 }
    sources["\(stem)_\(number).\(ending)"] = source
    return "\(stem)_\(number).\(ending)"
  }

  /// Whether a name leads to a place in the folder, whatever the system.
  private static func isPlain(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count <= 6
      && parts.allSatisfy { part in
        !part.isEmpty && part != "." && part != ".." && part.utf8.count <= 200
          && part.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\\" && $0 != ":" }
      }
  }

  /// Writes a file under a reserved name, once.
  mutating func write(_ file: FrameFile, as name: String) throws {
    let path = try path(of: name)
    if case .copy = file, try FileSystem.status(of: path) != nil { return }
    try context.stage.checkCancellation()
    try (isPrivate ? file.withoutMetadata : file).write(to: path, in: context.stage)
  }

  /// The path for writing a file, whose folder is made.
  mutating func path(of name: String) throws -> String {
    if let slash = name.lastIndex(of: "/"), folders.insert(String(name[..<slash])).inserted {
      try FileSystem.createFolder(output.sidePath(String(name[..<slash])))
    }
    return output.sidePath(name)
  }

  /// The names of all files that were written, in order.
  func written() throws -> [String] { try FileSystem.deepNames(inFolder: output.folder) }

  /// Refuses a folder in which files would remain that a reader takes for this capture's.
  ///
  /// All names must be reserved.
  func requireNoOthers() throws {
    guard let folder = output.finalFolder, try FileSystem.status(of: folder) != nil else { return }
    let names = Set(sources.keys)
    for name in try FileSystem.names(inFolder: folder).sorted() {
      let found =
        ["images", "depth", "confidence", "masks"].contains(name)
        ? try FileSystem.deepNames(inFolder: "\(folder)/\(name)").map { "\(name)/\($0)" }
        : Self.counts(name) ? [name] : []
      if let other = found.first(where: { !names.contains($0) }) {
        throw UnwritableBundle.otherFiles(folder: folder, name: other)
      }
    }
  }

  /// Whether a file beside the frames is found by its name.
  private static func counts(_ name: String) -> Bool {
    CaptureFolder.usualMeshNames.contains(name) || name == "video.mov"
  }
}
