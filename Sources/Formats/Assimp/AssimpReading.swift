public import MeshPipeline
import NativeLibraries

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A format that Assimp reads, in its worker process.
public protocol AssimpReadableFormat: ReadableFormat {}

extension AssimpReadableFormat {
  public static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    guard let status = try FileSystem.status(of: path) else {
      throw FileError(.read, path, code: ENOENT)
    }
    let worker = try AssimpWorker.worker(forBytes: status.size)
    let answer = try worker.read(
      path, anywhere: context.allowsExternalFiles, in: context.stage)
    for file in answer.openedFiles { context.didOpen(file) }
    for warning in answer.warnings { context.stage.warn(warning) }
    var scene = answer.scene
    scene.detectClasses()
    return scene
  }

  public static var canBring: Set<SceneFeature> {
    [
      .faces, .points, .normals, .colors, .textureCoordinates, .materials, .textures,
      .classification,
    ]
  }
}
