package import MeshPipeline

extension CaptureFolder {
  /// The names of the mesh that apps put next to their frames: one with classes first, then the finest.
  package static let usualMeshNames = [
    "mesh.ply", "mesh.obj", "export_refined.obj", "export.obj", "textured_output.obj", "raw.glb",
    "mesh.glb", "scene.ply", "scene.obj",
  ]

  /// The first of ``usualMeshNames`` that is there.
  var usualMeshPath: String? { Self.usualMeshNames.first(where: has).map(path(of:)) }
}

extension CaptureLayout {
  package static func meshPath(in folder: CaptureFolder) -> String? { folder.usualMeshPath }
}
