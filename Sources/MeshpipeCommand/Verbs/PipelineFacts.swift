import MeshPipeline

/// What a pipeline takes, does and writes, as `info` tells it.
struct PipelineFacts {
  private let name: String
  private let document: PipelineDocument

  /// Nil for what is neither the file nor the name of a pipeline.
  init?(_ argument: String, _ formats: FormatRegistry) {
    let library = PipelineLibrary.standard()
    let isFile = PipelineLibrary.extensions.contains(fileExtension(of: argument))
    guard isFile || library.has(argument), formats.reader(ofJSONScan: argument) == nil,
      let path = try? library.path(of: argument),
      let document = try? PipelineDocument(path: path),
      !document.stages.isEmpty || !document.outputs.isEmpty
    else { return nil }
    (name, self.document) = (argument, document)
  }

  /// The page for people.
  var text: String {
    var rows = [("pipeline", document.about)]
    for (index, variable) in document.variables.enumerated() {
      let value = variable.defaultValue.map { "default \($0.shortText)" } ?? "required"
      rows.append(
        (index == 0 ? "variables" : "", "\(variable.name): \(variable.type.name), \(value)"))
    }
    for (index, level) in document.levels.enumerated() {
      let values = level.values.map { "\($0.key)=\($0.value.shortText)" }.joined(separator: " ")
      rows.append((index == 0 ? "levels" : "", level.name + (values.isEmpty ? "" : ": \(values)")))
    }
    rows.append(("stages", document.stages.compactMap { $0.use?.value }.joined(separator: ", ")))
    for (index, output) in document.outputs.enumerated() {
      let facts = [
        output.format.map { "format=\($0.value)" }, output.levels.map { "levels=\($0.value)" },
        output.maximumBytes.map { "maximumBytes=\($0.value.shortText)" },
      ].compactMap { $0 }
      rows.append(
        (
          index == 0 ? "outputs" : "",
          ([output.file?.value ?? ""] + facts).joined(separator: ", ")
        ))
    }
    return ([name] + TextLayout.definitions(rows)).joined(separator: "\n") + "\n"
  }

  var json: JSONValue {
    func text(_ value: String) -> JSONValue { JSONValue(.string(value)) }
    func object(_ members: [(String, JSONValue?)]) -> JSONValue {
      JSONValue(
        .object(members.compactMap { key, value in value.map { JSONValue.Member(key, $0) } }))
    }
    let variables = document.variables.map { variable in
      object([
        ("name", text(variable.name)), ("type", text(variable.type.name)),
        ("default", variable.defaultValue), ("help", text(variable.help)),
      ])
    }
    let levels = document.levels.map { level in
      object([("name", text(level.name)), ("values", JSONValue(.object(level.values)))])
    }
    let outputs = document.outputs.map { output in
      object([
        ("path", output.file.map { text($0.value) }),
        ("format", output.format.map { text($0.value) }),
        ("levels", output.levels.map { text($0.value.rawValue) }),
        ("maximumBytes", output.maximumBytes?.value),
      ])
    }
    return object([
      ("file", text(name)), ("description", text(document.about)),
      ("variables", JSONValue(.array(variables))), ("levels", JSONValue(.array(levels))),
      ("stages", JSONValue(.array(document.stages.compactMap { $0.use.map { text($0.value) } }))),
      ("outputs", JSONValue(.array(outputs))),
    ])
  }
}
