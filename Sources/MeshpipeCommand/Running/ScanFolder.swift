import MeshpipeKit

/// The meshes in a folder, or in an unpacked archive.
enum ScanFolder {
  /// The only mesh directly in a folder that has nothing of a capture; nil if there is none, or frames may be meant, too.
  static func onlyMesh(in folder: String, _ formats: FormatRegistry) throws -> String? {
    // A folder `print` may well hold what the pipeline of that name made; `print/` is certainly a folder.
    guard !PipelineLibrary.standard().has(folder), !builtInCaptures.mayBeMeant(byFolder: folder)
    else { return nil }
    let meshes = try meshes(in: folder, depth: 0, formats)
    return onlyOne(of: meshes, formats)
  }

  /// The only mesh of a list; nil if there is not exactly one.
  static func onlyOne(of meshes: [String], _ formats: FormatRegistry) -> String? {
    if meshes.count == 1 { return meshes[0] }
    // Points beside a mesh are another export of the same scan.
    let surfaces = meshes.filter {
      formats.reader(forPath: $0)?.canBring.contains(.faces) == true
    }
    return surfaces.count == 1 ? surfaces[0] : nil
  }

  /// The files in a folder whose names are those of meshes.
  ///
  /// - Parameter depth: How many folders deep they may be.
  static func meshes(
    in folder: String, depth: Int, _ formats: FormatRegistry
  ) throws -> [String] {
    var meshes: [String] = []
    for name in try FileSystem.names(inFolder: folder)
    where !name.hasPrefix(".") && !name.hasPrefix("__") {
      let path = folder + (folder.hasSuffix("/") ? "" : "/") + name
      if try FileSystem.status(of: path)?.isFolder == true {
        if depth > 0 { meshes += try Self.meshes(in: path, depth: depth - 1, formats) }
      } else if formats.reader(forPath: path) != nil {
        meshes.append(path)
      }
    }
    return meshes
  }
}
