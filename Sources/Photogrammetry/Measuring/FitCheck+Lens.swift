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
    let numbers: [LensPart] = [.focalLength] + (lacksDistortion ? [.radialDistortion] : [])
    var (focal, radial) = (0.0, 0.0)
    func use(_ finding: LensSearch.Finding, _ check: inout FitCheck) {
      check.correct(finding)
      switch finding.number {
      case .focalLength: focal += finding.error
      case .radialDistortion: radial += finding.error
      }
    }
    for _ in 0..<Self.mostCorrections {
      let search = lensSearch()
      let found = numbers.compactMap { search.error(of: $0) }
      guard let best = found.max(by: { $0.correlation < $1.correlation }) else { break }
      use(best, &self)
    }
    if radial != 0 {
      // A recorded focal length that nothing speaks against stays.
      let wrong: [LensPart] =
        focal == 0 ? [.radialDistortion] : [.focalLength, .radialDistortion]
      for number in wrong + wrong {
        guard let rest = lensSearch().error(of: number, isNear: true) else { continue }
        use(rest, &self)
      }
    }
    if abs(focal) > LensPart.leastError {
      reportFocalLength(exp(focal), because: "the images")
    }
    if radial != 0 { report(radialDistortion: radial) }
    return focal != 0 || radial != 0
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
    scan.capture.frames = frames.map { frame in
      var frame = frame
      (frame.intrinsics, frame.distortion) = number.corrected(
        frame.intrinsics, frame.distortion, by: SIMD2(error, 0))
      return frame
    }
    scan.capture.depthFrames = scan.capture.depthFrames.map { frame in
      var frame = frame
      (frame.intrinsics, frame.distortion) = number.corrected(
        frame.intrinsics, frame.distortion, by: SIMD2(error, 0))
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
