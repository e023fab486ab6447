import MeshpipeScene
import SurfaceKernels

/// Where a depth map shows what coarse voxels can't hold: what is beside the outline of something.
struct DetailSearch: Sendable {
  /// The edge of a fine voxel, and of a coarse one, in metres.
  let (fine, coarse): (Float, Float)
  /// The distance from an outline within which a surface is a detail, in coarse voxels.
  ///
  /// What is twice as wide is fine on all of its width.
  private static let reach: Float = 1.5
  /// The greatest width of a pixel on the surface, and the greatest deviation of its depth, in fine voxels.
  private static let coarsest: Float = 1.6
  /// The pixels beside one among which something farther makes it an outline: at edges some have no surface.
  private static let gap = 2

  /// The fine blocks of the details, without repetition; none if a key can't hold one.
  ///
  /// - Parameter step: That between the rows which have planes.
  func blocks(in view: DepthView, step: Int) -> Set<UInt64> {
    let planes = view.planes
    let isDetail = details(view, step: step)
    let size = fine * Float(SparseBlocks.width)
    var keys: Set<UInt64> = []
    var last: [UInt64?] = [nil, nil, nil]
    for y in stride(from: 0, to: planes.size.y, by: step) {
      for x in 0..<planes.size.x where isDetail[y * planes.size.x + x] {
        let point = view.surfacePoint(x, y)
        let plane = planes.planes[y * planes.size.x + x]
        let band = max(3 * fine, 2 * planes.noise.deviation(at: point.z))
        for (index, offset) in [-band, 0, band].enumerated() {
          let world = view.inScene(point + SIMD3(plane.x, plane.y, plane.z) * offset)
          // Cells of both grids begin at the middle of a coarse voxel.
          guard let key = SparseBlocks.key(at: (world - coarse / 2) / size) else { return [] }
          if last[index] != key {
            keys.insert(key)
            last[index] = key
          }
        }
      }
    }
    return keys
  }

  /// Whether each pixel shows a detail.
  private func details(_ view: DepthView, step: Int) -> [Bool] {
    let size = view.planes.size
    var inverses = [Float](repeating: 0, count: size.x * size.y)
    for y in stride(from: 0, to: size.y, by: step) {
      for x in 0..<size.x where view.planes.weights[y * size.x + x] > 0 {
        inverses[y * size.x + x] = 1 / view.surfacePoint(x, y).z
      }
    }
    var result = [Bool](repeating: false, count: inverses.count)
    for y in stride(from: 0, to: size.y, by: step) {
      for x in 0..<size.x {
        let index = y * size.x + x
        let inverse = inverses[index]
        guard inverse > 0, isClear(inverse, view), view.confidences.map({ $0[index] >= 2 }) ?? true
        else { continue }
        mark(&result, inverses, view, at: SIMD2(x, y), along: SIMD2(1, 0))
        mark(&result, inverses, view, at: SIMD2(x, y), along: SIMD2(0, step))
      }
    }
    return result
  }

  /// Whether a pixel resolves fine voxels.
  private func isClear(_ inverse: Float, _ view: DepthView) -> Bool {
    1 < Self.coarsest * fine * view.planes.focalLength.x * inverse
      && view.planes.noise.deviation(at: 1 / inverse) < Self.coarsest * fine
  }

  /// Marks the surface around a pixel along a row or column if it is an outline in this.
  @inline(__always)
  private func mark(
    _ result: inout [Bool], _ inverses: [Float], _ view: DepthView, at pixel: SIMD2<Int>,
    along step: SIMD2<Int>
  ) {
    let size = view.planes.size
    let index = pixel.y * size.x + pixel.x
    let plane = view.planes.planes[index]
    // The inverse depth of the plane is linear over the image.
    let slope = (SIMD2(plane.x, plane.y) / plane.w / view.planes.focalLength * SIMD2<Float>(step))
      .sum()
    let inverse = inverses[index]
    let edge = view.planes.noise.edge.step(atInverseDepth: inverse)
    let (place, end) =
      step.y == 0 ? (pixel.x, size.x) : (pixel.y / step.y, (size.y + step.y - 1) / step.y)
    let stride = step.x + step.y * size.x
    var isOutline = false
    for offset in max(-place, -Self.gap)...min(end - 1 - place, Self.gap) {
      let other = inverses[index + offset * stride]
      if other > 0, other < inverse + slope * Float(offset) - edge { isOutline = true }
    }
    guard isOutline else { return }
    let focalLength = view.planes.focalLength.x / Float(step.x + step.y)
    let width = Int(Self.reach * coarse * focalLength * inverse)
    for offset in max(-place, -width)...min(end - 1 - place, width) {
      let difference = inverses[index + offset * stride] - inverse - slope * Float(offset)
      if abs(difference) < edge { result[index + offset * stride] = true }
    }
  }
}
