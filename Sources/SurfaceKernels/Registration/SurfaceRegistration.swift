package import MeshpipeBase
package import MeshpipeScene
import POSIX

/// The movement that brings one scan onto another one from anywhere, or why there is none that can be trusted.
///
/// Scans know which way is down, so that only a turn about the vertical and a translation are searched, both exhaustively:
/// turns under which walls look the same ways, and for each the translations under which most samples lie on each other.
/// The best are refined by iterative closest points, with all six degrees of freedom. The overlap is found, not given.
///
/// A wrong place costs more than one that is refused: it is refused where the other scan shows free space in the place of a
/// surface, where another place is nearly as good, and where the surfaces slide along each other.
package struct SurfaceRegistration: Sendable {
  /// From the coordinates of the second scan to those of the first.
  package private(set) var transform = Transform.identity
  /// The share of the smaller scan that is also on the other one.
  package private(set) var overlap = 0.0
  /// The median distance of the samples of the overlap from the other surface, in units of the scans.
  package private(set) var residual = 0.0
  package private(set) var verdict = Verdict.isApart
  /// How much speaks for it, in samples.
  private(set) var score = 0.0
  /// How much speaks for the next best other place that does not contradict, as a share.
  package private(set) var rival = 0.0
  /// Of what is decided, the share that agrees.
  package private(set) var agreement = 0.0
  /// What holds it, thinned, for an adjustment of several; each where its scan has it.
  private(set) var matches: [SurfaceMatches.Match] = []
  /// The distance of the samples at last, in units of the scans.
  private(set) var cellSize = 0.0

  /// Whether a movement can be trusted.
  package enum Verdict: Sendable, Equatable {
    case fits
    /// No place has enough in common.
    case isApart
    /// In the best place the one has surfaces where the other shows free space.
    case contradicts
    /// Another place is nearly as good: a room that looks alike from two sides.
    case isAmbiguous
    /// The surfaces slide along a direction, as those of a corridor without ends.
    case slides
  }

  /// Samples of the larger scan, and at least of the smaller one, at first.
  private static let (samples, fewestSamples, mostSamples) = (4000.0, 700.0, 20_000.0)
  /// Candidates that are refined with few samples, and of these with all.
  private static let (pursued, finalists) = (40, 6)
  /// The distance of two surfaces that are one, in cells.
  static let tolerance: Float = 0.6
  private static let (fewSamples, someSamples) = (400, 1200)
  private static let keptMatches = 3000
  /// What a place must have at least.
  private static let (leastOverlap, leastMatches, leastAgreement) = (0.08, 150, 0.95)
  /// The share of its weakest direction in what holds it.
  private static let leastHold = 0.02
  /// Distances that come by chance are spread evenly up to the tolerance, with a median of a half of it.
  private static let mostResidual = 0.4
  private static let mostRival = 0.6
  /// A scan that leans more than this is not upright, in radians.
  private static let mostTilt = 0.15

  /// - Parameter check: Throws to end it early.
  package init(
    of second: RegisteredSurface, onto first: RegisteredSurface, check: () throws(Cancelled) -> Void
  ) throws(Cancelled) {
    guard !first.isEmpty, !second.isEmpty else { return }
    let size = Self.cellSize(first, second)
    let (own, other) = (SurfaceCells(first, size: size), SurfaceCells(second, size: size))
    var found = try Self.candidates(own, other, check)
    found = Parallel.map(count: found.count) { [found] index in
      Self.refined(
        found[index].transform, own, other, rounds: 12, tolerance: Self.tolerance,
        limit: Self.someSamples)
    }
    try check()
    found = Self.distinct(found, apart: size, radius: second.box.extent / 2)
    let (finerOwn, finerOther) = (
      SurfaceCells(first, size: size / 2), SurfaceCells(second, size: size / 2)
    )
    found = Parallel.map(count: min(found.count, Self.finalists)) { [found] index in
      Self.refined(
        found[index].transform, finerOwn, finerOther, rounds: 40, tolerance: Self.tolerance)
    }
    try check()
    found = Self.distinct(found, apart: size, radius: second.box.extent / 2)
    guard let best = found.first else { return }
    // A place that contradicts is none, however much of it agrees.
    let others = found.dropFirst().filter { $0.agreement >= Self.leastAgreement }
    rival = best.score > 0 ? max(others.first?.score ?? 0, 0) / best.score : 0
    judge(best, finerOwn, finerOther)
    transform = (first.frame.inverse ?? .identity) * best.transform * second.frame
  }

  /// Judges a movement that was found otherwise.
  package init(
    of second: RegisteredSurface, onto first: RegisteredSurface, movedBy transform: Transform
  ) {
    guard !first.isEmpty, !second.isEmpty else { return }
    let size = Self.cellSize(first, second) / 2
    let inCells = first.frame * transform * (second.frame.inverse ?? .identity)
    let (own, other) = (SurfaceCells(first, size: size), SurfaceCells(second, size: size))
    let matches = SurfaceMatches(own, other, inCells, within: Self.tolerance * size)
    judge(Candidate(inCells, by: matches), own, other)
    self.transform = transform
  }

  /// Whether there were samples enough to tell.
  package var isJudged: Bool { cellSize > 0 }

  /// The distance within which two surfaces were taken to be one, in units of the scans.
  package var tolerance: Double { Double(Self.tolerance) * cellSize }

  /// The distance of the samples: the same for both, and such that the smaller one has enough.
  static func cellSize(_ first: RegisteredSurface, _ second: RegisteredSurface) -> Float {
    let (large, small) = (max(first.area, second.area), min(first.area, second.area))
    let usual = (large / samples).squareRoot()
    let size = max(
      min(usual, (small / fewestSamples).squareRoot()), (large / mostSamples).squareRoot())
    // Few faces in a wide space would make very many empty cells.
    return max(Float(size), max(first.box.extent, second.box.extent) / 128)
  }

  private struct Candidate {
    var transform: Transform
    var score: Double
    /// See ``SurfaceMatches/agreement``.
    var agreement: Double

    init(_ transform: Transform, by matches: SurfaceMatches) {
      (self.transform, score) = (transform, matches.score(transform))
      agreement = matches.agreement
    }
  }

  /// The best places of an exhaustive search.
  private static func candidates(
    _ first: SurfaceCells, _ second: SurfaceCells, _ check: () throws(Cancelled) -> Void
  ) throws(Cancelled) -> [Candidate] {
    let votes = TranslationVotes(onto: .init(first), cell: 1.5 * first.size)
    let voters = TranslationVotes.Voters(second)
    let angles = YawCandidates.find(first, second)
    let found = Parallel.map(count: angles.count) { index in
      let turn = Transform(rotationAbout: SIMD3(0, 0, 1), by: angles[index])
      return votes.translations(of: voters, turnedBy: turn).map { translation in
        let transform = Transform(translation: translation) * turn
        let matches = SurfaceMatches(
          first, second, transform, within: first.size, limit: fewSamples)
        return Candidate(transform, by: matches)
      }
    }
    try check()
    let best = found.flatMap(\.self).sorted { $0.score > $1.score }.prefix(pursued).map(\.self)
    return Parallel.map(count: best.count) { climbed(best[$0], first, second) }
  }

  private static func refined(
    _ start: Transform, _ first: SurfaceCells, _ second: SurfaceCells, rounds: Int,
    tolerance: Float,
    limit: Int = .max
  ) -> Candidate {
    let refinement = SurfaceRefinement(first, second, from: start, rounds: rounds, limit: limit)
    let transform = refinement.transform
    let matches = SurfaceMatches(
      first, second, transform, within: tolerance * first.size, limit: limit)
    return Candidate(transform, by: matches)
  }

  private static let mostSteps = 6

  /// The best place that steps of a cell reach: what holds it along a wall may be little, and its votes few.
  private static func climbed(
    _ start: Candidate, _ first: SurfaceCells, _ second: SurfaceCells
  ) -> Candidate {
    var best = start
    for _ in 0..<mostSteps {
      var next = best
      for axis in 0..<3 {
        for direction in [-1.0, 1] {
          var transform = best.transform
          transform.translation[axis] += direction * Double(first.size)
          let matches = SurfaceMatches(
            first, second, transform, within: first.size, limit: fewSamples)
          let moved = Candidate(transform, by: matches)
          if moved.score > next.score { next = moved }
        }
      }
      if next.score == best.score { return best }
      best = next
    }
    return best
  }

  /// The candidates that are not the same place as a better one, the best first.
  private static func distinct(_ all: [Candidate], apart: Float, radius: Float) -> [Candidate] {
    var kept: [Candidate] = []
    for candidate in all.sorted(by: { $0.score > $1.score }) {
      let isKnown = kept.contains { known in
        let points = [SIMD3<Double>.zero, SIMD3(Double(radius), 0, 0), SIMD3(0, Double(radius), 0)]
        return points.allSatisfy {
          (known.transform.apply(toPoint: $0) - candidate.transform.apply(toPoint: $0)).length
            < 2 * Double(apart)
        }
      }
      if !isKnown { kept.append(candidate) }
    }
    return kept
  }

  private mutating func judge(_ best: Candidate, _ first: SurfaceCells, _ second: SurfaceCells) {
    let matches = SurfaceMatches(
      first, second, best.transform, within: Self.tolerance * first.size)
    let residuals = matches.residuals(best.transform)
    let tolerance = Double(Self.tolerance * first.size)
    (score, overlap, agreement) = (best.score, matches.overlap, matches.agreement)
    (self.matches, cellSize) = (
      matches.matches.evenly(atMost: Self.keptMatches), Double(first.size)
    )
    residual = residuals.median() ?? 0
    let hold = matches.hold(best.transform).lengths
    let isUpright = best.transform.z.z > cos(Self.mostTilt)
    if matches.matches.count < Self.leastMatches || overlap < Self.leastOverlap || !isUpright {
      verdict = .isApart
    } else if agreement < Self.leastAgreement || residual > Self.mostResidual * tolerance {
      verdict = .contradicts
    } else if hold.min() < Self.leastHold * hold.sum() {
      verdict = .slides
    } else if rival > Self.mostRival {
      verdict = .isAmbiguous
    } else {
      verdict = .fits
    }
  }
}
