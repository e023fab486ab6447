import MeshpipeScene

/// The pixels at which frames are compared with a surface.
enum FrameSamples {
  /// The columns and rows: 300 pixels tell shares to some percent.
  private static let grid = SIMD2(20, 15)

  /// The pixels in the middles of the cells, row by row.
  static func pixels(of size: SIMD2<Int>) -> [SIMD2<Int>] {
    (0..<grid.y).flatMap { row in
      (0..<grid.x).map { column in
        SIMD2((2 * column + 1) * size.x / (2 * grid.x), (2 * row + 1) * size.y / (2 * grid.y))
      }
    }
  }
}

extension DepthMap {
  /// A depth in metres that the sensor is sure of; nil where there is none, and outside the map.
  func sureDepth(at pixel: SIMD2<Int>) -> Float? {
    guard pixel.x >= 0, pixel.y >= 0, pixel.x < width, pixel.y < height else { return nil }
    let index = pixel.y * width + pixel.x
    let isSure = confidences.map { $0[index] > 0 } ?? true
    return isSure && meters[index] > 0 ? meters[index] : nil
  }
}
