package import MeshPipeline

extension CaptureFolder {
  /// The mesh that apps put next to their frames: one with classes first, then the finest.
  var usualMeshPath: String? {
    let names = [
      "mesh.ply", "mesh.obj", "export_refined.obj", "export.obj", "textured_output.obj", "raw.glb",
      "mesh.glb", "scene.ply", "scene.obj",
    ]
    return names.first(where: has).map(path(of:))
  }
}

extension CaptureLayout {
  package static func meshPath(in folder: CaptureFolder) -> String? { folder.usualMeshPath }
}
