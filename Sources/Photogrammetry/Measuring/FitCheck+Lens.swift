import MeshpipeBase
import POSIX

/// The errors of the lens of all frames, as far as they were found.
struct LensCorrection {
  /// The logarithm of a factor of the focal length.
  var focalLength = 0.0
  /// The evidence for the errors, for messages.
  var evidence = ""
  /// The distortion k1 that files lack.
  var radial = 0.0
}

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
    let parts: [LensPart] = [.focalLength] + (lacksDistortion ? [.radialDistortion] : [])
    let recorded = scan.capture.frames
    for _ in 0..<Self.mostCorrections {
      let search = lensSearch()
      let found = parts.compactMap { search.error(of: $0) }
      guard let best = found.max(by: { $0.correlation < $1.correlation }) else { break }
      // What was taken for another focal length is the distortion, unless it shows again.
      if best.part == .radialDistortion, lens.radial == 0 { restoreFocalLength() }
      use(best)
    }
    if lens.radial != 0 {
      let wrong: [LensPart] =
        lens.focalLength == 0 ? [.radialDistortion] : [.focalLength, .radialDistortion]
      for part in wrong + wrong {
        guard let rest = lensSearch().error(of: part, isNear: true) else { continue }
        use(rest)
      }
    }
    return scan.capture.frames != recorded
  }

  /// Says what is wrong with the lens.
  mutating func reportLens() {
    if abs(lens.focalLength) > LensPart.leastError {
      let scale = exp(lens.focalLength)
      findings.focalScale = scale
      context.warn(
        "\(path): the focal length of the frames is wrong: \(lens.evidence) fit the mesh with "
          + "\(NumberText.fixed(scale, digits: 3)) times its value, which is used")
    }
    if lens.radial != 0 {
      findings.radialDistortion = lens.radial
      context.warn(
        "\(path): the files record no lens distortion, but the images fit the mesh with a radial one of k1 = "
          + "\(NumberText.fixed(lens.radial, digits: 3)), which is used")
    }
  }

  /// A search among pairs of frames that agree.
  private func lensSearch() -> LensSearch {
    let outliers = Set(consensus.outliers)
    let trusted = pairs.filter { !outliers.contains($0.first) && !outliers.contains($0.second) }
    return LensSearch(comparison, scan.capture.frames, pairs: trusted)
  }

  /// Scales the focal length of all frames.
  ///
  /// - Parameter evidence: What fits the mesh then.
  mutating func correctFocalLength(by scale: Double, because evidence: String) {
    lens.focalLength += log(scale)
    lens.evidence = evidence
    correct(LensSearch.Finding(part: .focalLength, error: log(scale), correlation: .nan))
  }

  private mutating func restoreFocalLength() {
    guard lens.focalLength != 0 else { return }
    correctFocalLength(by: exp(-lens.focalLength), because: "")
    lens.focalLength = 0
  }

  private mutating func use(_ finding: LensSearch.Finding) {
    switch finding.part {
    case .focalLength: correctFocalLength(by: exp(finding.error), because: "the images")
    case .radialDistortion:
      lens.radial += finding.error
      correct(finding)
    }
  }

  /// Corrects a part of the lens of all frames and of the rays that test them, and compares images again.
  private mutating func correct(_ finding: LensSearch.Finding) {
    let frames = scan.capture.frames
    scan.capture.changeLenses { finding.part.correct(&$0, &$1, by: SIMD2(finding.error, 0)) }
    probe.changeLenses(from: frames, to: scan.capture.frames)
    compareImages()
  }
}
