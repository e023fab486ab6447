package import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// The thinnest place between two sides of a surface.
package struct ThinnestWall: Sendable, Equatable {
  /// In units of the mesh.
  package let thickness: Double
  /// The middle of the face where it was measured.
  package let place: SIMD3<Double>

  /// A scan has more faces than a minimum needs.
  private static let mostRays = 300_000

  /// Measures inwards from the middle of each face, of very many faces some, evenly spread.
  ///
  /// - Returns: Nil if nowhere another face looks the other way, within 60 degrees, behind a face.
  package static func measured(in mesh: Mesh) throws -> ThinnestWall? {
    let faces = (0..<mesh.faceCount).filter { mesh.isFinite($0) && !mesh.isDegenerate($0) }
    let extent = Double(mesh.bounds.extent)
    guard !faces.isEmpty, extent.isFinite else { return nil }
    let tracer = try RayTracer(
      positions: mesh.positions.map { $0.isFinite ? $0 : .zero },
      indices: faces.flatMap { mesh.indices[3 * $0..<3 * $0 + 3] })
    let step = max(1, faces.count / mostRays)
    let chunks = Parallel.mapChunks(of: faces.count / step, chunkSize: 1 << 12) { range in
      var thinnest: ThinnestWall?
      for place in range {
        let face = faces[place * step]
        let inward = -mesh.areaVector(ofFace: face).normalized
        let start = mesh.centroid(ofFace: face)
        guard
          let hit = tracer.firstHit(
            from: SIMD3<Float>(start), along: SIMD3<Float>(inward), near: Float(extent * 1e-6)),
          mesh.areaVector(ofFace: faces[Int(hit.face)]).normalized.dot(inward) > 0.5,
          Double(hit.distance) < thinnest?.thickness ?? .infinity
        else { continue }
        thinnest = ThinnestWall(thickness: Double(hit.distance), place: start)
      }
      return thinnest
    }
    return chunks.compactMap(\.self).min { $0.thickness < $1.thickness }
  }
}
