import MeshpipeBase
import MeshpipeScene
import NativeLibraries

/// A sample of a surface as a frame sees it.
package struct FrameView: Sendable {
  var sample: UInt32
  /// The position in the image, from 0 to 1 across it.
  var place: SIMD2<Float>
  /// Pixels per metre of the surface, along the most foreshortened direction.
  var resolution: Float
}

extension FrameObserver {
  /// The frame's views of `samples`.
  func views(of samples: SurfaceSamples) -> [FrameView] {
    var views: [FrameView] = []
    for index in 0..<samples.count {
      let projection = visibleProjection(
        of: samples.positions[index].simd, normal: samples.normals[index].simd)
      guard let projection else { continue }
      views.append(
        FrameView(
          sample: UInt32(index), place: projection.pixel / camera.size,
          resolution: resolution(of: projection)))
    }
    return views
  }

  /// A micrometre: a camera on the surface itself would see it infinitely fine.
  private static let leastDistance: Float = 1e-6

  /// Pixels per metre of the surface, along the most foreshortened direction.
  func resolution(of projection: Projection) -> Float {
    let meters = surface.scale.meters(projection.depth)
    return camera.focalLength.min() * projection.cosine / max(meters, Self.leastDistance)
  }
}
