extension Condition {
  /// Why the condition does not hold for a scene: `there are no frames`, `faces is 12`.
  ///
  /// Of parts that are joined by `and` those that hold are left out.
  public func shortfall(in scene: borrowing Scene) -> String {
    var parts: [String] = []
    root.collectShortfall(into: &parts, scene)
    return parts.isEmpty ? "'\(text)' does not hold" : parts.joined(separator: ", ")
  }
}

extension Condition.Node {
  fileprivate func collectShortfall(into parts: inout [String], _ scene: borrowing Scene) {
    switch self {
    case .constant: break
    case .has(let feature): parts.append("there is no \(feature.words)".pluralized(feature))
    case .and(let left, let right):
      if !left.holds(for: scene) { left.collectShortfall(into: &parts, scene) }
      if !right.holds(for: scene) { right.collectShortfall(into: &parts, scene) }
    case .or(let left, let right):
      left.collectShortfall(into: &parts, scene)
      right.collectShortfall(into: &parts, scene)
    case .not(.has(let feature)): parts.append("there is \(feature.words)".pluralized(feature))
    case .not, .compare: collect(into: &parts, scene)
    }
  }
}

extension String {
  /// The sentence with the number that the feature's word has.
  fileprivate func pluralized(_ feature: SceneFeature) -> String {
    feature == .classification ? self : replacing("there is", with: "there are", maxReplacements: 1)
  }
}
