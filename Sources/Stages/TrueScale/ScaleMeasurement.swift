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

  /// Markers with residuals above this many pixels, and this many times the typical, have moved.
  private static let moved = (pixels: 3.0, factor: 4.0)
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
    var markers: [LocatedMarker] = []
    var sightings: MarkerSightings?
    if !dictionaries.isEmpty {
      let found = try Self.sightings(of: dictionaries, frames, in: context, progress)
      markers = try Self.located(found, frames, in: context)
      sightings = found
    }
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

  // MARK: Markers

  private static func sightings(
    of dictionaries: [MarkerDictionary], _ frames: [Capture.Frame], in context: StageContext,
    _ progress: (Double) throws -> Void
  ) throws -> MarkerSightings {
    guard !frames.isEmpty else { throw ScaleFailure.noPhotographs }
    let found = try MarkerSightings(of: dictionaries, in: frames, from: context.frameStore) {
      try progress(0.9 * $0)
    }
    if let first = found.unreadable.first {
      let names = FrameNames(found.unreadable.map(\.frame))
      context.warn("\(names.text) can't be read and tells nothing of the scale: \(first.reason)")
    }
    if !found.repeated.isEmpty {
      context.warn(
        "several markers have the number \(text(found.repeated.sorted())) and are left out, since nothing tells them "
          + "apart; print each number once")
    }
    guard found.sightings.isEmpty else { return found }
    if !found.repeated.isEmpty { throw ScaleFailure.allRepeated(dictionaries) }
    let others = try MarkerSightings.survey(frames, from: context.frameStore) {
      try progress(0.9 + 0.1 * $0)
    }
    throw ScaleFailure.noMarkers(
      dictionaries, photographs: found.photographs, unclear: found.unclear,
      others: others.map(\.dictionary).filter { !dictionaries.contains($0) })
  }

  /// The markers with a place; those that moved are left out.
  private static func located(
    _ sightings: MarkerSightings, _ frames: [Capture.Frame], in context: StageContext
  ) throws -> [LocatedMarker] {
    let (markers, faults) = sightings.located(in: frames)
    let still = faults.filter { $0.fault == .seenFromOnePlace }.map(\.name)
    let typical = markers.map(\.disagreement).median() ?? 0
    let limit = max(moved.pixels, moved.factor * typical)
    let moving =
      faults.filter { $0.fault == .moves }.map(\.name)
      + markers.filter { $0.disagreement > limit }.map(\.name)
    guard markers.contains(where: { $0.disagreement <= limit }) else {
      throw moving.isEmpty
        ? ScaleFailure.seenFromOnePlace(text(still)) : ScaleFailure.moving(text(moving.sorted()))
    }
    if !still.isEmpty {
      context.warn(
        "markers that photographs show from one place only are left out: \(text(still)); photograph each from two "
          + "places at least")
    }
    if !moving.isEmpty {
      context.warn(
        "markers that are elsewhere in other photographs are left out: \(text(moving.sorted())); fix markers to what "
          + "does not move, or refine the poses with 'refine-poses' first")
    }
    return markers.filter { $0.disagreement <= limit }
  }

  /// The numbers of markers: `3, 5 and 12 more`.
  static func text(_ names: [MarkerName]) -> String {
    let shown = names.prefix(8).map { String($0.identifier) }.joined(separator: ", ")
    return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
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
          + Self.text(part.outliers))
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
