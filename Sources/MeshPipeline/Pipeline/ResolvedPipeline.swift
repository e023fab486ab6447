/// A pipeline in which every name is resolved and every value decoded: ready to run.
public struct ResolvedPipeline: Sendable {
  /// Where a scene comes from.
  public enum Origin: Sendable, Hashable {
    /// The decoded input.
    case input
    /// The stage at an index of ``ResolvedPipeline/stages``.
    case stage(Int)
  }

  /// A stage with its parameters and its place in the flow.
  public struct ResolvedStage: Sendable {
    /// The id, or the stage's name where there is none (with a number when that is taken).
    public var id: String
    /// The stage's name.
    public var name: String
    public var definition: StageDefinition
    public var stage: any PreparedStage
    /// Every option with its value, defaults included.
    public var options: [JSONValue.Member]
    /// One origin or, to be merged, several.
    public var inputs: [Origin]
    public var when: Condition?
    /// The part of the scene that it works on; nil for all.
    public var scope: StageScope?
    public var expect: Condition?
    public var onError: PipelineDocument.OnError
    /// Whether it is nothing to warn of when ``when`` does not hold.
    public var isOptional: Bool
    /// A disabled stage passes its scene on.
    public var isEnabled: Bool
    public var note: String
  }

  /// An output with its final path.
  public struct ResolvedOutput: Sendable {
    /// The path to write at; `-` for standard output.
    ///
    /// Variables that only an input gives (`${stem}`) remain when there is none yet.
    public var path: String
    public var format: FormatWriter
    public var options: [JSONValue.Member]
    public var from: Origin
    /// The up axis to convert to for this output only.
    public var up: SignedAxis?
    /// The condition without which it is not written.
    public var when: Condition?
    /// Whether a failure to write it is only a warning.
    public var isOptional: Bool
    /// Whether the checker has warned that programs will take another axis for up.
    public var hasAxisWarning: Bool
    public var note: String
  }

  /// A variable with the value that it has this time.
  public struct ResolvedVariable: Sendable {
    public var name: String
    public var value: JSONValue
  }

  /// The pipeline file; nil for a pipeline made of arguments.
  public var file: String?
  public var about: String
  /// The file to read; for an input that is a capture folder the mesh in it.
  public var input: String?
  /// What the scan is called: the name of the capture's folder, when the input is one; nil for that of
  /// the file.
  public var inputName: String?
  public var inputFormat: FormatReader?
  /// The scans that become one scene with the input.
  public var joined: [JoinedInput] = []
  /// The frames that belong to the input, when the pipeline has a use for them.
  public var frames: FoundCapture?
  public var variables: [ResolvedVariable]
  /// The stage that mends a fault of a scene, as on the command line; nil when there is none.
  public var remedy: @Sendable (SceneFault) -> String? = { _ in nil }
  public var stages: [ResolvedStage]
  /// The enabled outputs.
  public var outputs: [ResolvedOutput]

  /// The id of the scene that comes from `origin`.
  public func id(of origin: Origin) -> String {
    switch origin {
    case .input: PipelineDocument.inputID
    case .stage(let index): stages[index].id
    }
  }
}

extension ResolvedPipeline {
  /// The pipeline as JSON: what it is, with every default spelled out.
  public var json: JSONValue {
    var members: [JSONValue.Member] = []
    if let file { members.append(.init("file", JSONValue(.string(file)))) }
    if !about.isEmpty { members.append(.init("description", JSONValue(.string(about)))) }
    if let input { members.append(.init("input", JSONValue(.string(input)))) }
    if let inputFormat {
      members.append(.init("inputFormat", JSONValue(.string(inputFormat.id))))
      if let origin = inputFormat.origin { members.append(.init("inputPlugin", origin.json)) }
    }
    if !joined.isEmpty { members.append(.init("inputs", JSONValue(.array(joined.map(\.json))))) }
    if let frames {
      members.append(
        .init(
          "frames",
          [
            "path": JSONValue(.string(frames.folder.path)),
            "layout": JSONValue(.string(frames.layout.id)),
            "poses": frames.reading.json,
          ]))
    }
    members.append(
      .init("variables", JSONValue(.object(variables.map { .init($0.name, $0.value) }))))
    members.append(.init("stages", JSONValue(.array(stages.map { json(of: $0) }))))
    members.append(.init("outputs", JSONValue(.array(outputs.map { json(of: $0) }))))
    return JSONValue(.object(members)).withoutPositions
  }

  private func json(of stage: ResolvedStage) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("id", JSONValue(.string(stage.id))),
      .init("use", JSONValue(.string(stage.name))),
      .init("in", JSONValue(.array(stage.inputs.map { JSONValue(.string(id(of: $0))) }))),
    ]
    if let when = stage.when { members.append(.init("when", JSONValue(.string(when.text)))) }
    if let scope = stage.scope {
      let names = scope.names.map { JSONValue(.string($0)) }
      members.append(.init("where", JSONValue(.array(names))))
    }
    members.append(.init("with", JSONValue(.object(stage.options))))
    if let expect = stage.expect {
      members.append(.init("expect", JSONValue(.string(expect.text))))
    }
    if stage.onError != .fail {
      members.append(.init("onError", JSONValue(.string(stage.onError.rawValue))))
    }
    if let origin = stage.definition.origin {
      members.append(.init("plugin", origin.json))
    }
    if stage.isOptional { members.append(.init("optional", true)) }
    if !stage.isEnabled { members.append(.init("enabled", false)) }
    if !stage.note.isEmpty { members.append(.init("note", JSONValue(.string(stage.note)))) }
    return JSONValue(.object(members))
  }

  private func json(of output: ResolvedOutput) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("path", JSONValue(.string(output.path))),
      .init("format", JSONValue(.string(output.format.id))),
      .init("from", JSONValue(.string(id(of: output.from)))),
    ]
    if let origin = output.format.origin { members.append(.init("plugin", origin.json)) }
    if let up = output.up { members.append(.init("up", JSONValue(.string(up.rawValue)))) }
    if let when = output.when { members.append(.init("when", JSONValue(.string(when.text)))) }
    if output.isOptional { members.append(.init("optional", true)) }
    if !output.options.isEmpty {
      members.append(.init("with", JSONValue(.object(output.options))))
    }
    if !output.note.isEmpty { members.append(.init("note", JSONValue(.string(output.note)))) }
    return JSONValue(.object(members))
  }
}
