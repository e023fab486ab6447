package import MeshpipeScene
import NativeLibraries
import POSIX

/// The number of a capture's frames that see each point of a surface, and the best resolution among them.
package struct PointCoverage: Sendable {
  let positions: [Vector3]
  let normals: [Vector3]
  /// The number of frames that see each point well.
  package private(set) var views: [UInt16]
  /// The most pixels per metre of surface among these frames; 0 if there are none.
  package private(set) var resolutions: [Float]

  package init(positions: [Vector3], normals: [Vector3]) {
    self.positions = positions
    self.normals = normals
    views = [UInt16](repeating: 0, count: positions.count)
    resolutions = [Float](repeating: 0, count: positions.count)
  }

  /// Adds some frames: few at a time, because their depth maps are in memory.
  ///
  /// - Parameter minimumResolution: A frame that shows a point with fewer pixels per metre does not
  ///   see it well.
  mutating func add(_ observers: [FrameObserver], minimumResolution: Float) {
    let (positions, normals, views, resolutions) = (positions, normals, views, resolutions)
    let updated = Parallel.array(count: positions.count, chunkSize: 1 << 10) { point in
      var (count, best) = (views[point], resolutions[point])
      let (position, normal) = (positions[point].simd, normals[point].simd)
      for observer in observers {
        // Cheap tests first; rays are expensive.
        guard let projection = observer.projection(of: position, normal: normal) else { continue }
        let resolution = observer.resolution(of: projection)
        guard resolution >= minimumResolution, !observer.isContradicted(projection),
          !observer.isOccluded(position, normal)
        else { continue }
        count = count &+ (count < .max ? 1 : 0)
        best = max(best, resolution)
      }
      return Sum(views: count, resolution: best)
    }
    self.views = updated.map(\.views)
    self.resolutions = updated.map(\.resolution)
  }

  private struct Sum: BitwiseCopyable, Sendable {
    var views: UInt16
    var resolution: Float
  }
}

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
