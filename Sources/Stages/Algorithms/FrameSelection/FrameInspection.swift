import MeshPipeline
import NativeLibraries

/// What a look at a frame's picture, at a reduced size, and at the surface from its camera tells.
struct FrameInspection: Sendable {
  /// What the frame sees of the samples.
  var views: [FrameView] = []
  /// How sharp it shows them.
  var observations: [RelativeSharpness.Observation] = []
  /// The sharpness of the whole picture; nil when all of it is plain.
  var sharpness: Float?
  var clippedShare = 0.0
  /// Why the picture can't be read.
  var fault: String?

  /// Decodes the picture, and the depth map when there are samples to be seen.
  init(of frame: Capture.Frame, surface: ObservedSurface?, samples: SurfaceSamples?) {
    let detail: PictureDetail
    do {
      detail = try PictureDetail(frame.loadImage(reducedBy: Self.reduction(for: frame.imageSize)))
    } catch {
      fault = error.userMessage
      return
    }
    sharpness = detail.median
    clippedShare = detail.clippedShare
    guard let surface, let samples else { return }
    let depth = frame.readableDepth().map
    views = FrameObserver(Camera(frame), looksAt: surface, depth: depth).views(of: samples)
    observations = views.compactMap { view in
      let value = detail.sharpness(at: view.place)
      return value.isNaN ? nil : .init(sample: view.sample, value: value)
    }
  }

  /// The strongest reduction that leaves a picture at least 640 pixels wide.
  static func reduction(for size: SIMD2<Int>) -> Int {
    [8, 4, 2].first { max(size.x, size.y) / $0 >= 640 } ?? 1
  }
}
