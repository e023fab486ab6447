import MeshPipeline
import SurfaceKernels

// What a solid's report says of parts that nothing carries.

extension MakeSolid {
  /// A share of the volume that is much to lose.
  private static let muchVolume = 0.1

  /// Notes and warns of parts that nothing carries.
  func tell(
    of result: SolidMaking.Result, _ system: CoordinateSystem, to context: StageContext
  ) {
    let parts = result.floating
    context.note("floatingParts", parts.remaining.json)
    if parts.joined > 0 { context.note("joinedParts", parts.joined.json) }
    if parts.dropped > 0 {
      context.note("droppedParts", parts.dropped.json)
      context.note("droppedVolume", parts.droppedShare.json(digits: 4))
    }
    if parts.joined > 0 {
      context.warn(
        "\(Self.text(parts.joined)) in mid-air \(Self.verb(parts.joined)) joined by bars, which the scan does not have"
      )
    }
    if parts.dropped > 0 {
      let extent = Length(units: parts.droppedExtent, in: system).meters * 1000
      let share = NumberText.fixed(100 * parts.droppedShare, digits: 1)
      let isMuch = parts.droppedShare > Self.muchVolume
      let much = isMuch ? ", which is much of it: look at the result" : ""
      context.warn(
        """
        \(Self.text(parts.dropped)) in mid-air, up to \(NumberText.fixed(extent, digits: 1)) mm long and \
        \(share)% of the volume, \(Self.verb(parts.dropped)) left out\(much); 'floating' of 'join' adds bars instead
        """)
    }
    if parts.remaining > 0 {
      context.warn(
        """
        \(Self.text(parts.remaining)) in mid-air, which only a slicer's supports can carry; 'floating' of 'join' \
        adds bars, 'drop' leaves out
        """)
    }
  }

  private static func text(_ count: Int) -> String { count == 1 ? "1 part" : "\(count) parts" }
  private static func verb(_ count: Int) -> String { count == 1 ? "was" : "were" }
}

extension MakeSolid.Floating {
  /// The kernel's.
  var kernel: SolidMaking.Floating {
    switch self {
    case .auto: .auto
    case .drop: .drop
    case .join: .join
    case .keep: .keep
    }
  }
}

extension SolidMaking.FloatingParts {
  /// For a summary, such as `, in mid-air: 2 joined, 1 left out`; empty if there were none.
  var words: String {
    let parts = [(joined, "joined"), (dropped, "left out"), (remaining, "still there")]
    let words = parts.filter { $0.0 > 0 }.map { "\($0) \($1)" }
    return words.isEmpty ? "" : ", in mid-air: " + words.joined(separator: ", ")
  }
}
