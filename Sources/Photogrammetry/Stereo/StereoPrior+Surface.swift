package import MeshpipeScene
import NativeLibraries

extension StereoPrior {
  /// The depths that a frame's sensor measured, and elsewhere those of a surface; nil if there are none.
  package init?(
    of frame: Capture.Frame, sensor: DepthMap?, _ scale: MetricScale, surface: ObservedSurface?
  ) {
    let size = sensor?.size ?? Self.tracedSize(frame.imageSize)
    guard size.x > 0, size.y > 0, sensor != nil || surface != nil else { return nil }
    let camera = Camera(frame, size: size).unwarped
    let depths = (0..<size.x * size.y).map { index -> Float in
      if let sensor, sensor.meters[index] > 0, sensor.confidences.map({ $0[index] > 0 }) ?? true {
        return scale.units(meters: sensor.meters[index])
      }
      guard let surface else { return 0 }
      let pixel = SIMD2(Float(index % size.x), Float(index / size.x)) + 0.5
      return surface.tracer.firstHit(from: camera.position, along: camera.ray(through: pixel))?
        .distance ?? 0
    }
    self.init(size: size, depths: depths)
  }

  /// Enough for surfaces of which a phone's mesh has a face for every few centimetres.
  private static func tracedSize(_ image: SIMD2<Int>) -> SIMD2<Int> {
    let width = min(160, image.x)
    return SIMD2(width, max(1, width * image.y / max(1, image.x)))
  }
}
