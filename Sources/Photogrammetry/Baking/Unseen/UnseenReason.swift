import MeshpipeBase
import MeshpipeScene
import SurfaceKernels

/// Why the frames of a capture see little of a surface, found by testing points of it.
package struct UnseenReason: Sendable {
  /// The best result that any frame has for a point.
  private enum Visibility: Int, CaseIterable {
    /// The point is in no image, or only in images where the mesh is a speck.
    case outside
    /// The mesh occludes it, or it is seen at too grazing an angle.
    case hidden
    /// A mask hides it.
    case masked
    /// A depth map shows another surface there.
    case elsewhere
    /// The camera sees the back of its face, and nothing else is in the way.
    case back
    case seen
  }

  /// The message for the user: a sentence without its full stop.
  package let sentence: String

  private static let sampleCount = 2000
  /// The width in pixels of a mesh in an image below which it is a speck.
  private static let leastPixels: Float = 8
  /// This many frames suffice to find the reason.
  private static let maximumFrames = 100

  package init(_ calibration: FrameCalibration) {
    let (surface, mesh) = (calibration.domain.surface, calibration.domain.mesh)
    let (positions, normals) = Self.points(surface, mesh)
    var best = [Int](repeating: 0, count: positions.count)
    let extent = Box(mesh.positions).extent
    for frame in calibration.frames.evenly(atMost: Self.maximumFrames) {
      let depth = calibration.options.usesDepth ? frame.readableDepth().map : nil
      let observer = FrameObserver(
        Camera(frame), observing: surface, depth: depth, mask: try? frame.loadMask(),
        limits: calibration.options.analysis.limits)
      let found: [Int] = Parallel.array(count: positions.count, chunkSize: 256) { point in
        Self.visibility(
          from: observer, of: positions[point].simd, normal: normals[point].simd, extent: extent
        ).rawValue
      }
      for (point, visibility) in found.enumerated() { best[point] = max(best[point], visibility) }
    }
    var counts = [Int](repeating: 0, count: Visibility.allCases.count)
    for visibility in best { counts[visibility] += 1 }
    // Points that are seen do not matter here.
    let worst = Visibility.allCases.dropLast().max { counts[$0.rawValue] < counts[$1.rawValue] }
    sentence = Self.sentence(
      worst ?? .outside, percent: 100 * counts[worst?.rawValue ?? 0] / max(1, best.count),
      calibration)
  }

  /// Points of the faces, or some of those of a cloud.
  private static func points(
    _ surface: ObservedSurface, _ mesh: BakeMesh
  ) -> (positions: [Vector3], normals: [Vector3]) {
    let samples = SurfaceSamples(of: surface, count: sampleCount)
    guard samples.count == 0 else { return (samples.positions, samples.normals) }
    let step = max(1, mesh.vertexCount / sampleCount)
    let places = stride(from: 0, to: mesh.vertexCount, by: step)
    return (places.map { mesh.positions[$0] }, places.map { mesh.normals[$0] })
  }

  private static func visibility(
    from observer: FrameObserver, of point: SIMD3<Float>, normal: SIMD3<Float>, extent: Float
  ) -> Visibility {
    let toCamera = observer.camera.position - point
    let isBack = normal.dot(toCamera) < 0
    // A point without a normal faces every camera.
    let facing = normal == .zero ? toCamera.normalized : isBack ? -normal : normal
    guard let pixel = observer.camera.project(point),
      observer.camera.contains(SIMD2(pixel.x, pixel.y), margin: observer.limits.border),
      observer.camera.focalLength.x * extent > Self.leastPixels * pixel.z
    else { return .outside }
    guard let projection = observer.projection(of: point, normal: facing),
      !observer.isOccluded(point, facing)
    else { return .hidden }
    if observer.isMasked(projection) { return .masked }
    if observer.isContradicted(projection) || observer.isSeenThrough(projection) {
      return .elsewhere
    }
    return isBack ? .back : .seen
  }

  private static func sentence(
    _ visibility: Visibility, percent: Int, _ calibration: FrameCalibration
  ) -> String {
    let question = "do mesh and frames share their axes and unit, and belong to the same scan?"
    switch visibility {
    case .outside:
      let meters = (calibration.distanceOfNearestFrame() * 100).rounded() / 100
      return "\(percent) % of it is in no image, or too far away, and the nearest camera is "
        + "\(NumberText.shortest(meters)) m from its box; \(question)"
    case .elsewhere:
      return "depth maps show other surfaces where \(percent) % of it should be; \(question)"
    case .masked:
      return "masks hide \(percent) % of it; --masks ignore uses images whole"
    case .hidden:
      return "\(percent) % of it is hidden behind other parts of the mesh, or turned to the side; "
        + "\(question)"
    case .back, .seen:
      return
        "the cameras look at the backs of its faces on \(percent) % of it: turn the faces over, "
        + "as 'clean' does with those of a closed object"
    }
  }
}

extension FrameCalibration {
  /// The distance of the nearest camera from the surface's bounding box, in metres.
  fileprivate func distanceOfNearestFrame() -> Double {
    let box = Box(domain.mesh.positions)
    let distances = frames.map { frame in
      let position = SIMD3<Float>(frame.pose.translation)
      let nearest = position.clamped(lowerBound: box.minimum, upperBound: box.maximum)
      return (position - nearest).length
    }
    return Double(domain.surface.scale.meters(distances.min() ?? 0))
  }
}
