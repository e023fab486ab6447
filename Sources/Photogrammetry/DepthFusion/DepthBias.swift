import MeshpipeBase
import MeshpipeScene
import NativeLibraries

/// The smooth error of a depth map: how far its surface is from the one that all frames together measured.
///
/// The depths of phones are off by some thousandths of the range, alike over many pixels and different from
/// frame to frame. Errors are in standard deviations of a depth (``DepthNoise``), as means over cells of the image.
struct DepthBias: Sendable {
  private let cellWidth: Int
  private let count: SIMD2<Int>
  private var errors: [Float]

  /// The cells along the width of an image: as fine as the errors, and each with enough pixels to be none itself.
  private static let columns = 32
  /// The pixels along the side of a cell that are compared.
  private static let samples = 4
  /// The minimum width of a map: in narrower ones, cells with enough pixels are so wide that they blur edges.
  static let leastWidth = columns * samples
  /// The maximum error in deviations: what is farther off is another surface.
  private static let greatestError: Float = 5
  /// Pixels without an error that are added to each cell, so that few pixels change little.
  private static let prior: Float = 4

  /// - Parameter surface: That of all frames, in metres.
  init(of view: DepthView, from surface: RayTracer) {
    let planes = view.planes
    cellWidth = max(Self.samples, planes.size.x / Self.columns)
    let step = cellWidth / Self.samples
    count = (planes.size &+ (cellWidth - 1)) / cellWidth
    var sums = [SIMD2<Float>](repeating: .zero, count: count.x * count.y)
    for y in stride(from: 0, to: planes.size.y, by: step) {
      for x in stride(from: 0, to: planes.size.x, by: step) {
        let pixel = y * planes.size.x + x
        guard planes.weights[pixel] > 0 else { continue }
        let point = view.surfacePoint(x, y)
        let ray = view.turnedToScene(point / point.z)
        guard let hit = surface.firstHit(from: view.position, along: ray) else { continue }
        let error = (hit.distance - point.z) / view.planes.noise.deviation(at: point.z)
        guard abs(error) < Self.greatestError else { continue }
        sums[y / cellWidth * count.x + x / cellWidth] += SIMD2(error, 1)
      }
    }
    errors = Self.blurred(sums, count).map { $0.x / ($0.y + Self.prior) }
  }

  /// Binomial weights over three cells along both axes.
  private static func blurred(_ sums: [SIMD2<Float>], _ count: SIMD2<Int>) -> [SIMD2<Float>] {
    func along(_ values: [SIMD2<Float>], _ step: SIMD2<Int>) -> [SIMD2<Float>] {
      values.indices.map { index in
        let (x, y) = (index % count.x, index / count.x)
        func value(_ offset: Int) -> SIMD2<Float> {
          let (column, row) = (x + offset * step.x, y + offset * step.y)
          guard column >= 0, row >= 0, column < count.x, row < count.y else { return .zero }
          return values[row * count.x + column]
        }
        return 0.25 * value(-1) + 0.5 * value(0) + 0.25 * value(1)
      }
    }
    return along(along(sums, SIMD2(1, 0)), SIMD2(0, 1))
  }

  /// The depth map without the error.
  func removed(from view: DepthView) -> DepthView {
    var view = view
    let size = view.planes.size
    var sum = SIMD2<Float>.zero
    for y in 0..<size.y {
      for x in 0..<size.x {
        let pixel = y * size.x + x
        guard view.planes.weights[pixel] > 0 else { continue }
        let depth = view.surfacePoint(x, y).z
        let change = error(x, y) * view.planes.noise.deviation(at: depth)
        // The point moves along its ray.
        view.planes.planes[pixel].w *= 1 + change / depth
        sum += SIMD2(abs(change), 1)
      }
    }
    view.correction = sum.x / max(sum.y, 1)
    return view
  }

  /// Bilinear between the middles of cells.
  private func error(_ x: Int, _ y: Int) -> Float {
    let place =
      (SIMD2(Float(x), Float(y)) + 0.5) / Float(cellWidth) - 0.5
    let low = place.rounded(.down)
    let share = place - low
    func value(_ column: Float, _ row: Float) -> Float {
      let x = min(max(Int(low.x + column), 0), count.x - 1)
      let y = min(max(Int(low.y + row), 0), count.y - 1)
      return errors[y * count.x + x]
    }
    let upper = value(0, 0) * (1 - share.x) + value(1, 0) * share.x
    let lower = value(0, 1) * (1 - share.x) + value(1, 1) * share.x
    return upper * (1 - share.y) + lower * share.y
  }
}
