import MeshPipeline
import SurfaceKernels

/// The number of texels that hold the resolution at which the frames show each face.
package struct BakeSize {
  /// Pixels per metre of the best view of each face; 0 if no frame sees it.
  package let resolutions: [Float]
  /// The density in texels per metre at which the texels of all faces equal the pixels of their
  /// best views in number.
  package let density: Float
  /// The resolution that 95 % of the seen surface do not exceed.
  package let finest: Float

  /// Whether some surface was photographed from so near that it deserves a density of its own:
  /// seams between charts of different density are visible on plain walls.
  package var isUneven: Bool { finest > 1.75 * density }

  /// Texels per pixel, along a side: photographs have any orientation to the texels, and charts
  /// have the mean density of their faces.
  private static let oversampling = 1.25
  /// Measurements of less confidence don't decide how fine a place is shown.
  private static let leastConfidence: Float = 0.2

  /// Nil if no frame sees anything.
  package init?(_ observations: FrameObservations) {
    let domain = observations.calibration.domain
    let (mesh, table) = (domain.mesh, observations.table)
    let best: [Float] = Parallel.array(count: table.vertexCount) { vertex in
      var best: Float = 0
      for index in table.range(of: vertex) {
        let measurement = table.observations[index].measurement
        if measurement.confidence > Self.leastConfidence {
          best = max(best, measurement.resolution)
        }
      }
      return best
    }
    var areas = [Double](repeating: 0, count: domain.surface.faceCount)
    var pixels = areas
    for triangle in 0..<mesh.triangleCount {
      let (a, b, c) = mesh.vertices(ofTriangle: triangle)
      let resolution = Double((best[a] + best[b] + best[c]) / 3)
      let area = mesh.area(ofTriangle: triangle)
      guard area.isFinite, resolution.isFinite else { continue }
      areas[Int(mesh.surfaceFaces[triangle])] += area
      pixels[Int(mesh.surfaceFaces[triangle])] += area * resolution * resolution
    }
    let resolutions: [Float] = areas.indices.map { face in
      areas[face] > 0 ? Float((pixels[face] / areas[face]).squareRoot()) : 0
    }
    let seen = areas.indices.filter { resolutions[$0] > 0 }
    let seenArea = seen.reduce(0.0) { $0 + areas[$1] }
    guard seenArea > 0 else { return nil }
    density = Float((seen.reduce(0.0) { $0 + pixels[$1] } / seenArea).squareRoot())
    var (sum, finest) = (0.0, Float(0))
    for face in seen.sorted(by: { resolutions[$0] < resolutions[$1] }) {
      sum += areas[face]
      finest = resolutions[face]
      if sum >= 0.95 * seenArea { break }
    }
    self.finest = finest
    self.resolutions = resolutions
  }

  /// The power of two, from 256 to `largest`, for pages that hold `area` at a density.
  package static func pageSize(
    area: Double, texelsPerUnit: Double, pages: Int, largest: Int
  ) -> Int {
    let texels =
      oversampling * (area * texelsPerUnit * texelsPerUnit / (0.8 * Double(pages))).squareRoot()
    var size = min(256, largest)
    // Doubling the size for a few more texels is not worth it.
    while size < largest, Double(size) * 1.1 < texels { size = min(2 * size, largest) }
    return size
  }
}

extension BakeMesh {
  func area(ofTriangle triangle: Int) -> Double {
    let (a, b, c) = vertices(ofTriangle: triangle)
    let origin = positions[a].simd
    return Double((positions[b].simd - origin).cross(positions[c].simd - origin).length) / 2
  }

  /// The area of all triangles, in squared units; triangles that are not finite count as zero.
  package var area: Double {
    (0..<triangleCount).reduce(0) { sum, triangle in
      let area = area(ofTriangle: triangle)
      return area.isFinite ? sum + area : sum
    }
  }
}
