package import MeshpipeScene

/// Where the rays of a picture begin and where they go.
protocol PictureRays: Sendable {
  /// Width and height of the picture in pixels.
  var pixelCounts: SIMD2<Int> { get }
  /// To the right of the picture and into it, of length 1.
  var right: SIMD3<Float> { get }
  var forward: SIMD3<Float> { get }
  /// The width and the area of a pixel at depth 1, in units of the scene.
  var pixelWidth: Float { get }
  var pixelArea: Float { get }
  /// How far rays go, in multiples of their direction.
  var reach: Float { get }

  /// How many times as wide as at depth 1 a pixel is at a distance.
  func spread(at distance: Float) -> Float
  /// The ray through a place of the picture, in pixels from its upper left corner.
  func line(through pixel: SIMD2<Float>) -> PictureRay
}

/// A ray of a picture: `origin + depth · direction`.
struct PictureRay {
  var origin: SIMD3<Float>
  var direction: SIMD3<Float>
}

extension Camera: PictureRays {
  var pixelCounts: SIMD2<Int> { SIMD2(Int(size.x), Int(size.y)) }
  var pixelWidth: Float { 1 / min(focalLength.x, focalLength.y) }
  var pixelArea: Float { 1 / (focalLength.x * focalLength.y) }
  var reach: Float { .infinity }

  func spread(at distance: Float) -> Float { distance }

  func line(through pixel: SIMD2<Float>) -> PictureRay {
    PictureRay(origin: position, direction: ray(through: pixel))
  }
}

/// A view along parallel lines, in which equal lengths across it are equally long anywhere.
package struct ParallelView: Sendable, PictureRays {
  /// Width and height of the picture in pixels.
  package let pixelCounts: SIMD2<Int>
  /// Units of the scene.
  package let unitsPerPixel: Double
  let reach: Float
  let right: SIMD3<Float>
  let forward: SIMD3<Float>
  private let down: SIMD3<Float>
  /// What the upper left corner of the picture shows, in the plane where rays begin.
  private let corner: SIMD3<Float>

  /// - Parameters:
  ///   - axes: To the right, up and towards the one who looks, of length 1.
  ///   - center: What the middle of the picture shows; nothing on this side of it is seen.
  ///   - reach: How far behind it things are seen, in units of the scene.
  package init(
    axes: Transform, center: SIMD3<Double>, pixelCounts: SIMD2<Int>, unitsPerPixel: Double,
    reach: Double = .infinity
  ) {
    (self.pixelCounts, self.unitsPerPixel, self.reach) = (pixelCounts, unitsPerPixel, Float(reach))
    let half = SIMD2<Double>(pixelCounts) * (unitsPerPixel / 2)
    right = SIMD3<Float>(axes.x)
    down = SIMD3<Float>(-axes.y)
    forward = SIMD3<Float>(-axes.z)
    corner = SIMD3<Float>(center - axes.x * half.x + axes.y * half.y)
  }

  var pixelWidth: Float { Float(unitsPerPixel) }
  var pixelArea: Float { pixelWidth * pixelWidth }

  func spread(at distance: Float) -> Float { 1 }

  func line(through pixel: SIMD2<Float>) -> PictureRay {
    let position = pixel * pixelWidth
    return PictureRay(origin: corner + right * position.x + down * position.y, direction: forward)
  }
}
