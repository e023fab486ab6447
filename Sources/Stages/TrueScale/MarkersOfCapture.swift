import MeshPipeline
import NativeLibraries
import Photogrammetry

/// The printed markers that the photographs of a capture show, each at its place in the scene.
struct MarkersOfCapture {
  let sightings: MarkerSightings
  /// In order of their names; those that moved are left out.
  let markers: [LocatedMarker]

  /// Markers with residuals above this many pixels, and this many times the typical, have moved.
  private static let moved = (pixels: 3.0, factor: 4.0)

  /// Looks for the markers, and says what was wrong with them.
  ///
  /// - Throws: A ``ScaleFailure`` if there is none with a place.
  init(
    of dictionaries: [MarkerDictionary], _ frames: [Capture.Frame], in context: StageContext,
    _ progress: (Double) throws -> Void
  ) throws {
    sightings = try Self.sightings(of: dictionaries, frames, in: context, progress)
    markers = try Self.located(sightings, frames, in: context)
  }

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
      context.warn("\(names.text) can't be read and shows no markers: \(first.reason)")
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
}
