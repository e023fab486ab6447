import MeshPipeline
import NativeLibraries
import Photogrammetry

/// The true scale of a scene, measured from what is known of it.
struct ScaleMeasurement {
  let estimate: ScaleEstimate
  let markers: [LocatedMarker]
  /// What photographs show of markers; nil if none were looked for.
  let sightings: MarkerSightings?
  /// The clues, in the order of the options.
  private let references: [Reference]

  /// Something known, with its words for messages.
  struct Reference {
    var clue: ScaleClue
    /// `markers of 17 mm`.
    var name: String
  }

  /// The difference of two clues that contradict each other, as a share and in standard deviations.
  private static let contradiction = (share: 0.015, deviations: 3.0)

  /// Looks for the markers, and says what was wrong with them.
  ///
  /// - Throws: A ``ScaleFailure`` if the scale is not determined, or can't be what is meant.
  init(
    _ known: KnownSizes, _ scene: borrowing Scene, in context: StageContext,
    progress: (Double) throws -> Void
  ) throws {
    let references = try known.references(in: scene)
    let frames = scene.capture?.frames ?? []
    let dictionaries = known.dictionaries
    let found =
      dictionaries.isEmpty
      ? nil : try MarkersOfCapture(of: dictionaries, frames, in: context, progress)
    let (markers, sightings) = (found?.markers ?? [], found?.sightings)
    guard
      let estimate = ScaleEstimate(
        references.map(\.clue), markers, sightings, frames,
        metersPerUnit: scene.coordinateSystem.metersPerUnit)
    else { throw ScaleFailure.nothingMeasured(references.map(\.name)) }
    (self.estimate, self.markers, self.sightings) = (estimate, markers, sightings)
    self.references = references
    warn(in: context)
    try refuseContradiction()
    try refuseImplausible(known.maximumChange)
  }

  // MARK: What is wrong with it

  private func warn(in context: StageContext) {
    let used = Set(estimate.parts.map(\.clue))
    for index in references.indices where !used.contains(index) {
      context.warn("nothing was found of \(references[index].name)")
    }
    for part in estimate.parts where !part.outliers.isEmpty {
      context.warn(
        "these are not \(references[part.clue].name), as the others are, and are left out: "
          + MarkersOfCapture.text(part.outliers))
    }
  }

  private func refuseContradiction() throws {
    guard let low = estimate.parts.min(by: { $0.scale < $1.scale }),
      let high = estimate.parts.max(by: { $0.scale < $1.scale })
    else { return }
    let deviation =
      (low.deviation * low.deviation + high.deviation * high.deviation).squareRoot()
    let difference = high.scale - low.scale
    guard difference > Self.contradiction.share * estimate.scale,
      difference > Self.contradiction.deviations * deviation
    else { return }
    throw ScaleFailure.contradiction(
      estimate.parts.map { "\(references[$0.clue].name) \(Self.text($0.scale))" })
  }

  private func refuseImplausible(_ maximumChange: Double) throws {
    let change = max(estimate.scale, 1 / estimate.scale) - 1
    guard maximumChange > 0, change > maximumChange else { return }
    throw ScaleFailure.implausible(summary, scale: estimate.scale)
  }

  // MARK: Words

  /// Half of the interval that holds the truth with 95 % probability.
  var uncertainty: Double { 2 * estimate.deviation }

  /// `1.0152`.
  static func text(_ scale: Double) -> String {
    scale > 0.1 && scale < 10
      ? NumberText.fixed(scale, digits: 4) : NumberText.shortest((scale * 1e4).rounded() / 1e4)
  }

  /// `scale 1.0152 ± 0.0021 from 44 markers of 17 mm in 31 photographs`.
  var summary: String {
    let sources = estimate.parts.map { part in
      let name = references[part.clue].name
      return part.count > 2 || !name.hasPrefix("the distance") ? "\(part.count) \(name)" : name
    }
    var text =
      "scale \(Self.text(estimate.scale)) ± \(Self.text(uncertainty)) from "
      + sources.joined(separator: " and ")
    if !seeing.isEmpty { text += " in \(seeing.count) photographs" }
    return text
  }

  private var seeing: Set<Int> { Set(markers.flatMap(\.frames)) }

  /// Adds the figures to the report.
  func note(to context: StageContext) {
    context.note("summary", summary.json)
    context.note("scaleFactor", estimate.scale.json(digits: 6))
    context.note("scaleUncertainty", uncertainty.json(digits: 6))
    let parts = estimate.parts.map { part in
      JSONValue(
        .object([
          .init("of", references[part.clue].name.json), .init("count", part.count.json),
          .init("scale", part.scale.json(digits: 6)),
          .init("uncertainty", (2 * part.deviation).json(digits: 6)),
        ]))
    }
    context.note("references", JSONValue(.array(parts)))
    guard sightings != nil else { return }
    context.note("markers", markers.count.json)
    context.note("markerPhotographs", seeing.count.json)
    if let residual = markers.map(\.residual).median() {
      context.note("markerResidualPixels", residual.json(digits: 3))
    }
  }
}
