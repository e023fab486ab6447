import MeshPipeline
package import SurfaceKernels

/// The cells of a surface as triangles of an atlas's pages, in exact fixed point.
package struct CellRaster: Sendable {
  let atlas: Atlas
  let cells: BakeMesh
  /// The range of each page's pixels in an array of all pages, three bytes each.
  let pageStarts: [Int]

  package init(_ atlas: Atlas, _ cells: BakeMesh) {
    self.atlas = atlas
    self.cells = cells
    var pageStarts = [0]
    for page in atlas.pages {
      pageStarts.append(pageStarts[pageStarts.count - 1] + 3 * page.x * page.y)
    }
    self.pageStarts = pageStarts
  }

  /// The number of texels that a cell owns.
  func count(ofCell cell: Int) -> Int {
    var count = 0
    triangle(ofCell: cell)?.forEachSpan { count += $0.columns.count }
    return count
  }

  /// The index of the first pixel of a cell's span in an array of all pages.
  @inline(__always)
  func firstPixel(of span: TexelSpan, ofCell cell: Int) -> Int {
    let page = Int(atlas.facePages[Int(cells.faces[cell])])
    return pageStarts[page] + 3 * (span.row * atlas.pages[page].x + span.columns.lowerBound)
  }

  /// A cell's triangle in its page; nil if it has no area there.
  func triangle(ofCell cell: Int) -> TexelTriangle? {
    let face = Int(cells.faces[cell])
    guard atlas.faceCharts[face] != Atlas.noChart else { return nil }
    let whole = 1 << cells.depth
    let (a, b, c) = (
      SIMD2<Int>(truncatingIfNeeded: atlas.cornerTexels[3 * face]),
      SIMD2<Int>(truncatingIfNeeded: atlas.cornerTexels[3 * face + 1]),
      SIMD2<Int>(truncatingIfNeeded: atlas.cornerTexels[3 * face + 2])
    )
    func place(_ corner: Int) -> SIMD2<Int> {
      let weights = cells.corners[3 * cell + corner]
      let (first, second) = (Int(weights.x), Int(weights.y))
      return a &* first &+ b &* second &+ c &* (whole - first - second)
    }
    return TexelTriangle(place(0), place(1), place(2), fractionBits: 8 + cells.depth)
  }
}
