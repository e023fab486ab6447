import MeshPipeline

extension VariableHelp {
  /// The variables of the pipeline given in a call; nil if there is none or it can't be read.
  init?(_ invocation: Invocation) {
    let names = [CommandTable.run, CommandTable.plan, CommandTable.check, CommandTable.batch].map(
      \.name)
    guard names.contains(invocation.verb.name), let argument = invocation.operands.first,
      let path = try? PipelineLibrary.standard().path(of: argument),
      let document = try? PipelineDocument(path: path), !document.variables.isEmpty
    else { return nil }
    pipeline = argument
    levels = document.levels.map { level in
      let values = level.values.map { "\($0.key)=\($0.value.shortText)" }.joined(separator: " ")
      let facts = [values, level.enabled?.value.content == .bool(false) ? "only if named" : ""]
        .filter { !$0.isEmpty }
      let text = [
        level.note?.value ?? "", facts.isEmpty ? "" : "(\(facts.joined(separator: "; ")))",
      ]
      return ("--level \(level.name)", text.filter { !$0.isEmpty }.joined(separator: " "))
    }
    entries = document.variables.map { variable in
      let value = variable.defaultValue.map { "default \($0.shortText)" } ?? "required"
      let facts = [
        variable.type.name, variable.bounds.description(as: variable.type), value,
        variable.environmentName.map { "or from $\($0)" } ?? "",
      ]
      let text = facts.filter { !$0.isEmpty }.joined(separator: "; ")
      return ("--var \(variable.name)=VALUE", "\(variable.help) (\(text))")
    }
  }
}
