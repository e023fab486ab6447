package import MeshpipeScene

/// Extends charts beyond their borders with the adjacent surface.
///
/// Near a chart's border bilinear filtering blends texels of the chart with texels outside. If
/// these repeat the chart's own colours, either side of the border is off by up to half a texel,
/// which shows as a step where texels are coarse. Here each texel outside gets the colour of its
/// position on the neighbouring chart, rotated into the plane of this one about their shared edge.
package struct SeamPadding {
  /// The width of the extension: bilinear filtering reaches one texel in either direction of the
  /// page.
  private static let reach: Float = 1.5
  /// The extension beyond the ends of an edge, for texels between two edges that meet at an angle.
  private static let overhang: Float = 0.5
  /// The number of passes: if a position of one chart is outside the other, the padding from the
  /// previous pass is read.
  private static let passes = 2

  /// A texel outside a chart, and the position it represents; small, since there may be millions.
  private struct Texel {
    var page: UInt32
    var pixel: UInt32
    /// The distance from the border, in texels; the nearest edge is used.
    var distance: Float
    var sourcePage: UInt32
    var source: SIMD2<Float>
  }

  /// The padding texels, one entry each, by page and pixel.
  private var texels: [Texel] = []

  /// - Parameters:
  ///   - covered: The texels of each page owned by a face.
  ///   - indices: Of the atlas's faces; vertices at the same position have one index.
  package init(_ atlas: Atlas, _ covered: [TexelMap], indices: [UInt32], vertexCount: Int) {
    let edges = Edges(indices: indices, vertexCount: vertexCount)
    for edge in edges where edge.valence == 2 {
      let (one, other) = (
        Int(edges.halfedges[edge.places.lowerBound]),
        Int(edges.halfedges[edge.places.lowerBound + 1])
      )
      let isReversed = indices[one] != indices[other]
      let (first, second) = (
        Side(atlas, corner: one, isReversed: false),
        Side(atlas, corner: other, isReversed: isReversed)
      )
      guard let first, let second, !first.coincides(with: second) else { continue }
      add(from: first, to: second, covered[first.page])
      add(from: second, to: first, covered[second.page])
    }
    texels.sort {
      ($0.page, $0.pixel, $0.distance, $0.sourcePage) < (
        $1.page, $1.pixel, $1.distance, $1.sourcePage
      )
    }
    var count = 0
    for texel in texels
    where count == 0
      || (texels[count - 1].page, texels[count - 1].pixel) != (texel.page, texel.pixel)
    {
      texels[count] = texel
      count += 1
    }
    texels.removeLast(texels.count - count)
  }

  /// Writes the colours of the texels outside charts.
  ///
  /// - Parameter pages: The pages of the atlas, which already have some padding.
  package func fill(_ pages: inout [Image]) {
    for _ in 0..<Self.passes {
      let colors = texels.map { texel in
        let color = pages[Int(texel.sourcePage)].interpolated(at: texel.source) + 0.5
        return SIMD4(UInt8(color.x), UInt8(color.y), UInt8(color.z), 0)
      }
      for (texel, color) in zip(texels, colors) {
        let first = 3 * Int(texel.pixel)
        for channel in 0..<3 { pages[Int(texel.page)].pixels[first + channel] = color[channel] }
      }
    }
  }

  /// An edge of a face on its page, in texels.
  private struct Side {
    let page: Int
    let start: SIMD2<Float>
    /// The unit vector to the end.
    let along: SIMD2<Float>
    /// The outward unit normal.
    let outward: SIMD2<Float>
    let length: Float

    /// Nil for an unplaced face, or an edge without length.
    ///
    /// - Parameters:
    ///   - corner: The start of the halfedge.
    ///   - isReversed: Whether the edge runs against the halfedge.
    init?(_ atlas: Atlas, corner: Int, isReversed: Bool) {
      guard atlas.faceCharts[corner / 3] != Atlas.noChart else { return nil }
      func place(_ corner: Int) -> SIMD2<Float> {
        SIMD2<Float>(atlas.cornerTexels[corner]) / Float(Atlas.unitsPerTexel)
      }
      let (one, other) = (place(corner), place(nextCorner(corner)))
      let edge = isReversed ? one - other : other - one
      length = (edge * edge).sum().squareRoot()
      guard length > 0 else { return nil }
      page = Int(atlas.facePages[corner / 3])
      start = isReversed ? other : one
      along = edge / length
      let across = SIMD2(-along.y, along.x)
      let third = place(previousCorner(corner)) - start
      outward = (third * across).sum() > 0 ? -across : across
    }

    func coincides(with other: Side) -> Bool {
      page == other.page && start == other.start && along == other.along && length == other.length
    }

    /// A position by its distance along the edge and outward.
    func place(_ along: Float, _ outside: Float) -> SIMD2<Float> {
      start + self.along * along + outward * outside
    }
  }

  /// Adds the free texels outside one side of an edge.
  private mutating func add(from side: Side, to other: Side, _ covered: TexelMap) {
    let corners = [
      side.place(-Self.overhang, 0), side.place(-Self.overhang, Self.reach),
      side.place(side.length + Self.overhang, 0),
      side.place(side.length + Self.overhang, Self.reach),
    ]
    let low = corners.reduce(corners[0]) { pointwiseMin($0, $1) }
    let high = corners.reduce(corners[0]) { pointwiseMax($0, $1) }
    let scale = other.length / side.length
    for y in max(0, Int(low.y - 0.5))..<max(0, min(covered.height, Int(high.y + 0.5))) {
      for x in max(0, Int(low.x - 0.5))..<max(0, min(covered.width, Int(high.x + 0.5)))
      where !covered[x, y] {
        let offset = SIMD2(Float(x) + 0.5, Float(y) + 0.5) - side.start
        let (along, outside) = ((offset * side.along).sum(), (offset * side.outward).sum())
        let excess = max(-along, along - side.length, 0)
        guard outside >= 0, outside <= Self.reach, excess <= Self.overhang else { continue }
        texels.append(
          Texel(
            page: UInt32(side.page), pixel: UInt32(y * covered.width + x),
            distance: outside + excess, sourcePage: UInt32(other.page),
            source: other.place(along * scale, -outside * scale)))
      }
    }
  }
}

extension Image {
  /// The bilinearly interpolated 8-bit values at a position in pixels, with the first centre at (½,
  /// ½), clamped at the border.
  fileprivate func interpolated(at position: SIMD2<Float>) -> SIMD3<Float> {
    let limit = SIMD2(Float(width) - 1, Float(height) - 1)
    let position = (position - 0.5).clamped(lowerBound: .zero, upperBound: limit)
    let (x, y) = (Int(position.x), Int(position.y))
    let (u, v) = (position.x - Float(x), position.y - Float(y))
    func code(_ x: Int, _ y: Int) -> SIMD3<Float> {
      let pixel = 3 * (min(y, height - 1) * width + min(x, width - 1))
      return SIMD3(Float(pixels[pixel]), Float(pixels[pixel + 1]), Float(pixels[pixel + 2]))
    }
    let top = code(x, y) + (code(x + 1, y) - code(x, y)) * u
    let bottom = code(x, y + 1) + (code(x + 1, y + 1) - code(x, y + 1)) * u
    return top + (bottom - top) * v
  }
}
