package import MeshpipeScene

/// Depth maps of stereo together with those of a sensor.
extension StereoDepth.Depths {
  /// The depths as a map in metres.
  ///
  /// - Parameters:
  ///   - metersPerUnit: Metres for each unit of the depths.
  ///   - sensor: The sensor's depths of the same frame; nil for none. Where stereo is confident, its depths stay; elsewhere
  ///     those of the sensor do, with medium confidence at most.
  package func map(metersPerUnit: Float, sensor: DepthMap?) -> DepthMap {
    var meters = depths.map { $0 * metersPerUnit }
    var confidences = confidences
    if let sensor, sensor.width > 0, sensor.height > 0 {
      for index in meters.indices where confidences[index] < 2 {
        let place = SIMD2(Float(index % size.x), Float(index / size.x)) + 0.5
        let measured = sensor.depth(at: place / SIMD2<Float>(size))
        guard measured.meters > 0 else { continue }
        let isBetter = measured.confidence > 0 || confidences[index] == 0
        guard isBetter else { continue }
        meters[index] = measured.meters
        confidences[index] = min(measured.confidence, 1)
      }
    }
    return DepthMap(width: size.x, height: size.y, meters: meters, confidences: confidences)
  }
}

extension DepthMap {
  /// The depth between pixels, of those around that belong to the same surface as the nearest.
  ///
  /// - Parameter place: From 0 to 1 across the map.
  fileprivate func depth(at place: SIMD2<Float>) -> (meters: Float, confidence: UInt8) {
    let pixel = place * SIMD2(Float(width), Float(height))
    let (x, y) = (
      min(width - 1, max(0, Int(pixel.x))), min(height - 1, max(0, Int(pixel.y)))
    )
    let nearest = meters[y * width + x]
    guard nearest > 0 else { return (0, 0) }
    let confidence = confidences?[y * width + x] ?? 2
    let offset = pixel - SIMD2(Float(x), Float(y)) - 0.5
    let (right, down) = (offset.x < 0 ? -1 : 1, offset.y < 0 ? -1 : 1)
    let (dx, dy) = (abs(offset.x), abs(offset.y))
    var (sum, weight) = (Float(0), Float(0))
    let edge = DepthNoise.sensor.edge
    let limit = edge.share * nearest + edge.meters
    for (column, row, share) in [
      (x, y, (1 - dx) * (1 - dy)), (x + right, y, dx * (1 - dy)),
      (x, y + down, (1 - dx) * dy), (x + right, y + down, dx * dy),
    ] {
      guard column >= 0, row >= 0, column < width, row < height else { continue }
      let depth = meters[row * width + column]
      guard depth > 0, abs(depth - nearest) < limit else { continue }
      sum += depth * share
      weight += share
    }
    return (weight > 0 ? sum / weight : nearest, confidence)
  }
}
