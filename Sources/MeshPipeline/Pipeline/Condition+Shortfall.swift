import MeshpipeScene

extension Condition {
  /// Why the condition is false for a scene: `there are no frames`, `faces is 12`; nil if it is true.
  ///
  /// Of parts joined by `and` the first one that is false tells enough: without frames there is no measure of
  /// frames either. A condition that no scene can make true is ``ruledOut``.
  func shortfallIfFalse(in scene: borrowing Scene) -> String? {
    let measured = MeasuredScene(copy scene)
    guard !root.holds(for: measured) else { return nil }
    var parts: [String] = []
    root.collectShortfall(into: &parts, measured)
    return parts.isEmpty ? Self.ruledOut : parts.joined(separator: ", ")
  }

  /// Why a condition is false that compares only the values of variables: `'scan' == 'depth'`.
  static let ruledOut = "ruled out by variables"
}

extension Condition.Node {
  fileprivate func collectShortfall(into parts: inout [String], _ scene: MeasuredScene) {
    switch self {
    case .constant: break
    case .has(let feature): parts.append("there \(feature.verb) no \(feature.words)")
    case .and(let left, let right):
      (left.holds(for: scene) ? right : left).collectShortfall(into: &parts, scene)
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
