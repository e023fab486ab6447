package import MeshpipeScene

/// The positions of a mesh's faces in the pages of a texture.
///
/// Texels are counted from the top left corner of a page, x to the right and y down; the centre of
/// the first one is (0.5, 0.5). Charts are rotated but never mirrored: seen from outside the mesh,
/// a page shows its charts like a photograph.
package struct Atlas: Sendable, Equatable {
  /// The page or chart of a face that has none.
  package static let noPage = UInt16.max
  package static let noChart = UInt32.max
  /// The fixed-point units of ``cornerTexels`` per texel.
  static let unitsPerTexel: Int32 = 256

  /// Width and height of each page, in texels.
  package var pages: [SIMD2<Int>]
  /// The position of each corner in its page, in 1/256 texel.
  package var cornerTexels: [SIMD2<Int32>]
  /// The page of each face; ``noPage`` if no face of the mesh is placed.
  package var facePages: [UInt16]
  /// The chart of each face, or ``noChart`` for a face without area, whose corners coincide with
  /// its neighbours'.
  package var faceCharts: [UInt32]
  package var chartCount: Int
  /// The mean number of texels per unit of length over all charts.
  package var texelsPerUnit: Double
  /// The area of all charts divided by the area of all pages, 0…1.
  package var usedShare: Double
  /// The minimum distance between charts, in texels; less than requested if there are too many
  /// charts for it.
  package var padding = 0

  /// The rings of texels around a chart that are its own: half of the padding, at least one.
  package var paddingRings: Int { max(1, (padding + 1) / 2) }

  var faceCount: Int { faceCharts.count }

  /// Makes all pages squares of the same size, with room at the right and below, so that a picture for them may be any
  /// square.
  package mutating func makePagesSquare() {
    let side = pages.reduce(0) { max($0, $1.x, $1.y) }
    let before = pages.reduce(0) { $0 + $1.x * $1.y }
    pages = pages.map { _ in SIMD2(side, side) }
    if side > 0 { usedShare *= Double(before) / Double(side * side * pages.count) }
  }

  /// Texture coordinates per corner as in ``Mesh/textureCoordinates``: the origin is the lower left
  /// corner of the page.
  package var textureCoordinates: [Vector2] {
    Parallel.array(count: cornerTexels.count) { corner in
      let page = facePages[corner / 3]
      guard page != Self.noPage else { return Vector2.zero }
      let size = pages[Int(page)]
      let position = cornerTexels[corner]
      let units = Double(Self.unitsPerTexel)
      return Vector2(
        Float(Double(position.x) / (units * Double(size.x))),
        Float(1 - Double(position.y) / (units * Double(size.y))))
    }
  }
}

/// The layout options of an atlas.
package struct AtlasOptions: Sendable {
  /// Texels per unit of length; nil for as many as fit.
  package var texelsPerUnit: Double?
  /// The width and height of a full page, in texels; a multiple of four.
  package var pageSize: Int
  package var maximumPages: Int
  /// The minimum distance between charts, in texels.
  package var padding: Int
  /// The relative texel density of each face, in any unit; uniform if empty.
  package var detail: [Float]
  /// Whether charts may be rotated by any angle to shrink their boxes; quarter turns are always
  /// allowed.
  package var turnsCharts: Bool
  /// Whether charts are flattened without stretching them, as far as that goes, and not only projected.
  package var flattensCharts = false
  /// A number for each face, where it changes charts end; nowhere if empty.
  package var regions: [UInt32] = []

  package init(
    texelsPerUnit: Double? = nil, pageSize: Int, maximumPages: Int, padding: Int,
    detail: [Float] = [], turnsCharts: Bool = true
  ) {
    self.texelsPerUnit = texelsPerUnit
    self.pageSize = pageSize
    self.maximumPages = maximumPages
    self.padding = padding
    self.detail = detail
    self.turnsCharts = turnsCharts
  }
}

/// Why there is no atlas.
package enum AtlasError: Error, Equatable {
  /// The charts do not fit at any scale.
  case tooManyCharts(count: Int, pageSize: Int, maximumPages: Int)
}

extension AtlasError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooManyCharts(let count, let pageSize, let maximumPages):
      return "\(count) charts do not fit on \(maximumPages) page(s) of \(pageSize)×\(pageSize) "
        + "texels; raise the page size or the number of pages, or clean the mesh of fragments"
    }
  }
}
