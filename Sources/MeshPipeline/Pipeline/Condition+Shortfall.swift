import MeshpipeScene

extension Condition {
  /// Why the condition is false for a scene: `there are no frames`, `faces is 12`; nil if it is true.
  ///
  /// Parts joined by `and` that are true are omitted.
  func shortfallIfFalse(in scene: borrowing Scene) -> String? {
    let measured = MeasuredScene(copy scene)
    guard !root.holds(for: measured) else { return nil }
    var parts: [String] = []
    root.collectShortfall(into: &parts, measured)
    return parts.isEmpty ? "'\(text)' is false" : parts.joined(separator: ", ")
  }
}

extension Condition.Node {
  fileprivate func collectShortfall(into parts: inout [String], _ scene: MeasuredScene) {
    switch self {
    case .constant: break
    case .has(let feature): parts.append("there \(feature.verb) no \(feature.words)")
    case .and(let left, let right):
      if !left.holds(for: scene) { left.collectShortfall(into: &parts, scene) }
      if !right.holds(for: scene) { right.collectShortfall(into: &parts, scene) }
    case .or(let left, let right):
      left.collectShortfall(into: &parts, scene)
      right.collectShortfall(into: &parts, scene)
    case .not(.has(let feature)): parts.append("there \(feature.verb) \(feature.words)")
    case .holds(let measure): parts.append("it is not \(measure.name)")
    case .not, .compare: collect(into: &parts, scene)
    }
  }
}

extension SceneFeature {
  /// The verb that agrees with the feature's words.
  fileprivate var verb: String { self == .classification ? "is" : "are" }
}
