import MeshPipeline
import Photogrammetry

/// What a capture's description says wrongly of its steps and of what was measured.
struct ManifestCheck {
  /// A sentence on each, with its place.
  private(set) var faults: [String]

  /// How a statement is compared with a gate.
  private struct Rule {
    let gate: GateKind
    /// What of the gate's readings the statement is about.
    let words: String
    let value: ([Double]) -> Double?
    /// How far both may be apart.
    let tolerance: Double
    var digits = 2
  }

  init(_ recipe: Capture.Recipe, _ gates: [CaptureGate]) {
    faults = recipe.faults
    for claim in recipe.claims {
      if claim.subject == .passed {
        compareVerdict(claim, gates)
      } else if let rule = Self.rule(for: claim.subject),
        let gate = gates.first(where: { $0.name == rule.gate.rawValue })
      {
        compare(claim, with: gate, by: rule)
      }
    }
  }

  private static func rule(for subject: Capture.Recipe.Claim.Subject) -> Rule? {
    switch subject {
    case .lockRotation:
      Rule(gate: .lockTurn, words: "the greatest", value: { $0.max() }, tolerance: 0.1)
    case .lockTranslation:
      Rule(gate: .lockShift, words: "the greatest", value: { $0.max() }, tolerance: 0.5)
    case .barrierFraction:
      Rule(gate: .barrier, words: "the median", value: { $0.median() }, tolerance: 0.05)
    case .separation:
      Rule(gate: .separation, words: "the median", value: { $0.median() }, tolerance: 10, digits: 0)
    case .dwell:
      Rule(gate: .shortDwell, words: "the shortest", value: { $0.min() }, tolerance: 0.25)
    case .passed: nil
    }
  }

  private mutating func compare(
    _ claim: Capture.Recipe.Claim, with gate: CaptureGate, by rule: Rule
  ) {
    let said = NumberText.fixed(claim.value, digits: rule.digits)
    guard let found = rule.value(gate.readings.map(\.value)) else {
      faults.append(
        "\(claim.place): '\(claim.subject.rawValue)' is \(said), which nothing in the capture confirms: it needs "
          + rule.gate.rule.needs)
      return
    }
    guard !(abs(found - claim.value) <= rule.tolerance) else { return }
    faults.append(
      "\(claim.place): '\(claim.subject.rawValue)' is \(said), but \(NumberText.fixed(found, digits: rule.digits)) "
        + "was measured, \(rule.words) of \(gate.readings.count) \(rule.gate.rule.subject)")
  }

  /// Whether the capture is good; only what was hidden is judged by the same rules as in the description.
  private mutating func compareVerdict(_ claim: Capture.Recipe.Claim, _ gates: [CaptureGate]) {
    guard gates.contains(where: { $0.name == GateKind.barrier.rawValue }) else { return }
    let refusing = gates.filter(\.refuses).map(\.name)
    guard (claim.value == 1) != refusing.isEmpty else { return }
    faults.append(
      claim.value == 1
        ? "\(claim.place): 'passed' is true, but the capture fails at \(refusing.joined(separator: ", "))"
        : "\(claim.place): 'passed' is false, but the capture fails at no gate")
  }
}
