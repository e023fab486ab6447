import MeshpipeKit

/// Where aligned scans were put, one line for each, from the figures of the run.
enum AlignmentText {
  /// Such as `b.obj: turned 37.2° about the vertical, moved 4.12 m; overlap 43 %, residual 6.1 mm`.
  static func lines(_ notes: [StageContext.Note]) -> [String] {
    let scans = notes.filter { $0.key == "alignment" }.flatMap { $0.value.elements }
    return scans.compactMap { scan in
      guard let name = scan["scan"]?.text, let turn = scan["turn"]?.number,
        let shift = scan["shift"]?.number, let overlap = scan["overlap"]?.number,
        let residual = scan["residual"]?.number
      else { return nil }
      let degrees = NumberText.fixed(abs(turn), digits: 1)
      return "\(name): turned \(degrees)° about the vertical, moved \(length(shift)); "
        + "overlap \(NumberText.fixed(100 * overlap, digits: 0)) %, residual \(length(residual))"
    }
  }

  private static func length(_ meters: Double) -> String {
    meters < 0.1
      ? NumberText.fixed(meters * 1000, digits: 1) + " mm"
      : NumberText.fixed(meters, digits: 2) + " m"
  }
}
