import MeshpipeBase
import SurfaceKernels

/// A possible correction for images that don't fit: each is tested, and only the one that measurably
/// helps most is reported.
struct ImageCorrection {
  /// Completes "they fit …".
  var description: String
  /// Rotates, mirrors or reorders the images of all frames.
  private var arrange: ([HighPassImage?]) -> [HighPassImage?] = { $0 }
  private var focalScale = 1.0

  private init(
    _ description: String, focalScale: Double = 1,
    arrange: @escaping ([HighPassImage?]) -> [HighPassImage?] = { $0 }
  ) {
    (self.description, self.arrange, self.focalScale) = (description, arrange, focalScale)
  }

  /// The correlation that a correction must reach, with which two images agree (``FrameConsensus``), and the margin by
  /// which it must be better than none: what separates images that agree from those that contradict each other there.
  private static let (least, margin) = (0.3, 0.15)
  /// The number of frames compared with others to test a correction: more than thirty are tested.
  private static let anchorCount = 16
  /// The maximum shift of images in the order of frames: an index that is off by a few, as when the first
  /// ones were deleted.
  ///
  /// Each step further costs two tests.
  private static let farthestShift = 10
  /// The tested errors of the focal length, up to a factor of two either way, as between an image and its reduction.
  ///
  /// Images agree enough for ``LensSearch`` if the error is small.
  private static let focalScales = [0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.25, 1.4, 1.6, 2]

  /// Possible errors in the order or orientation of images.
  private static var arrangements: [ImageCorrection] {
    let sides = [
      ImageCorrection("when rotated by 180 degrees") { $0.map { $0?.rotated } },
      ImageCorrection("when mirrored left to right") { $0.map { $0?.mirrored } },
      ImageCorrection("when mirrored upside down") { $0.map { $0?.mirrored.rotated } },
    ]
    return sides
      + (1...farthestShift).flatMap { [shift(by: $0, "later"), shift(by: -$0, "earlier")] }
  }

  private static func shift(by steps: Int, _ side: String) -> ImageCorrection {
    let count = abs(steps) == 1 ? "1 frame" : "\(abs(steps)) frames"
    return ImageCorrection("when shifted by \(count), to the pose \(count) \(side)") { images in
      images.indices.map {
        images.indices.contains($0 - steps) ? images[$0 - steps] : nil
      }
    }
  }

  private static var focalLengths: [ImageCorrection] {
    focalScales.map { scale in
      let text = NumberText.fixed(scale, digits: 2)
      return ImageCorrection("with about \(text) times the focal length", focalScale: scale)
    }
  }

  /// The correction with which images fit best; nil if they fit with none.
  ///
  /// - Parameters:
  ///   - frames: The frames to correct; all if nil.
  ///   - focal: Whether the focal length may be wrong too.
  static func best(
    for check: FitCheck, frames: [Int]? = nil, focal: Bool = true
  ) -> ImageCorrection? {
    let count = check.scan.capture.frames.count
    let anchors = (frames ?? Array(0..<count)).evenly(atMost: anchorCount)
    let present = check.comparison.pairs(
      of: check.scan.capture.frames, anchors: anchors, coarse: true)
    let threshold = max(least, (present.meanCorrelation ?? 0) + margin)
    var best: (correction: ImageCorrection, correlation: Double)?
    for correction in arrangements + (focal ? focalLengths : []) {
      let pairs = correction.pairs(check, frames, anchors)
      guard let found = pairs.meanCorrelation, found > max(threshold, best?.correlation ?? 0),
        pairs.support > present.support
      else { continue }
      best = (correction, found)
    }
    return best?.correction
  }

  private func pairs(
    _ check: FitCheck, _ frames: [Int]?, _ anchors: [Int]
  ) -> [ImageCorrelation.Pair] {
    var moved = check.scan.capture.frames
    let changed = frames ?? Array(moved.indices)
    for index in changed { moved[index].intrinsics.focalLength *= focalScale }
    let comparison = check.comparison.mapImages { old in
      let new = arrange(old)
      var mixed = old
      for index in changed { mixed[index] = new[index] }
      return mixed
    }
    let all = comparison.pairs(of: moved, anchors: anchors, coarse: true)
    guard let frames else { return all }
    // Outliers have to fit the other frames.
    let outliers = Set(frames)
    return all.filter { !outliers.contains($0.second) }
  }
}
