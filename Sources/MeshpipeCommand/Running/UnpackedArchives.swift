import MeshpipeKit
import Synchronization

/// Private folders for temporary files, removed at the end, or by the next run if this one is
/// killed.
enum TemporaryPlace {
  private static let prefix = "meshpipe-scan-"

  static func create() throws(FileError) -> String {
    PrivateFolder.removeLeft(in: FileSystem.temporaryFolder, prefix: prefix)
    let folder = try PrivateFolder(in: FileSystem.temporaryFolder, prefix: prefix)
    ExitHandlers.add { try? FileSystem.removeFolder(folder.path) }
    return folder.path
  }
}

/// Archives given as scans or frames, unpacked into private folders until the end.
enum UnpackedArchives {
  private struct Place {
    var archive: String
    var folder: String
  }

  private static let places = Mutex<[Place]>([])

  /// The folder with the contents of an archive; nil if the path is not an archive.
  ///
  /// The folder has the archive's name. Each archive is unpacked once.
  static func folder(ofArchive path: String) throws -> String? {
    guard let stem = CaptureArchive.stem(of: path),
      try FileSystem.status(of: path)?.isRegularFile == true
    else { return nil }
    if let place = places.withLock({ $0.first { $0.archive == path } }) { return place.folder }
    let root = try TemporaryPlace.create()
    FileSystem.noteTemporary(root)
    let folder = root + "/" + FileSystem.name(of: stem)
    try FileSystem.createFolder(folder)
    do {
      try CaptureArchive.unpack(path, into: folder, for: Signals.cancellation)
    } catch {
      // A partly unpacked archive must not be used: another attempt must fail in the same way.
      try? FileSystem.removeFolder(root)
      throw error
    }
    places.withLock { $0.append(Place(archive: path, folder: folder)) }
    PrivateInputs.show(folder, as: path)
    return folder
  }

  /// The capture at a path: its folder, a file that identifies it, or its archive.
  static func capture(at path: String) throws -> FoundCapture {
    try builtInCaptures.find(folder(ofArchive: path) ?? path)
  }

  /// The capture's folder, or otherwise the only mesh, in an unpacked archive.
  static func scan(
    inFolder folder: String, ofArchive path: String, _ formats: FormatRegistry
  ) throws -> String {
    if (try? builtInCaptures.find(folder)) != nil { return folder }
    let meshes = try ScanFolder.meshes(in: folder, depth: 8, formats)
    if let only = ScanFolder.onlyOne(of: meshes, formats) { return only }
    // An Office document is a zip as well; what is said of a compressed file is wrong of an archive.
    if fileExtension(of: path) == "zip", let kind = formats.explanation(ofContentsOf: path) {
      throw UnusableArchive(path: path, reason: kind)
    }
    let names = meshes.prefix(3).map { "'\($0.dropFirst(folder.count + 1))'" }
    throw UnusableArchive(
      path: path,
      reason: meshes.isEmpty
        ? "the archive contains neither a capture nor a mesh"
        : "the archive contains \(meshes.count) meshes (\(names.joined(separator: ", "))); "
          + "extract the one that you mean"
    )
  }

  /// The archive that a file comes from; the file itself if it was not unpacked.
  static func origin(of path: String) -> String {
    places.withLock { $0.first { path.hasPrefix($0.folder + "/") || path == $0.folder } }?.archive
      ?? path
  }
}

/// An archive without a single scan.
struct UnusableArchive: UserError {
  var path: String
  var reason: String

  var exitCode: ExitCode { .data }
  var message: String { "\(path): \(reason)" }
}
