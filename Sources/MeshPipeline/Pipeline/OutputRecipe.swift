import MeshpipeBase

/// The stages that an output comes from, and how it is written: as in a pipeline file of its own, without its path.
///
/// Resolved again, the same values come out, so that a pipeline made of it gives the same provenance.
struct OutputRecipe {
  private let pipeline: ResolvedPipeline
  private let output: ResolvedPipeline.ResolvedOutput
  /// In the order in which they run.
  private let stages: [ResolvedPipeline.ResolvedStage]

  init(of output: ResolvedPipeline.ResolvedOutput, in pipeline: ResolvedPipeline) {
    self.output = output
    self.pipeline = pipeline
    var needed: Set<Int> = []
    func need(_ origin: ResolvedPipeline.Origin) {
      guard case .stage(let index) = origin, needed.insert(index).inserted else { return }
      let stage = pipeline.stages[index]
      for origin in stage.inputs + stage.sources.values { need(origin) }
    }
    output.origins.forEach(need)
    stages = needed.sorted().map { pipeline.stages[$0] }
  }

  /// The hash of what follows, the stages and the output.
  var members: [JSONValue.Member] {
    let content: [JSONValue.Member] =
      (pipeline.joined + pipeline.otherInputs).isEmpty
      ? [stageMember, outputMember] : [inputMember, stageMember, outputMember]
    let text = JSONValue(.object(content)).withoutPositions.compactBytes
    return [.init("sha256", SHA256.hexadecimal(of: text).json)]
      + content.map { .init($0.key, $0.value.withoutPositions) }
      + (unreplayable.map { [.init("unreplayable", $0.json)] } ?? [])
  }

  /// Why no pipeline file can be made of it; nil if one can.
  private var unreplayable: String? {
    let ids = stages.map { Self.plain($0.id) }
    let isEachNamed = stages.allSatisfy { stage in
      stage.sources.allSatisfy { $0.key.id == Self.plain(pipeline.id(of: $0.value)) }
    }
    if Set(ids).count < ids.count || !isEachNamed { return "levels" }
    return output.limit?.smallerForms.isEmpty == false ? "size" : nil
  }

  /// An id as a pipeline file may have it; those of levels have a full stop.
  private static func plain(_ id: String) -> String { id.replacing(".", with: "-") }

  private func id(of origin: ResolvedPipeline.Origin) -> JSONValue {
    Self.plain(pipeline.id(of: origin)).json
  }

  private func ids(of origins: [ResolvedPipeline.Origin]) -> JSONValue {
    origins.count == 1 ? id(of: origins[0]) : JSONValue(.array(origins.map { id(of: $0) }))
  }

  private var inputMember: JSONValue.Member {
    .init(
      "inputs",
      JSONValue(
        .array(
          (pipeline.joined + pipeline.otherInputs).map { input in
            guard case .object(let members) = input.json.content else { return input.json }
            return JSONValue(.object(members.map { $0.key == "path" ? Self.name(in: $0) : $0 }))
          })))
  }

  private static func name(in member: JSONValue.Member) -> JSONValue.Member {
    .init(member.key, FileSystem.name(of: member.value.text ?? "").withoutForeignBytes.json)
  }

  private var stageMember: JSONValue.Member {
    .init("stages", JSONValue(.array(stages.map { value(of: $0) })))
  }

  private func value(of stage: ResolvedPipeline.ResolvedStage) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("id", Self.plain(stage.id).json), .init("use", stage.name.json),
      .init("in", ids(of: stage.inputs)),
    ]
    if !stage.isEnabled {
      members.append(.init("enabled", false))
    } else {
      if let when = stage.when { members.append(.init("when", when.text.json)) }
      if stage.isOptional { members.append(.init("optional", true)) }
      if let scope = stage.scope { members.append(.init("where", scope.names.json)) }
      if let expect = stage.expect { members.append(.init("expect", expect.text.json)) }
      if stage.onError != .fail { members.append(.init("onError", stage.onError.rawValue.json)) }
    }
    if let origin = stage.definition.origin {
      let plugin: JSONValue = [
        "name": origin.plugin.json, "version": origin.version.json,
        "fingerprint": origin.fingerprint.json,
      ]
      members.append(.init("plugin", plugin))
    }
    if !stage.options.isEmpty { members.append(.init("with", JSONValue(.object(stage.options)))) }
    return JSONValue(.object(members))
  }

  private var outputMember: JSONValue.Member {
    var members: [JSONValue.Member] = [
      .init("format", output.format.id.json), .init("from", ids(of: output.origins)),
    ]
    if let up = output.up { members.append(.init("up", up.rawValue.json)) }
    if let limit = output.limit { members.append(.init("maximumBytes", limit.bytes.json)) }
    if output.loses == Set(SceneFeature.allCases) {
      members.append(.init("loses", "expected"))
    } else if !output.loses.isEmpty {
      members.append(.init("loses", output.loses.sorted().map(\.rawValue).json))
    }
    if !output.options.isEmpty {
      members.append(.init("with", JSONValue(.object(output.options))))
    }
    return .init("output", JSONValue(.object(members)))
  }

  // MARK: What happened

  /// The reasons for which stages did nothing, by their ids.
  func skipped(in report: RunReport) -> [JSONValue.Member] {
    reports(in: report).compactMap { stage, report in
      switch report.outcome {
      case .skipped(let reason) where stage.isEnabled:
        .init(Self.plain(stage.id), reason.json)
      // Its message may name files.
      case .failed: .init(Self.plain(stage.id), "failed")
      case .skipped, .done: nil
      }
    }
  }

  /// How well the results of stages agree with the photographs, by their ids.
  func agreements(in report: RunReport) -> [JSONValue.Member] {
    reports(in: report).compactMap { stage, report in
      guard let note = report.notes.first(where: { $0.key == "agreement" }) else { return nil }
      // That of each photograph has its name.
      let members = ["similarity", "covered"].compactMap { key in
        note.value[key].map { JSONValue.Member(key, $0) }
      }
      return .init(Self.plain(stage.id), JSONValue(.object(members)).withoutPositions)
    }
  }

  private func reports(
    in report: RunReport
  ) -> [(stage: ResolvedPipeline.ResolvedStage, report: RunReport.StageReport)] {
    stages.compactMap { stage in
      report.stages.first { $0.id == stage.id }.map { (stage, $0) }
    }
  }
}
