import MeshpipeScene

/// The least and the greatest depth of the mesh around each pixel of a frame, at reduced size.
///
/// Poses are off by some pixels, and so are the outlines of a mesh. A point that is nearly occluded
/// may show the colours of its occluder: the map says how safe a point is from that.
struct DepthBounds: Sendable {
  let width: Int
  let height: Int
  /// The depth of each ray in millimetres; ``greatestDepth`` if it is more, or the ray hits
  /// nothing.
  let depths: [UInt16]
  /// The least and the greatest depth within one pixel; empty until needed.
  private(set) var nearest: [UInt16]
  private(set) var farthest: [UInt16]
  /// The least and the greatest depth within ``wideRadius`` pixels; empty once no longer needed.
  private(set) var widelyNearest: [UInt16]
  private(set) var widelyFarthest: [UInt16]

  /// The wide radius in pixels of the map, 12 pixels of the image: recorded poses of phones are off by about that much.
  static let wideRadius = 3

  /// The depth by which the mesh may be nearer than a point around it, beside the error of the mesh: in multiples of
  /// the change of a continuous surface's depth from one ray to the next.
  ///
  /// One step is the neighbour's depth, and half of one the ray's distance from the pixel's centre; the rest is for
  /// rough surfaces. Smaller, grazing surfaces hide themselves; larger, thin things hide nothing.
  static let nearSteps: Float = 2
  /// The depth in those steps by which the mesh may be farther than a point around it, with a multiple of the error of
  /// the mesh: less strict, since what is farther hides nothing.
  static let farSteps: Float = 2.5
  static let farErrors: Float = 2
  /// The number of steps by which the mesh may be nearer within ``wideRadius`` pixels.
  static let wideNearSteps: Float = 4.5
  static let wideFarSteps: Float = 5
  /// At a more grazing angle a surface's depth changes without limit from ray to ray.
  static let leastCosine: Float = 0.1

  /// Farther points count as visible: the map can't tell what hides them.
  static let greatestDepth: Float = 65_535

  /// The error of a depth of the map in millimetres for a given error of the mesh in metres: at
  /// least one, since the map stores whole millimetres.
  static func tolerance(_ meshError: Float) -> Float { max(1000 * meshError, 1) }

  /// - Parameter mask: What it hides is behind something at the lens.
  init(_ traced: TracedDepths, _ scale: MetricScale, mask: PixelMask?) {
    width = traced.width
    height = traced.height
    var depths = traced.depths.map { depth in
      UInt16(min(max(scale.millimeters(depth), 0), Self.greatestDepth))
    }
    if let mask = mask?.resized(to: SIMD2(width, height)) {
      for pixel in depths.indices where mask.hidden[pixel] { depths[pixel] = 0 }
    }
    self.depths = depths
    nearest = Self.extreme(of: depths, width, height, radius: 1, min)
    farthest = Self.extreme(of: depths, width, height, radius: 1, max)
    widelyNearest = Self.extreme(of: nearest, width, height, radius: Self.wideRadius - 1, min)
    widelyFarthest = Self.extreme(of: farthest, width, height, radius: Self.wideRadius - 1, max)
  }

  /// Releases all but the depths: the maps of hundreds of frames are in memory at the same time.
  mutating func dropExtremes() {
    (nearest, farthest) = ([], [])
    (widelyNearest, widelyFarthest) = ([], [])
  }

  /// Computes the extremes within one pixel again.
  func withExtremes() -> DepthBounds {
    var map = self
    map.nearest = Self.extreme(of: depths, width, height, radius: 1, min)
    map.farthest = Self.extreme(of: depths, width, height, radius: 1, max)
    return map
  }

  /// Whether the mesh is before a point of its own surface.
  ///
  /// - Parameters:
  ///   - pixel: Of the camera's image.
  ///   - millimeters: The point's depth.
  ///   - cosine: Of the angle between the surface's normal and the direction to the camera.
  func hides(
    _ pixel: SIMD2<Float>, millimeters: Float, cosine: Float, _ camera: Camera
  ) -> Bool {
    let step = step(at: millimeters, cosine: cosine, camera)
    return Float(depths[index(of: pixel, camera)])
      < min(millimeters, Self.greatestDepth) - Self.tolerance(0) - Self.nearSteps * step
  }

  /// The index in the map of a pixel of the camera's image.
  @inline(__always)
  func index(of pixel: SIMD2<Float>, _ camera: Camera) -> Int {
    let position = pixel * scale(camera)
    let x = min(max(Int(position.x), 0), width - 1)
    let y = min(max(Int(position.y), 0), height - 1)
    return y * width + x
  }

  /// The change of the depth of a continuous surface from one ray to the next, in millimetres.
  @inline(__always)
  func step(at millimeters: Float, cosine: Float, _ camera: Camera) -> Float {
    let held = max(cosine, Self.leastCosine)
    let slope = (1 - held * held).squareRoot() / held
    return millimeters / (camera.focalLength.x * scale(camera).x) * slope
  }

  /// Pixels of the map for one of the camera's image.
  @inline(__always)
  private func scale(_ camera: Camera) -> SIMD2<Float> {
    SIMD2(Float(width), Float(height)) / camera.size
  }

  /// Coarser maps, of some hundred pixels along a side, would not show legs and poles.
  private static let greatestStep = 16

  /// Pixels of the images per ray, along a side, at which the maps of all frames fit into memory.
  static func step(_ sizes: [SIMD2<Int>], atLeast least: Int, memory: Int) -> Int {
    let bytes = sizes.reduce(0) { $0 + 2 * $1.x * $1.y }
    return (least..<greatestStep).first { bytes / ($0 * $0) <= memory } ?? greatestStep
  }

  private static func extreme(
    of values: [UInt16], _ width: Int, _ height: Int, radius: Int,
    _ choose: (UInt16, UInt16) -> UInt16
  ) -> [UInt16] {
    var rows = values
    for y in 0..<height {
      for x in 0..<width {
        var best = values[y * width + x]
        for other in max(0, x - radius)...min(width - 1, x + radius) {
          best = choose(best, values[y * width + other])
        }
        rows[y * width + x] = best
      }
    }
    var result = rows
    for y in 0..<height {
      for other in max(0, y - radius)...min(height - 1, y + radius) where other != y {
        for x in 0..<width {
          result[y * width + x] = choose(result[y * width + x], rows[other * width + x])
        }
      }
    }
    return result
  }
}
