internal import CAssimp
internal import CAssimpExport
import MeshPipeline
import MeshpipeScene

/// Writes a scene with Assimp, in this process: call it only in a worker process.
package enum AssimpExport {
  /// The bytes of a text that Assimp can take.
  package static let longestText = 1000

  /// Writes `scene`, prepared as described in ``AssimpSceneBuilder``, in one of Assimp's formats.
  static func write(
    _ scene: Scene, madeBy provenance: Provenance?, as format: String, to path: String
  ) throws {
    var builder = unsafe AssimpSceneBuilder(
      scene, madeBy: provenance, namesMeshes: format != "3ds")
    let capacity = 1 << 12
    let reason = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { text in
      unsafe text[0] = 0
      let status = unsafe builder.withScene(declaresAxes: format.hasPrefix("fbx")) { built in
        unsafe assimp_export(
          UnsafeRawPointer(built), format, path.systemPath, 0, text.baseAddress, capacity)
      }
      return unsafe status == 0 ? nil : text.baseAddress.map { unsafe String(cString: $0) } ?? ""
    }
    if let reason { throw AssimpError.writing(path: path, reason: reason) }
    try AssimpRepair.repair(
      path, writtenAs: format,
      pictures: scene.textures.filter { !$0.bytes.isEmpty }.map(\.fileName),
      comment: provenance.map { "\(Provenance.key) \($0.text)" })
  }
}
