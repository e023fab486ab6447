package import MeshpipeScene
import NativeLibraries

/// The measurements of a frame's image at reduced size, and of the surface from its camera.
package struct FrameInspection: Sendable {
  /// The frame's views of the samples.
  package var views: [FrameView] = []
  /// The image's detail there.
  package var observations: [RelativeSharpness.Observation] = []
  /// The edge widths over the whole image, for captures without a surface; nil where none were measured.
  package var edgeWidths: EdgeWidths?
  package var clippedShare = 0.0
  /// The mean code of the image, from 0 to 1; nil if it can't be read.
  package var brightness: Double?
  /// Why the image can't be read.
  package var fault: String?

  /// Decodes the image, and the depth map if there are samples.
  package init(
    of frame: Capture.Frame, surface: ObservedSurface?, samples: SurfaceSamples?,
    from store: FrameStore
  ) {
    let image: SmoothedImage
    do {
      image = try SmoothedImage(
        frame.loadImage(reducedBy: Self.reduction(for: frame.imageSize), from: store))
    } catch {
      fault = error.userMessage
      return
    }
    clippedShare = image.clippedShare
    brightness = image.brightness
    guard let surface, let samples else {
      edgeWidths = image.edgeWidths()
      return
    }
    let depth = frame.readableDepth().map
    views = FrameObserver(
      Camera(frame), observing: surface, depth: depth, mask: image.mask
    ).views(of: samples)
    let camera = Camera(frame, size: SIMD2(image.width, image.height))
    observations = views.compactMap { view in
      guard let detail = image.detail(at: view.place),
        let axes = camera.axes(at: Int(view.sample), of: samples, on: surface)
      else { return nil }
      return .init(sample: view.sample, axes: axes, detail: detail)
    }
  }

  /// The least longer side of an image in pixels: all are 640 to 1280 pixels wide then, so that edges are
  /// measured at about one scale, noise is averaged out, and motion of 1/400 of the width is still 1.6 to 3.2 pixels.
  private static let leastSide = 640

  /// The strongest reduction that leaves an image at least ``leastSide`` wide.
  static func reduction(for size: SIMD2<Int>) -> Int {
    Capture.Frame.strongestReduction { max(size.x, size.y) / $0 >= leastSide }
  }
}

extension Camera {
  /// The image displacement of a sample per unit along two axes of the surface there, in pixels.
  ///
  /// The axes depend only on the surface, so they are the same for all cameras.
  fileprivate func axes(
    at sample: Int, of samples: SurfaceSamples, on surface: ObservedSurface
  ) -> (first: SIMD2<Float>, second: SIMD2<Float>)? {
    let point = samples.positions[sample].simd
    // Vertex normals, since single faces of a scan have any direction.
    let (a, b, c) = surface.vertices(ofFace: Int(samples.faces[sample]))
    let sum = surface.normals[a].simd + surface.normals[b].simd + surface.normals[c].simd
    let normal = sum.length > 0 ? sum.normalized : samples.normals[sample].simd
    // Whichever axis is farther from the normal: less than 1/√2 of it is along x, or less along y.
    let across: SIMD3<Float> = abs(normal.x) < 0.7 ? SIMD3(1, 0, 0) : SIMD3(0, 1, 0)
    let first = normal.cross(across).normalized
    guard let firstAxis = motion(of: point, along: first),
      let secondAxis = motion(of: point, along: normal.cross(first))
    else { return nil }
    return (firstAxis, secondAxis)
  }

  /// The image displacement of a point per unit along a direction.
  private func motion(of point: SIMD3<Float>, along direction: SIMD3<Float>) -> SIMD2<Float>? {
    // About four pixels: short enough for constant lens distortion, long enough for rounding.
    let step = 2 * local(point).z / focalLength.x
    guard step > 0, let ahead = project(point + direction * step),
      let behind = project(point - direction * step)
    else { return nil }
    return SIMD2(ahead.x - behind.x, ahead.y - behind.y) / (2 * step)
  }
}
