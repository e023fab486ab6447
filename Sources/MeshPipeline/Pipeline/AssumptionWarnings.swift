import MeshpipeScene

/// Warns once of each doubtful assumption about the input, as soon as something acts on it.
struct AssumptionWarnings {
  /// What is done with a part of the input whose meaning is doubtful, with the warning that belongs to it.
  struct Act: Sendable, Equatable, Codable {
    var aspect: Interpretation.Aspect
    var warning: String
  }

  private var told: Set<Interpretation.Aspect> = []

  /// The warnings of what was not warned of yet.
  mutating func warnings(of acts: [Act]) -> [String] {
    acts.filter { told.insert($0.aspect).inserted }.map(\.warning)
  }

  /// What a stage does with a doubtful input.
  ///
  /// - Parameters:
  ///   - actor: The stage in words, as in other messages.
  ///   - usesClasses: Whether it chooses by class, and names none that the input has.
  static func acts(
    ofStage actor: String, usingClasses usesClasses: Bool, on interpretation: Interpretation,
    from before: CoordinateSystem, to after: CoordinateSystem
  ) -> [Act] {
    var acts: [Act?] = []
    if before.up != after.up {
      acts.append(act(on: .axes, in: interpretation, "\(actor) turns it"))
    }
    if before.metersPerUnit != after.metersPerUnit {
      acts.append(act(on: .unit, in: interpretation, "\(actor) converts it"))
    }
    if usesClasses {
      acts.append(act(on: .classes, in: interpretation, "\(actor) finds none of them by name"))
    }
    return acts.compactMap { $0 }
  }

  /// What an output does with a doubtful input.
  static func acts(
    ofOutput format: FormatWriter, on interpretation: Interpretation,
    from before: CoordinateSystem, to after: CoordinateSystem
  ) -> [Act] {
    var (up, declaresUnit) = (after.up, false)
    switch format.axes {
    case .fixed(let system): (up, declaresUnit) = (system.up, true)
    case .declared: declaresUnit = true
    case .undeclared: break
    }
    let isModel = !format.keeps.isDisjoint(with: [.faces, .points])
    var acts: [Act?] = []
    if isModel, before.up != up {
      acts.append(
        act(
          on: .axes, in: interpretation,
          "\(format.name) has \(up.rawValue.uppercased()) up, so that it is turned"))
    }
    if isModel, declaresUnit {
      acts.append(
        act(on: .unit, in: interpretation, "\(format.name) says so of its numbers"))
    }
    return acts.compactMap { $0 }
  }

  private static func act(
    on aspect: Interpretation.Aspect, in interpretation: Interpretation, _ consequence: String
  ) -> Act? {
    guard let answer = interpretation[aspect], answer.isDoubtful else { return nil }
    if answer.source == .option {
      return Act(
        aspect: aspect,
        warning: "the input is in \(answer.value), as \(answer.option) says, but \(answer.reason); "
          + consequence)
    }
    let wayOut = answer.option.isEmpty ? "" : "; \(answer.option) says what it is"
    return Act(
      aspect: aspect,
      warning: "assumed of the input: \(answer.value) (\(answer.reason)); \(consequence)\(wayOut)")
  }
}
