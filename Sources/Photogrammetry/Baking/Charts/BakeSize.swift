import MeshpipeScene
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
  package var isUneven: Bool { finest > Self.unevenness * density }

  /// The ratio of the finest resolution to the mean above which densities differ.
  ///
  /// Smaller, charts of a plain wall would change density for a gain that hardly shows; larger, what was
  /// photographed from near loses up to that factor of its pixels.
  private static let unevenness: Float = 1.75
  /// The part of the seen area that is no finer than ``finest``: a few faces right before a camera must not decide.
  private static let finestPart = 0.95
  /// Texels per pixel, along a side: photographs have any orientation to the texels, and charts
  /// have the mean density of their faces.
  private static let oversampling = 1.25
  /// The part of a page that charts fill at least, so that a page of the size has room for them.
  private static let fill = 0.8
  /// The number of texels by which a size may fall short, along a side, before it is doubled: the fourfold memory is
  /// not worth the last tenth of the detail.
  private static let shortfall = 1.1
  private static let leastPageSize = 256
  /// Measurements of less confidence, such as those at an image's border or before a background, don't decide how
  /// fine a point is shown: they hardly contribute to it.
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
      if sum >= Self.finestPart * seenArea { break }
    }
    self.finest = finest
    self.resolutions = resolutions
  }

  /// As few pages as hold `area` at a density, and their size: a power of two, from 256 to `largest`.
  ///
  /// Each page is a material and a draw call, so one large page is better than several small ones.
  package static func pages(
    area: Double, texelsPerUnit: Double, maximumPages: Int, largest: Int
  ) -> (count: Int, size: Int) {
    let texels = oversampling * (area * texelsPerUnit * texelsPerUnit / fill).squareRoot()
    func falls(short size: Int, _ count: Int) -> Bool {
      Double(size) * shortfall * Double(count).squareRoot() < texels
    }
    var count = 1
    while count < maximumPages, falls(short: largest, count) { count += 1 }
    var size = min(leastPageSize, largest)
    while size < largest, falls(short: size, count) { size = min(2 * size, largest) }
    return (count, size)
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
