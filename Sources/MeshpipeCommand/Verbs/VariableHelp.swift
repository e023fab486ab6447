import MeshPipeline

extension VariableHelp {
  /// The variables of the pipeline that a call names; nil when it names none that can be read.
  init?(_ invocation: Invocation) {
    let names = [CommandTable.run, CommandTable.plan, CommandTable.check, CommandTable.batch].map(
      \.name)
    guard names.contains(invocation.verb.name), let argument = invocation.operands.first,
      let path = try? PipelineLibrary.standard().path(of: argument),
      let document = try? PipelineDocument(path: path), !document.variables.isEmpty
    else { return nil }
    pipeline = argument
    entries = document.variables.map { variable in
      let value = variable.defaultValue.map { "default \($0.shortText)" } ?? "required"
      return (
        "--var \(variable.name)=VALUE", "\(variable.help) (\(variable.type.name); \(value))"
      )
    }
  }
}
