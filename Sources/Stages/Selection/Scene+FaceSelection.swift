import MeshPipeline

extension Scene {
  /// Keeps the selected faces of each mesh and removes meshes that lose all of them.
  ///
  /// - Parameter keep: Returns one entry per face of the mesh with the given index.
  mutating func keepMeshFaces(
    in context: StageContext, progress range: ClosedRange<Double>, _ keep: (Int) -> [Bool]
  ) throws {
    var index = 0
    var isEmptied: [Bool] = []
    try updateMeshes(in: context, progress: range) { mesh in
      let hadFaces = mesh.faceCount > 0
      if hadFaces { mesh.keepFaces(keep(index)) }
      isEmptied.append(hadFaces && mesh.faceCount == 0)
      index += 1
    }
    meshes = zip(meshes, isEmptied).filter { !$0.1 }.map(\.0)
  }
}
