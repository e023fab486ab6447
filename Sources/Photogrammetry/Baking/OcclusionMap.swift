import MeshPipeline

/// How near the mesh is to a camera around each pixel, at a part of the picture's size.
///
/// A pose is off by some pixels, and so is the outline of a mesh. What is nearly hidden may show the
/// colours of what hides it: the map tells how safe a point is from that.
struct OcclusionMap: Sendable {
  let width: Int
  let height: Int
  /// The depth of each ray in millimetres; ``greatestDepth`` where it is more, or nothing is.
  let depths: [UInt16]
  /// The least and the greatest depth within one pixel; empty while they are not needed.
  private(set) var nearest: [UInt16]
  private(set) var farthest: [UInt16]
  /// The same within ``wideRadius`` pixels; empty once they are not needed any more.
  private(set) var widelyNearest: [UInt16]
  private(set) var widelyFarthest: [UInt16]

  static let wideRadius = 3

  /// Whatever is farther counts as being there: the map can't tell what hides it.
  static let greatestDepth: Float = 65_535

  /// How many millimetres a depth of the map may be off where the mesh is by so many metres: whole
  /// millimetres are no finer.
  static func tolerance(_ meshError: Float) -> Float { max(1000 * meshError, 1) }

  init(_ traced: TracedDepths, unitsPerMeter: Float) {
    width = traced.width
    height = traced.height
    depths = traced.depths.map { depth in
      UInt16(min(max(depth / unitsPerMeter * 1000, 0), Self.greatestDepth))
    }
    nearest = Self.extreme(of: depths, width, height, radius: 1, min)
    farthest = Self.extreme(of: depths, width, height, radius: 1, max)
    widelyNearest = Self.extreme(of: nearest, width, height, radius: Self.wideRadius - 1, min)
    widelyFarthest = Self.extreme(of: farthest, width, height, radius: Self.wideRadius - 1, max)
  }

  /// Lets go of all but the depths: of hundreds of frames these are there at the same time.
  mutating func dropExtremes() {
    (nearest, farthest) = ([], [])
    (widelyNearest, widelyFarthest) = ([], [])
  }

  /// Finds the extremes within one pixel again.
  func withExtremes() -> OcclusionMap {
    var map = self
    map.nearest = Self.extreme(of: depths, width, height, radius: 1, min)
    map.farthest = Self.extreme(of: depths, width, height, radius: 1, max)
    return map
  }

  /// Pixels of the pictures per ray, along a side, with which the maps of all frames fit into memory.
  static func step(_ sizes: [SIMD2<Int>], atLeast least: Int, memory: Int) -> Int {
    let bytes = sizes.reduce(0) { $0 + 2 * $1.x * $1.y }
    // Coarser maps would tell little.
    return (least..<16).first { bytes / ($0 * $0) <= memory } ?? 16
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
