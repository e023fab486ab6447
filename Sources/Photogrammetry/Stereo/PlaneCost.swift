import MeshpipeScene

/// The plane of a pixel: inverse depth, its slope per pixel to the right and down, and the cost.
///
/// The inverse depth of a plane is linear over the image.
struct PixelPlane: Sendable {
  var slope: SIMD2<Float>
  var inverseDepth: Float
  /// See ``PlaneCost``; nothing was compared yet if it is infinite.
  var cost: Float

  /// The same plane at another pixel, of unknown cost.
  @inline(__always)
  func moved(_ offset: SIMD2<Float>) -> PixelPlane {
    PixelPlane(
      slope: slope, inverseDepth: inverseDepth + slope.x * offset.x + slope.y * offset.y,
      cost: .infinity)
  }
}

/// The planes of an image's pixels.
final class PlaneMap: Sendable {
  let size: SIMD2<Int>
  /// Row by row from the top left.
  let planes: DisjointBuffer<PixelPlane>

  /// A map without planes.
  init(size: SIMD2<Int>) {
    self.size = size
    let buffer = UnsafeMutableBufferPointer<PixelPlane>.allocate(capacity: size.x * size.y)
    planes = unsafe DisjointBuffer(buffer)
    planes.fill(
      0..<planes.count, with: PixelPlane(slope: .zero, inverseDepth: 0, cost: .infinity))
  }

  /// The planes of a map at half of the scale.
  init(_ half: PlaneMap, size: SIMD2<Int>) {
    self.size = size
    let buffer = UnsafeMutableBufferPointer<PixelPlane>.allocate(capacity: size.x * size.y)
    planes = unsafe DisjointBuffer(buffer)
    for y in 0..<size.y {
      for x in 0..<size.x {
        let (column, row) = (min(x / 2, half.size.x - 1), min(y / 2, half.size.y - 1))
        let place = (SIMD2(Float(x), Float(y)) - 0.5) * 0.5
        var plane = half.planes[row * half.size.x + column]
          .moved(place - SIMD2(Float(column), Float(row)))
        plane.slope *= 0.5
        planes[y * size.x + x] = plane
      }
    }
  }

  deinit { unsafe planes.deallocate() }
}

/// An image that a photograph is compared with; plain values for inner loops.
struct PatchSource: Sendable {
  var image: PatchImage
  var projection: StereoProjection
  /// What was found in the image before, at half of its scale.
  var guide: Guide?

  /// The planes of an image.
  struct Guide: Sendable {
    var planes: DisjointBuffer<PixelPlane>
    var size: SIMD2<Int>
    /// From the other image to the photograph.
    var projection: StereoProjection
  }
}

/// How badly a plane fits: the mean of what two of up to four other images say, those that fit best.
///
/// What hides the surface from one image may not hide it from another.
struct PlaneCost: Sendable {
  /// At most ``mostSources``.
  let sources: DisjointBuffer<PatchSource>

  static let mostSources = 4
  /// The cost for each pixel by which other depth maps disagree, and the most pixels that count.
  private static let disagreement = (perPixel: Float(0.1), most: Float(3))
  /// Patches that an image shows larger or smaller by more are not compared.
  private static let greatestScale: Float = 3

  /// The cost of a plane at the centre of a window; infinite if it is certainly not less than a limit.
  @inline(__always)
  func cost(
    _ window: PatchWindow, _ pixel: SIMD2<Float>, _ plane: PixelPlane,
    below limit: Float = .infinity
  ) -> Float {
    // The two lowest.
    var (first, second) = (PatchWindow.unseen, PatchWindow.unseen)
    for index in 0..<sources.count {
      let cost = Self.cost(window, pixel, plane, sources[index])
      if cost < first {
        (first, second) = (cost, first)
      } else if cost < second {
        second = cost
      }
      // The last one may fit perfectly.
      if index + 2 == sources.count, first > 2 * limit { return .infinity }
    }
    return sources.count > 1 ? 0.5 * (first + second) : first
  }

  @inline(__always)
  private static func cost(
    _ window: PatchWindow, _ pixel: SIMD2<Float>, _ plane: PixelPlane, _ source: PatchSource
  ) -> Float {
    let point = source.projection.homogeneous(pixel, inverseDepth: plane.inverseDepth)
    guard point.z > 0 else { return PatchWindow.unseen }
    let scale = 1 / point.z
    let place = SIMD2(point.x, point.y) * scale
    let (x, y) = source.projection.derivatives(slope: plane.slope)
    let right = (SIMD2(x.x, x.y) - place * x.z) * scale
    let down = (SIMD2(y.x, y.y) - place * y.z) * scale
    let area = abs(right.x * down.y - right.y * down.x)
    let steps = (right * right).sum() + (down * down).sum()
    guard area * greatestScale > 1, steps < 2 * greatestScale * greatestScale else {
      return PatchWindow.unseen
    }
    var cost = window.cost(source.image, at: place, right, down)
    if let guide = source.guide, cost < PatchWindow.unseen {
      let half = (place - 0.5) * 0.5
      let (column, row) = (Int(half.x + 0.5), Int(half.y + 0.5))
      let q = guide.planes[
        min(row, guide.size.y - 1) * guide.size.x + min(column, guide.size.x - 1)
      ].inverseDepth
      let back = guide.projection.homogeneous(place, inverseDepth: q)
      let error = SIMD2(back.x, back.y) / back.z - pixel
      let distance = (error * error).sum().squareRoot()
      cost +=
        disagreement.perPixel
        * (q > 0 && back.z > 0 ? min(distance, disagreement.most) : disagreement.most)
    }
    return cost
  }
}
