import MeshPipeline
import SurfaceKernels

/// Possible corrections for images that don't fit: each is tested, and only those that measurably
/// help are reported.
struct PictureRemedy {
  /// Completes "they fit …".
  var words: String
  private var pictures: ([HighPassImage?]) -> [HighPassImage?] = { $0 }
  private var focalScale = 1.0

  private init(
    _ words: String, focalScale: Double = 1,
    pictures: @escaping ([HighPassImage?]) -> [HighPassImage?] = { $0 }
  ) {
    (self.words, self.pictures, self.focalScale) = (words, pictures, focalScale)
  }

  /// The correlation that a correction must reach, and the margin by which it must be better than
  /// none.
  private static let (least, margin) = (0.3, 0.15)
  /// The number of frames compared with others to test a correction.
  private static let anchorCount = 16
  /// The maximum shift of images in the order of frames.
  private static let farthestShift = 10

  /// Possible errors in the order or orientation of images.
  private static var arrangements: [PictureRemedy] {
    let sides = [
      PictureRemedy("when rotated by 180 degrees") { $0.map { $0?.turned } },
      PictureRemedy("when mirrored left to right") { $0.map { $0?.mirrored } },
      PictureRemedy("when mirrored upside down") { $0.map { $0?.mirrored.turned } },
    ]
    return sides
      + (1...farthestShift).flatMap { [shift(by: $0, "later"), shift(by: -$0, "earlier")] }
  }

  private static func shift(by steps: Int, _ side: String) -> PictureRemedy {
    let count = abs(steps) == 1 ? "1 frame" : "\(abs(steps)) frames"
    return PictureRemedy("when shifted by \(count), to the pose \(count) \(side)") { pictures in
      pictures.indices.map {
        pictures.indices.contains($0 - steps) ? pictures[$0 - steps] : nil
      }
    }
  }

  private static var focalLengths: [PictureRemedy] {
    [0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.25, 1.4, 1.6, 2].map { scale in
      let text = NumberText.fixed(scale, digits: 2)
      return PictureRemedy("with about \(text) times the focal length", focalScale: scale)
    }
  }

  /// The correction with which images fit best; nil if they fit with none.
  ///
  /// - Parameters:
  ///   - frames: The frames to correct; all if nil.
  ///   - focal: Whether the focal length may be wrong too.
  static func best(
    for check: FitCheck, frames: [Int]? = nil, focal: Bool = true
  ) -> PictureRemedy? {
    let count = check.scan.capture.frames.count
    let candidates = frames ?? Array(0..<count)
    let number = min(candidates.count, anchorCount)
    let anchors = (0..<number).map { candidates[$0 * candidates.count / number] }
    let present = check.comparison.pairs(
      of: check.scan.capture.frames, anchors: anchors, coarse: true)
    let threshold = max(least, (present.meanCorrelation ?? 0) + margin)
    var best: (remedy: PictureRemedy, correlation: Double)?
    for remedy in arrangements + (focal ? focalLengths : []) {
      let pairs = remedy.pairs(check, frames, anchors)
      guard let found = pairs.meanCorrelation, found > max(threshold, best?.correlation ?? 0),
        pairs.support > present.support
      else { continue }
      best = (remedy, found)
    }
    return best?.remedy
  }

  private func pairs(
    _ check: FitCheck, _ frames: [Int]?, _ anchors: [Int]
  ) -> [PictureComparison.Pair] {
    var moved = check.scan.capture.frames
    let changed = frames ?? Array(moved.indices)
    for index in changed { moved[index].intrinsics.focalLength *= focalScale }
    let comparison = check.comparison.mapPictures { old in
      let new = pictures(old)
      var mixed = old
      for index in changed { mixed[index] = new[index] }
      return mixed
    }
    let all = comparison.pairs(of: moved, anchors: anchors, coarse: true)
    guard let frames else { return all }
    // Outliers have to fit the other frames.
    let strangers = Set(frames)
    return all.filter { !strangers.contains($0.second) }
  }
}
