import MeshpipeBase
import MeshpipeScene
package import SurfaceKernels

/// Rasterises the triangles of a bake mesh into the pages of an atlas, in exact fixed point.
package struct TriangleRaster: Sendable {
  let atlas: Atlas
  let mesh: BakeMesh
  /// The range of each page's pixels in an array of all pages, three bytes each.
  let pageStarts: [Int]

  package init(_ atlas: Atlas, _ mesh: BakeMesh) {
    self.atlas = atlas
    self.mesh = mesh
    var pageStarts = [0]
    for page in atlas.pages {
      pageStarts.append(pageStarts[pageStarts.count - 1] + 3 * page.x * page.y)
    }
    self.pageStarts = pageStarts
  }

  /// The number of texels that a triangle owns.
  func count(ofTriangle triangle: Int) -> Int {
    var count = 0
    texelTriangle(of: triangle)?.forEachSpan { count += $0.columns.count }
    return count
  }

  /// The index of the first pixel of a triangle's span in an array of all pages.
  @inline(__always)
  func firstPixel(of span: TexelSpan, ofTriangle triangle: Int) -> Int {
    let page = Int(atlas.facePages[Int(mesh.surfaceFaces[triangle])])
    return pageStarts[page] + 3 * (span.row * atlas.pages[page].x + span.columns.lowerBound)
  }

  /// A triangle of the mesh in texels of its page; nil if it has no area there.
  func texelTriangle(of triangle: Int) -> TexelTriangle? {
    let face = Int(mesh.surfaceFaces[triangle])
    guard atlas.faceCharts[face] != Atlas.noChart else { return nil }
    let whole = 1 << mesh.depth
    let (a, b, c) = (
      SIMD2<Int>(truncatingIfNeeded: atlas.cornerTexels[3 * face]),
      SIMD2<Int>(truncatingIfNeeded: atlas.cornerTexels[3 * face + 1]),
      SIMD2<Int>(truncatingIfNeeded: atlas.cornerTexels[3 * face + 2])
    )
    func place(_ corner: Int) -> SIMD2<Int> {
      let weights = mesh.barycentrics[3 * triangle + corner]
      let (first, second) = (Int(weights.x), Int(weights.y))
      return a &* first &+ b &* second &+ c &* (whole - first - second)
    }
    return TexelTriangle(place(0), place(1), place(2), fractionBits: 8 + mesh.depth)
  }
}
