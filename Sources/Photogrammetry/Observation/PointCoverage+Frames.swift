package import MeshpipeScene
import NativeLibraries
import POSIX

extension PointCoverage {
  /// The number of frames whose depth maps are in memory at the same time: some megabytes.
  private static let batch = 24
  /// A frame never sees the back of a point, even with an angle of 90° that rounding exceeds.
  private static let leastCosine: Float = 1e-3

  /// Adds all frames, with their depth maps where these can be read.
  ///
  /// - Parameters:
  ///   - maximumAngle: The largest between a normal and the direction to a camera, in radians.
  ///   - progress: Called with the share that is done; may throw to stop.
  package mutating func add(
    _ frames: [Capture.Frame], of surface: ObservedSurface, maximumAngle: Double,
    minimumResolution: Float = 0, progress: (Double) throws -> Void = { _ in }
  ) rethrows {
    var limits = FrameObserver.Limits()
    limits.minimumCosine = max(cosf(Float(maximumAngle)), Self.leastCosine)
    for first in stride(from: 0, to: frames.count, by: Self.batch) {
      let batch = Array(frames[first..<min(first + Self.batch, frames.count)])
      let observers = Parallel.map(count: batch.count) { [limits] index in
        FrameObserver(
          Camera(batch[index]), observing: surface, depth: batch[index].readableDepth().map,
          mask: try? batch[index].loadMask(), limits: limits)
      }
      add(observers, minimumResolution: minimumResolution)
      try progress(Double(first + batch.count) / Double(frames.count))
    }
  }
}
