import MeshPipeline
import POSIX

extension FitCheck {
  /// A wrong focal length and a distortion hide one another: each is looked for again once the other is corrected.
  private static let mostCorrections = 3

  /// Corrects the focal length, and adds a radial distortion that files don't record, where those of all frames are
  /// clearly wrong.
  ///
  /// - Returns: Whether it did.
  mutating func mendLens() -> Bool {
    guard doImagesAgree else { return false }
    let lacksDistortion =
      scan.capture.frames.allSatisfy { $0.distortion == .none }
      && scan.capture.depthFrames.allSatisfy { $0.distortion == .none }
    let numbers: [LensNumber] = [.focalLength] + (lacksDistortion ? [.radialDistortion] : [])
    let recorded = scan.capture.frames.first
    var radial = 0.0
    for _ in 0..<Self.mostCorrections {
      let search = lensSearch()
      let found = numbers.compactMap { search.error(of: $0) }
      guard let best = found.max(by: { $0.correlation < $1.correlation }) else { break }
      correct(best)
      if best.number == .radialDistortion { radial += best.error }
    }
    if radial != 0 {
      for number in numbers + numbers {
        guard let rest = lensSearch().error(of: number, isNear: true) else { continue }
        correct(rest)
        if number == .radialDistortion { radial += rest.error }
      }
    }
    guard let old = recorded, let new = scan.capture.frames.first, new != old else { return false }
    let scale = new.intrinsics.focalLength.x / old.intrinsics.focalLength.x
    if abs(log(scale)) > LensNumber.leastError {
      reportFocalLength(scale, because: "the images")
    }
    if radial != 0 { report(radialDistortion: radial) }
    return true
  }

  /// A search among pairs of frames that agree.
  private func lensSearch() -> LensSearch {
    let outliers = Set(consensus.outliers)
    let trusted = pairs.filter { !outliers.contains($0.first) && !outliers.contains($0.second) }
    return LensSearch(comparison, scan.capture.frames, pairs: trusted)
  }

  private mutating func report(radialDistortion radial: Double) {
    findings.radialDistortion = radial
    context.warn(
      "\(path): the files record no lens distortion, but the images fit the mesh with a radial one of k1 = "
        + "\(NumberText.fixed(radial, digits: 3)), which is used")
  }

  /// Scales the focal length of all frames, and says what fits the mesh then.
  mutating func correctFocalLength(by scale: Double, because subject: String) {
    correct(
      LensSearch.Finding(number: .focalLength, error: log(scale), correlation: .nan))
    reportFocalLength(scale, because: subject)
  }

  /// Corrects a number of the lens of all frames and of the rays that test them, and compares images again.
  private mutating func correct(_ finding: LensSearch.Finding) {
    let (number, error) = (finding.number, finding.error)
    let frames = scan.capture.frames
    scan.capture.frames = number.corrected(frames, by: error)
    scan.capture.depthFrames = scan.capture.depthFrames.map { frame in
      var frame = frame
      (frame.intrinsics, frame.distortion) = number.corrected(
        frame.intrinsics, frame.distortion, by: error)
      return frame
    }
    probe.changeLenses(from: frames, to: scan.capture.frames)
    compareImages()
  }

  private mutating func reportFocalLength(_ scale: Double, because subject: String) {
    findings.focalScale = (findings.focalScale ?? 1) * scale
    context.warn(
      "\(path): the focal length of the frames is wrong: \(subject) fit the mesh with "
        + "\(NumberText.fixed(scale, digits: 3)) times its value, which is used")
  }
}
