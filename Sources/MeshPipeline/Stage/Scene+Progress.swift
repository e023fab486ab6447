import MeshpipeBase
import MeshpipeScene

extension Scene {
  /// Changes each mesh in place, reports progress by the share of faces done, and stops if
  /// cancelled.
  ///
  /// - Parameters:
  ///   - range: The part of the stage's progress.
  ///   - body: Changes one mesh.
  public mutating func updateMeshes(
    in context: StageContext, progress range: ClosedRange<Double> = 0...1,
    _ body: (inout Mesh) throws -> Void
  ) throws {
    let total = Double(max(1, faceCount))
    let span = range.upperBound - range.lowerBound
    var done = 0
    try context.progress(range.lowerBound)
    for index in meshes.indices {
      let faces = meshes[index].faceCount
      try body(&meshes[index])
      done += faces
      try context.progress(range.lowerBound + span * Double(done) / total)
    }
    try context.progress(range.upperBound)
  }
}
