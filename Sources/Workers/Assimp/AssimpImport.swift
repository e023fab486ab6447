internal import CAssimp
import MeshpipeBase

/// Reads a model with Assimp, in this process.
///
/// Assimp crashes or hangs on damaged files: call it only in a worker process.
enum AssimpImport {
  /// Reads the model at `path`.
  ///
  /// - Parameter allowsAllFolders: Whether to open side files outside the model's folder too.
  /// - Throws: ``AssimpError`` with Assimp's message.
  static func read(_ path: String, allowsAllFolders: Bool) throws(AssimpError) -> WireScene {
    var digest: WireDigest?
    return try read(path, allowsAllFolders: allowsAllFolders, digest: &digest)
  }

  /// Reads the model at `path`.
  ///
  /// - Parameter digest: Receives the numbers as returned by Assimp, if given, since different ones
  ///   may be converted to the same result.
  static func read(
    _ path: String, allowsAllFolders: Bool, digest: inout WireDigest?
  ) throws(AssimpError) -> WireScene {
    let gate = AssimpFileGate(mainPath: path, allowsAllFolders: allowsAllFolders)
    let imported = unsafe gate.withFileIO { io in
      unsafe aiImportFileEx(path.systemPath, aiProcess_Triangulate.rawValue, io)
    }
    guard let imported = unsafe imported else {
      let reason = unsafe String(cString: aiGetErrorString())
      throw .reading(path: path, reason: reason)
    }
    defer { unsafe aiReleaseImport(imported) }
    unsafe digest?.mix(imported.pointee)
    var conversion = unsafe AssimpSceneConversion(imported, gate: gate)
    let scene = unsafe conversion.convert()
    guard scene.faceCount + scene.pointCount > 0 else { throw .empty(path: path) }
    let warnings = unsafe conversion.warnings.map { "\(FileSystem.name(of: path)): \($0)" }
    return WireScene(scene, openedFiles: gate.openedSideFiles, warnings: warnings)
  }
}

extension aiString {
  /// The text, with invalid UTF-8 replaced.
  var text: String {
    unsafe withUnsafeBytes(of: data) { bytes in
      let count = min(Int(length), bytes.count)
      return unsafe String(
        decoding: UnsafeRawBufferPointer(rebasing: bytes[..<count]), as: UTF8.self)
    }
  }
}
