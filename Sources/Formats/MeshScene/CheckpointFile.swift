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

  /// Nil if it is none, or no longer there.
  init?(_ path: String) {
    let name = FileSystem.name(of: path)
    guard name.hasSuffix(Self.ending), !name.hasPrefix("."),
      let sum = name.dropLast(Self.ending.count).split(separator: "-").last, sum.utf8.count == 64,
      let status = try? FileSystem.status(of: path), status.isRegularFile
    else { return nil }
    self.path = path
    self.sum = String(sum)
    byteCount = status.size
    used = status.modified
  }

  /// Whether its bytes are those that were written.
  package func isIntact(cancellation: Cancellation = Cancellation()) throws -> Bool {
    try SHA256.hexadecimal(ofFile: path, cancellation: cancellation) == sum
  }

  /// What is known of its scene.
  package func opened(_ places: ShownPaths = ShownPaths()) throws -> any KeptCheckpoint {
    let mapped = try MappedFile(path: path, allowsPipes: false)
    var bytes = FileBytes(file: mapped)
    let decoder = WireDecoder(requiresFiniteNumbers: false)
    guard let json = try decoder.checkpoint(from: &bytes), let about = json["about"] else {
      throw DamagedCheckpoint(path: path)
    }
    let checkpoint = try JSONDecoding.value(Checkpoint.self, of: places.restored(about))
    return OpenedCheckpoint(file: self, mapped: mapped, checkpoint: checkpoint, places: places)
  }

  package func discard() { try? FileSystem.removeFile(path) }
}

/// A file of the cache whose beginning was read; its bytes remain when another run removes it.
private struct OpenedCheckpoint: KeptCheckpoint {
  let file: CheckpointFile
  let mapped: MappedFile
  let checkpoint: Checkpoint
  let places: ShownPaths

  var path: String { file.path }

  func scene() throws -> Scene {
    var hash = SHA256()
    mapped.withBytes { hash.update($0) }
    guard hash.finish() == file.sum else { throw DamagedCheckpoint(path: path) }
    var bytes = FileBytes(file: mapped)
    let decoder = WireDecoder(maximumPayloadLength: mapped.count, requiresFiniteNumbers: false)
    guard case .scene(let message) = try decoder.read(from: &bytes),
      let json = message.checkpoint?["scene"],
      let unsent = try? JSONDecoding.value(UnsentScene.self, of: places.restored(json)),
      let scene = unsent.restored(to: message.scene)
    else { throw DamagedCheckpoint(path: path) }
    try? FileSystem.touch(path)
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
