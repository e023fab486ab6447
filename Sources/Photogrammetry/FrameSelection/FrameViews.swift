import MeshPipeline
import NativeLibraries

/// What a frame sees of the samples of a surface.
package struct FrameView: Sendable {
  var sample: UInt32
  /// Where in the picture, from 0 to 1 across it.
  var place: SIMD2<Float>
  /// Pixels of the picture along a metre of the surface, in the direction that is foreshortened most.
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

  /// Pixels along a metre of the surface, in the direction that is foreshortened most.
  func resolution(of sighting: Sighting) -> Float {
    let meters = sighting.depth / surface.unitsPerMeter
    return camera.focalLength.min() * sighting.cosine / max(meters, 1e-6)
  }
}
