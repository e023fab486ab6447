import MeshPipeline
import Stages

/// Lists the stages, or explains one.
enum StagesVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let registry = StageRegistry(builtInStages)
    let types = registry.names.compactMap { registry[$0] }
    guard let name = invocation.operands.first else {
      let lines = TextLayout.definitions(types.map { ($0.name, $0.summary) }, indent: 0)
      try StandardStream.output.write(lines.joined(separator: "\n") + "\n")
      return .success
    }
    guard let stage = registry[name] else { throw UnknownStage(name: name, known: registry.names) }
    try StandardStream.output.write(page(of: stage))
    return .success
  }

  /// The page of one stage: what it does, its options, and an example.
  static func page(of stage: any Stage.Type) -> String {
    var lines = TextLayout.wrapped("\(stage.name): \(stage.summary)")
    lines += [""] + TextLayout.wrapped(stage.discussion)
    let declarations = self.declarations(of: stage)
    if !declarations.isEmpty {
      lines += ["", "Options:"]
      lines += TextLayout.definitions(declarations.map { ($0.name, $0.explanation) })
    }
    let flow = stage.dataFlow
    for (word, features) in [
      ("Needs", flow.needs), ("Makes", flow.makes), ("Removes", flow.removes),
    ] where !features.isEmpty {
      let names = features.sorted().map(\.rawValue).joined(separator: ", ")
      lines += ["", "\(word): \(names)"]
    }
    lines += ["", "Example:"]
    lines += stage.example.split(separator: "\n").map { "  " + $0 }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func declarations<S: Stage>(of stage: S.Type) -> [ParameterDeclaration] {
    S.Parameters.declarations
  }
}

extension ParameterDeclaration {
  /// The help with type, range and default: what a user must know to write a value.
  var explanation: String {
    var facts = [type.name]
    if let range { facts.append(range.description(as: type)) }
    if isRequired {
      facts.append("required")
    } else if defaultValue.content != .null {
      facts.append("default \(defaultValue.shortText)")
    }
    return "\(help) (\(facts.joined(separator: "; ")))"
  }
}

/// A name that no stage has.
struct UnknownStage: UserError {
  var name: String
  var known: [String]

  var exitCode: ExitCode { .unavailable }
  var message: String {
    let nearest = nearestName(to: name, in: known).map { "; did you mean '\($0)'?" } ?? ""
    return "unknown stage '\(name)'\(nearest) ('meshpipe stages' lists them)"
  }
}
