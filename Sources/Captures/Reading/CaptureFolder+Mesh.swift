package import MeshPipeline

extension CaptureFolder {
  /// The names of the mesh that apps put next to their frames: one with classes first, then the finest.
  package static let usualMeshNames = [
    "mesh.ply", "mesh.obj", "export_refined.obj", "export.obj", "textured_output.obj", "raw.glb",
    "mesh.glb", "scene.ply", "scene.obj",
  ]

  /// Those of ``usualMeshNames`` that are there.
  var usualMeshPaths: [String] { Self.usualMeshNames.filter(has).map(path(of:)) }
}

extension CaptureLayout {
  package static func meshPaths(in folder: CaptureFolder) -> [String] { folder.usualMeshPaths }
}
