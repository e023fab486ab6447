package import MeshPipeline
import NativeLibraries
import Workers

/// A file of the cache.
package struct CheckpointFile: Sendable, Equatable {
  static let ending = "." + (MeshScene.extensions.first ?? "")

  package let path: String
  package let byteCount: Int
  /// When it was last used, in nanoseconds since 1970.
  package let used: Int64
  /// What its bytes have to hash to.
  fileprivate let sum: String

  /// Nil if its name is none that a run gives, or if it is no longer there.
  init?(_ path: String) {
    let name = FileSystem.name(of: path)
    let folder = FileSystem.folder(of: path)
    guard name.hasSuffix(Self.ending) else { return nil }
    let parts = name.dropLast(Self.ending.count).split(
      separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy(\.isHash),
      FileSystem.name(of: folder) == parts[0].prefix(2), !FileSystem.isSymbolicLink(folder),
      let status = try? FileSystem.status(of: path), status.isRegularFile
    else { return nil }
    self.path = path
    sum = String(parts[1])
    byteCount = status.size
    used = status.modified
  }

  /// Whether its bytes are those that were written; nil if it is no longer there, since another run needed room.
  package func isIntact(cancellation: Cancellation = Cancellation()) throws -> Bool? {
    do {
      return try SHA256.hexadecimal(ofFile: path, cancellation: cancellation) == sum
    } catch {
      guard try FileSystem.status(of: path) == nil else { throw error }
      return nil
    }
  }

  /// What is known of its scene; nil if the file is no longer there.
  ///
  /// - Parameter places: Private files and folders of this run; nil to have their names in place of their paths.
  package func opened(_ places: ShownPaths? = nil) -> (any KeptCheckpoint)? {
    guard let mapped = try? MappedFile(path: path, allowsPipes: false) else { return nil }
    var bytes = FileBytes(file: mapped)
    let decoder = WireDecoder(requiresFiniteNumbers: false)
    var opened = OpenedCheckpoint(file: self, mapped: mapped, places: places ?? ShownPaths())
    if let about = (try? decoder.checkpoint(from: &bytes))?["about"] {
      opened.checkpoint = try? JSONDecoding.value(
        Checkpoint.self, of: places?.restored(about) ?? ShownPaths.named(about))
    }
    return opened
  }

  package func discard() { try? FileSystem.removeFile(path) }
}

extension Substring {
  /// Whether it may be a SHA-256.
  var isHash: Bool {
    utf8.count == 64 && utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
  }
}

/// A file of the cache whose beginning was read; its bytes remain when another run removes it.
private struct OpenedCheckpoint: KeptCheckpoint {
  let file: CheckpointFile
  let mapped: MappedFile
  let places: ShownPaths
  var checkpoint: Checkpoint?

  func requireIntact() throws {
    var hash = SHA256()
    mapped.withBytes { hash.update($0) }
    guard checkpoint != nil, hash.finish() == file.sum else {
      throw DamagedCheckpoint(path: file.path)
    }
  }

  func scene() throws -> Scene {
    try requireIntact()
    var bytes = FileBytes(file: mapped)
    let decoder = WireDecoder(maximumPayloadLength: mapped.count, requiresFiniteNumbers: false)
    guard case .scene(let message) = try decoder.read(from: &bytes),
      let json = message.checkpoint?["scene"],
      let unsent = try? JSONDecoding.value(UnsentScene.self, of: places.restored(json)),
      let scene = unsent.restored(to: message.scene)
    else { throw DamagedCheckpoint(path: file.path) }
    try? FileSystem.touch(file.path)
    return scene
  }

  func discard() { file.discard() }
}

/// A file of the cache that is not as it was written.
struct DamagedCheckpoint: UserError {
  var path: String

  var exitCode: ExitCode { .data }
  var message: String { "\(path): this file of the cache is damaged" }
}
