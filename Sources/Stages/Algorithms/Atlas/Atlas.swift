import MeshPipeline

/// Where each face of a mesh lies in the pages of a texture.
///
/// Texels are counted from the top left corner of a page, x to the right and y down; the centre of
/// the first one is (0.5, 0.5). Charts are turned but never mirrored: seen from outside the mesh, a
/// page shows its charts as a photograph would.
struct Atlas: Sendable, Equatable {
  /// In place of the page or the chart of a face that has none.
  static let noPage = UInt16.max
  static let noChart = UInt32.max
  /// The fixed-point units of ``cornerTexels`` in a texel.
  static let unitsPerTexel: Int32 = 256

  /// Width and height of each page, in texels.
  var pages: [SIMD2<Int>]
  /// The place of each corner in its page, in 1/256 texel.
  var cornerTexels: [SIMD2<Int32>]
  /// The page of each face; ``noPage`` when no face of the mesh has a place.
  var facePages: [UInt16]
  /// The chart of each face, or ``noChart`` for a face without an area, whose corners lie on those of
  /// its neighbours.
  var faceCharts: [UInt32]
  var chartCount: Int
  /// Texels per unit of length in the mean over all charts.
  var texelsPerUnit: Double
  /// The area of all charts over the area of all pages, 0…1.
  var usedShare: Double
  /// The least distance between two charts, in texels; less than was asked for where charts were too
  /// many for it.
  var padding = 0

  var faceCount: Int { faceCharts.count }

  /// Texture coordinates per corner as ``Mesh/textureCoordinates`` has them: the origin is the lower
  /// left corner of the page.
  var textureCoordinates: [Vector2] {
    Parallel.array(count: cornerTexels.count) { corner in
      let page = facePages[corner / 3]
      guard page != Self.noPage else { return Vector2.zero }
      let size = pages[Int(page)]
      let place = cornerTexels[corner]
      let units = Double(Self.unitsPerTexel)
      return Vector2(
        Float(Double(place.x) / (units * Double(size.x))),
        Float(1 - Double(place.y) / (units * Double(size.y))))
    }
  }
}

/// How an atlas is laid out.
struct AtlasOptions: Sendable {
  /// Texels per unit of length; nil for as many as fit.
  var texelsPerUnit: Double?
  /// The width and height of a full page, in texels; a multiple of four.
  var pageSize = 4096
  var maximumPages = 1
  /// The least distance between two charts, in texels.
  var padding = 4
  /// How finely each face is to be drawn, against the others and in any unit; all alike when empty.
  var detail: [Float] = []
  /// Whether charts may be turned by any angle, to make their boxes small; by quarter turns always.
  var turnsCharts = true
}

/// Why there is no atlas.
enum AtlasError: Error, Equatable {
  /// So many charts do not fit, however small they are drawn.
  case tooManyCharts(count: Int, pageSize: Int, maximumPages: Int)
}

extension AtlasError: CustomStringConvertible {
  var description: String {
    switch self {
    case .tooManyCharts(let count, let pageSize, let maximumPages):
      return "\(count) charts do not fit on \(maximumPages) page(s) of \(pageSize)×\(pageSize) "
        + "texels; raise the page size or the number of pages, or clean the mesh of fragments"
    }
  }
}
