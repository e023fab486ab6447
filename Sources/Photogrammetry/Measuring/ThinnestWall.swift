package import MeshpipeScene
import NativeLibraries
import SurfaceKernels

/// The thinnest wall between two sides of a surface.
package struct ThinnestWall: Sendable, Equatable {
  /// The thickness in units of the mesh.
  package let thickness: Double
  /// The middle of the face where it was measured.
  package let place: SIMD3<Double>

  /// A scan has more faces than a minimum needs.
  private static let mostRays = 300_000

  /// Measures inwards from the middle of each face, of very many faces some, evenly spread.
  ///
  /// - Returns: Nil if nowhere another face looks the other way, within 60 degrees, behind a face.
  package static func measured(in mesh: Mesh) throws -> ThinnestWall? {
    guard let probe = try WallProbe(mesh) else { return nil }
    let step = max(1, probe.faces.count / mostRays)
    let measured = stride(from: 0, to: probe.faces.count / step * step, by: step)
    let faces = measured.map { probe.faces[$0] }
    let thicknesses = probe.thicknesses(at: faces)
    guard let thinnest = thicknesses.indices.min(by: { thicknesses[$0] < thicknesses[$1] }),
      thicknesses[thinnest].isFinite
    else { return nil }
    return ThinnestWall(
      thickness: Double(thicknesses[thinnest]), place: mesh.centroid(ofFace: faces[thinnest]))
  }
}

/// Measures the thickness of the walls behind faces.
package struct WallProbe {
  /// The faces with an area.
  package let faces: [Int]
  private let mesh: Mesh
  private let tracer: RayTracer
  private let near: Float

  /// Nil for a mesh without such faces.
  package init?(_ mesh: Mesh) throws {
    faces = (0..<mesh.faceCount).filter { mesh.isFinite($0) && !mesh.isDegenerate($0) }
    let extent = mesh.bounds.extent
    guard !faces.isEmpty, extent.isFinite else { return nil }
    tracer = try RayTracer(
      positions: mesh.positions.map { $0.isFinite ? $0 : .zero },
      indices: faces.flatMap { mesh.indices[3 * $0..<3 * $0 + 3] })
    near = extent * 1e-6
    self.mesh = mesh
  }

  /// The distances inwards from the middles of some faces to one that looks the other way, within 60
  /// degrees, in units of the mesh; infinite where there is none.
  package func thicknesses(at places: [Int]) -> [Float] {
    Parallel.array(count: places.count, chunkSize: 1 << 12) { index in
      let face = places[index]
      let inward = -mesh.areaVector(ofFace: face).normalized
      let start = mesh.centroid(ofFace: face)
      guard
        let hit = tracer.firstHit(
          from: SIMD3<Float>(start), along: SIMD3<Float>(inward), near: near),
        mesh.areaVector(ofFace: faces[Int(hit.face)]).normalized.dot(inward) > 0.5
      else { return .infinity }
      return hit.distance
    }
  }
}
