import MeshpipeScene
import NativeLibraries

/// The depth maps of a capture, decoded and fitted with planes a few at a time.
struct DepthMaps: Sendable {
  let frames: [Capture.DepthFrame]
  let system: CoordinateSystem
  let scale: MetricScale
  let limits: DepthPlanes.Limits
  /// What of them is so no more; nil if nothing is known of that.
  var changes: SessionChanges?
  /// Depth maps that are decoded and fitted at a time, at most, and their pixels: one takes some 28 bytes.
  private static let batch = (maps: 16, pixels: 8_000_000)
  /// The least depth used, in metres: phones measure nothing nearer.
  private static let leastDepth: Float = 0.1

  /// - Parameters:
  ///   - maximumDepth: The greatest depth used, in metres.
  ///   - minimumConfidence: Depths of less are ignored; 0 low, 1 medium, 2 high.
  ///   - isExtended: See ``DepthPlanes/Limits/isExtended``.
  init(
    _ frames: [Capture.DepthFrame], _ system: CoordinateSystem, maximumDepth: Double,
    minimumConfidence: Int, isExtended: Bool
  ) {
    self.frames = frames
    self.system = system
    scale = MetricScale(system)
    limits = DepthPlanes.Limits(
      depths: Self.leastDepth...max(Self.leastDepth, Float(maximumDepth)),
      minimumConfidence: UInt8(minimumConfidence), isExtended: isExtended)
  }

  /// The depth map of a frame, and the problem with it or with its confidences.
  func view(of index: Int, rowStep: Int = 1) -> (view: DepthView?, fault: String?) {
    let frame = frames[index]
    let (map, fault) = frame.depth.readable()
    guard var map, map.width > 0, map.height > 0 else { return (nil, fault ?? "it is empty") }
    var limits = limits
    // A surface is not continued over what is hidden.
    if changes?.hide(&map, of: frame) == true { limits.isExtended = false }
    return (DepthView(map, of: frame, scale: scale, limits: limits, rowStep: rowStep), fault)
  }

  /// Ranges of depth maps that fit into memory; a larger map is alone.
  func batches() -> [Range<Int>] { Self.batches(frames.map { $0.depth.headerSize ?? .zero }) }

  /// Divides depth maps of some sizes into batches that fit into memory; a larger one is alone.
  static func batches(_ sizes: [SIMD2<Int>]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var sum = 0
    for (index, size) in sizes.enumerated() {
      // A file may claim sides whose product overflows.
      let pixels = min(size.x, batch.pixels) * min(size.y, batch.pixels)
      sum += pixels
      if let last = result.last, last.count < batch.maps, sum <= batch.pixels {
        result[result.count - 1] = last.lowerBound..<index + 1
      } else {
        result.append(index..<index + 1)
        sum = pixels
      }
    }
    return result
  }

  /// Why no depth map can be used.
  ///
  /// - Parameter faults: Frames and the problems with their depth maps.
  func reasonForNone(_ faults: [(frame: String, reason: String)]) -> String {
    guard let first = faults.first else {
      let (least, most) = (limits.depths.lowerBound, limits.depths.upperBound)
      return "no depth is between \(least) and \(most) m and of confidence "
        + "\(limits.minimumConfidence) or more"
    }
    return "frame '\(first.frame)': \(first.reason)"
  }
}
