internal import CAssimp
internal import CAssimpExport
import MeshPipeline

/// Writes a scene with Assimp, in this process: call it only in a worker process.
enum AssimpExport {
  /// Writes `scene` to `path`.
  static func write(_ scene: Scene, as format: String, to path: String) throws(AssimpError) {
    throw .writing(path: path, reason: "not yet")
  }
}
