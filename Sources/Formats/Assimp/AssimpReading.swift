package import MeshPipeline
import NativeLibraries
import POSIX
import Workers

/// A format that Assimp reads in its worker process.
package protocol AssimpReadableFormat: ReadableFormat {
  /// The coordinate system of files, if the format specifies one and Assimp does not convert it;
  /// otherwise nil.
  static var fixedSystem: CoordinateSystem? { get }
  /// The maximum memory per byte of a file.
  static var memoryPerByte: Int { get }
}

extension AssimpReadableFormat {
  package static var fixedSystem: CoordinateSystem? { nil }
  package static var memoryPerByte: Int { WorkerLimits.usualCost }

  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    guard let status = try FileSystem.status(of: path) else {
      throw FileError(.read, path, code: ENOENT)
    }
    if status.isFolder { throw FileError(.read, path, code: EISDIR) }
    guard status.isRegularFile else {
      throw ReadingError.content(
        path: path, "is not a regular file, which \(name) requires")
    }
    let worker = try AssimpWorker.worker(forBytes: status.size, costing: memoryPerByte)
    let answer: WireScene
    do {
      answer = try worker.read(path, anywhere: context.allowsExternalFiles, in: context.stage)
    } catch let error as Cancelled {
      throw error
    } catch {
      try requireUnchanged(path, since: status)
      throw error
    }
    try requireUnchanged(path, since: status)
    for file in answer.openedFiles { context.didOpen(file) }
    for warning in answer.warnings { context.stage.warn(warning) }
    if let notice = AssimpClient.confinementNotice { context.stage.advise(notice) }
    var scene = answer.scene
    if let fixedSystem { scene.coordinateSystem = fixedSystem }
    if !canBring.contains(.materials) {
      // Assimp invents one.
      scene.materials = []
      for index in scene.meshes.indices { scene.meshes[index].faceMaterials = nil }
    }
    if !canBring.contains(.normals) {
      // They are computed, not read, which is the job of a stage.
      for index in scene.meshes.indices {
        scene.meshes[index].normals = nil
        scene.meshes[index].cornerNormals = nil
      }
    }
    scene.detectClasses()
    scene.takeOrigin()
    return scene
  }

  /// Throws if another program wrote to the file while it was read.
  private static func requireUnchanged(_ path: String, since before: FileStatus) throws {
    if try before.isOutdated(at: path) {
      throw FileError(.read, path, code: FileError.changed)
    }
  }

  package static var canBring: Set<SceneFeature> {
    [
      .faces, .points, .normals, .colors, .textureCoordinates, .materials, .textures,
      .classification,
    ]
  }
}
