import MeshPipeline
import NativeLibraries

/// Reads the contents of a Draco file.
struct DracoReader {
  let file: MappedFile
  let context: ReadingContext

  /// The most points and corners of faces: of a small file, those of a large scan of nothing but planes.
  private var mostElements: Int { 10_000_000 + 64 * file.count }

  func scene() throws -> Scene {
    let mesh: DracoMesh
    do throws(DracoMesh.Failure) {
      let (most, stage) = (mostElements, context.stage)
      mesh = try file.withBytes { bytes throws(DracoMesh.Failure) in
        try DracoMesh(bytes, isFile: true, mostElements: most, for: stage)
      }
    } catch {
      try context.stage.checkCancellation()
      throw fault(error)
    }
    try context.stage.progress(0.5)
    guard mesh.pointCount > 0 else { throw fault("contains no points") }
    var columns: DracoColumns
    do {
      columns = try DracoColumns(mesh)
    } catch let failure as DracoMesh.Failure {
      try context.stage.checkCancellation()
      throw fault(failure)
    }
    guard let points = columns.points else { throw fault("contains no positions") }
    for remark in columns.remarks {
      context.stage.warn("\(FileSystem.name(of: file.path)): \(remark)")
    }
    context.warnOfBrokenNumbers(points.positions, in: file.path)
    try context.stage.progress(0.8)
    return scene(of: points, columns.ofCorners, mesh.triangles)
  }

  private func scene(of points: PointCloud, _ ofCorners: Mesh, _ triangles: [UInt32]) -> Scene {
    let name = FileSystem.title(of: file.path)
    var scene = Scene(name: name)
    if triangles.isEmpty {
      var cloud = points
      cloud.name = name
      scene.pointClouds = [cloud]
    } else {
      var vertices = GLTFVertices()
      vertices.append(
        GLTFVertices.Part(points: points, ofCorners: ofCorners, indices: triangles))
      scene.meshes = [vertices.mesh(named: name) { 0 }]
    }
    return scene
  }

  private func fault(_ reason: String) -> ReadingError { .content(path: file.path, reason) }

  private func fault(_ failure: DracoMesh.Failure) -> any UserError {
    failure.exitCode == .data
      ? fault(failure.reason)
      : NativeLibraryError(
        "Draco", "\(failure.reason) (needed for \(file.path))", exitCode: failure.exitCode)
  }
}
