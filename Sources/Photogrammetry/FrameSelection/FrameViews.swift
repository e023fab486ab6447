import MeshPipeline
import NativeLibraries

/// What a frame sees of the samples of a surface.
package struct FrameView: Sendable {
  var sample: UInt32
  /// The position in the image, from 0 to 1 across it.
  var place: SIMD2<Float>
  /// Pixels per metre of the surface, along the most foreshortened direction.
  var resolution: Float
}

extension FrameObserver {
  /// What the frame sees of `samples`.
  func views(of samples: SurfaceSamples) -> [FrameView] {
    var views: [FrameView] = []
    for index in 0..<samples.count {
      let sighting = sighting(
        of: samples.positions[index].simd, normal: samples.normals[index].simd)
      guard let sighting else { continue }
      views.append(
        FrameView(
          sample: UInt32(index), place: sighting.pixel / camera.size,
          resolution: resolution(of: sighting)))
    }
    return views
  }

  /// Pixels per metre of the surface, along the most foreshortened direction.
  func resolution(of sighting: Sighting) -> Float {
    let meters = sighting.depth / surface.unitsPerMeter
    return camera.focalLength.min() * sighting.cosine / max(meters, 1e-6)
  }
}
