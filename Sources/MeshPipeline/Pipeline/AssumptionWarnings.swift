import MeshpipeScene

/// Warns once of each doubtful assumption about the input, as soon as something acts on it.
struct AssumptionWarnings {
  /// Those that were warned of.
  private(set) var told: Set<Interpretation.Aspect> = []

  /// Takes note of warnings that were told without asking here.
  mutating func didTell(_ aspects: [Interpretation.Aspect]) { told.formUnion(aspects) }

  /// The warnings for a stage.
  ///
  /// - Parameters:
  ///   - actor: The stage in words, as in other messages.
  ///   - usesClasses: Whether it chooses by class, and names none that the input has.
  mutating func warnings(
    ofStage actor: String, usingClasses usesClasses: Bool, on interpretation: Interpretation,
    from before: CoordinateSystem, to after: CoordinateSystem
  ) -> [String] {
    var warnings: [String?] = []
    if before.up != after.up {
      warnings.append(warning(of: .axes, in: interpretation, "\(actor) turns it"))
    }
    if before.metersPerUnit != after.metersPerUnit {
      warnings.append(warning(of: .unit, in: interpretation, "\(actor) converts it"))
    }
    if usesClasses {
      warnings.append(
        warning(of: .classes, in: interpretation, "\(actor) finds none of them by name"))
    }
    return warnings.compactMap { $0 }
  }

  /// The warnings for an output.
  mutating func warnings(
    ofOutput format: FormatWriter, on interpretation: Interpretation,
    from before: CoordinateSystem, to after: CoordinateSystem
  ) -> [String] {
    var (up, declaresUnit) = (after.up, false)
    switch format.axes {
    case .fixed(let system): (up, declaresUnit) = (system.up, true)
    case .declared: declaresUnit = true
    case .undeclared: break
    }
    let isModel = !format.keeps.isDisjoint(with: [.faces, .points])
    var warnings: [String?] = []
    if isModel, before.up != up {
      warnings.append(
        warning(
          of: .axes, in: interpretation,
          "\(format.name) has \(up.rawValue.uppercased()) up, so that it is turned"))
    }
    if isModel, declaresUnit {
      warnings.append(
        warning(of: .unit, in: interpretation, "\(format.name) says so of its numbers"))
    }
    return warnings.compactMap { $0 }
  }

  private mutating func warning(
    of aspect: Interpretation.Aspect, in interpretation: Interpretation, _ consequence: String
  ) -> String? {
    guard let answer = interpretation[aspect], answer.isDoubtful, told.insert(aspect).inserted
    else { return nil }
    if answer.source == .option {
      return "the input is in \(answer.value), as \(answer.option) says, but \(answer.reason); "
        + consequence
    }
    let wayOut = answer.option.isEmpty ? "" : "; \(answer.option) says what it is"
    return "assumed of the input: \(answer.value) (\(answer.reason)); \(consequence)\(wayOut)"
  }
}
