import MeshpipeBase
package import MeshpipeScene

/// How much larger things truly are than in a scene, by all that is known of their sizes.
package struct ScaleEstimate: Sendable {
  /// What one clue says.
  package struct Part: Sendable {
    /// The position of the clue.
    package let clue: Int
    package let scale: Double
    /// The standard deviation of ``scale``.
    package let deviation: Double
    /// The markers, or ends of a distance, that it comes from.
    package let count: Int
    /// Markers that have another size than most.
    package let outliers: [MarkerName]
  }

  /// By which the scene has to be multiplied.
  package let scale: Double
  /// The standard deviation of ``scale``: that of the parts together, and how much it varies when some of the
  /// photographs are left out.
  package let deviation: Double
  package let parts: [Part]

  /// The parts into which a capture is cut, each of which is left out once.
  private static let blocks = 8
  /// No part is more certain than this, as a share: neither are prints, nor corners of markers of 40 pixels.
  private static let leastDeviation = 0.001

  /// Estimates the scale from clues; nil if nothing of them was found.
  ///
  /// The uncertainty is a jackknife over blocks of neighbouring frames (Künsch, "The jackknife and the bootstrap for
  /// general stationary observations", 1989), since poses of neighbours have the same errors.
  ///
  /// - Parameters:
  ///   - markers: Located with all frames, of which those that moved are left out.
  package init?(
    _ clues: [ScaleClue], _ markers: [LocatedMarker], _ sightings: MarkerSightings?,
    _ frames: [Capture.Frame], metersPerUnit: Double
  ) {
    guard let (scale, parts) = Self.combined(clues, markers, metersPerUnit) else { return nil }
    self.scale = scale
    self.parts = parts
    let within =
      1 / parts.reduce(0) { $0 + Self.weight(of: $1.deviation / $1.scale) }.squareRoot() * scale
    let without = Self.withoutBlocks(clues, markers, sightings, frames, metersPerUnit)
    deviation = (within * within + Self.jackknifed(without)).squareRoot()
  }

  private static func weight(of relative: Double) -> Double {
    1 / (relative * relative + leastDeviation * leastDeviation)
  }

  /// The mean of the clues, weighted by their certainty.
  private static func combined(
    _ clues: [ScaleClue], _ markers: [LocatedMarker], _ metersPerUnit: Double
  ) -> (scale: Double, parts: [Part])? {
    var parts: [Part] = []
    for (index, clue) in clues.enumerated() {
      guard let finding = clue.finding(markers, metersPerUnit: metersPerUnit),
        finding.scale.isFinite, finding.scale > 0
      else { continue }
      parts.append(
        Part(
          clue: index, scale: finding.scale, deviation: finding.deviation, count: finding.count,
          outliers: finding.outliers))
    }
    var (sum, weights) = (0.0, 0.0)
    for part in parts {
      let weight = weight(of: part.deviation / part.scale)
      sum += weight * part.scale
      weights += weight
    }
    return weights > 0 ? (sum / weights, parts) : nil
  }

  /// The scales without one block of frames each.
  private static func withoutBlocks(
    _ clues: [ScaleClue], _ markers: [LocatedMarker], _ sightings: MarkerSightings?,
    _ frames: [Capture.Frame], _ metersPerUnit: Double
  ) -> [Double] {
    guard let sightings else { return [] }
    let names = Set(markers.map(\.name))
    let seeing = Set(sightings.sightings.map(\.frame)).sorted()
    let count = min(blocks, seeing.count / 2)
    guard count > 2 else { return [] }
    return Parallel.map(count: count) { block -> Double in
      let left = Set(seeing[block * seeing.count / count..<(block + 1) * seeing.count / count])
      let located = sightings.located(in: frames) { !left.contains($0) }.markers
      let known = located.filter { names.contains($0.name) }
      return combined(clues, known, metersPerUnit)?.scale ?? .nan
    }.filter(\.isFinite)
  }

  /// The variance of an estimate from those without one block each.
  private static func jackknifed(_ scales: [Double]) -> Double {
    guard scales.count > 2 else { return 0 }
    let count = Double(scales.count)
    let mean = scales.reduce(0, +) / count
    return scales.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } * (count - 1) / count
  }
}
