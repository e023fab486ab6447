import MeshpipeBase

/// Names for the results of stages, made of all that they depend on except the bytes of files: the program, the input
/// with the names and sizes of its files, and each stage with its options on the way.
struct StageKeys {
  /// The name of each stage's result.
  private(set) var results: [String] = []
  /// The names of parts of each stage's work.
  private(set) var parts: [PartKeys] = []
  private let pipeline: ResolvedPipeline
  private let places: ShownPaths
  /// The name of the input.
  private var base = ""

  /// - Parameter inputs: All files that the run reads or will read.
  init(
    of pipeline: ResolvedPipeline, _ settings: RunSettings, _ use: CheckpointUse,
    _ inputs: CheckpointInputs
  ) {
    self.pipeline = pipeline
    places = use.places
    let listing = zip(inputs.paths, inputs.statuses).map {
      JSONValue(.array([$0.json, $1.size.json]))
    }
    base = name(
      use.program.json, JSONValue(.object(pipeline.inputMembers)), settings.recipe(of: [.results]),
      JSONValue(.array(listing)))
    for (index, stage) in pipeline.stages.enumerated() {
      let references = stage.sources.map { JSONValue.Member($0.key.id, inherited(from: $0.value)) }
      let renewed = pipeline.texturesRenewed(afterStage: index).map(\.rawValue).sorted()
      let keys = PartKeys(
        recipe: pipeline.recipe(of: stage),
        others: [
          JSONValue(.array(stage.inputs.map(inherited))),
          JSONValue(.object(references.sorted { $0.key < $1.key })), renewed.json,
        ], places: places)
      parts.append(keys)
      results.append(keys.result)
    }
  }

  private func name(_ parts: JSONValue...) -> String { places.hash(of: parts) }

  /// What a stage depends on by one of its scenes: how it was made, and what was expected of it, since the run went on.
  private func inherited(from origin: ResolvedPipeline.Origin) -> JSONValue {
    switch origin {
    case .input: base.json
    case .otherInput(let index): [base.json, index.json]
    case .stage(let index):
      [results[index].json, (pipeline.stages[index].expect?.text ?? "").json]
    }
  }
}

/// Names for the results of parts of one stage's work.
struct PartKeys: Sendable {
  fileprivate let recipe: JSONValue
  /// What the stage depends on besides.
  fileprivate let others: [JSONValue]
  fileprivate let places: ShownPaths

  /// The name of the whole result.
  fileprivate var result: String { places.hash(of: [recipe] + others) }

  /// The name of the result of a part that does not depend on some options.
  func name(ofPart part: String, regardlessOf options: [String]) -> String {
    guard case .object(var members) = recipe.content else { return "" }
    for index in members.indices where members[index].key == "with" {
      guard case .object(let all) = members[index].value.content else { continue }
      members[index].value = JSONValue(.object(all.filter { !options.contains($0.key) }))
    }
    return places.hash(of: [part.json, JSONValue(.object(members))] + others)
  }
}

extension ShownPaths {
  fileprivate func hash(of parts: [JSONValue]) -> String {
    SHA256.hexadecimal(of: Array(lasting(JSONValue(.array(parts))).compactText.utf8))
  }
}

extension ResolvedPipeline {
  /// All of a stage that its result depends on, besides its scenes.
  fileprivate func recipe(of stage: ResolvedStage) -> JSONValue {
    guard case .object(let members) = json(of: stage).content else { return JSONValue(.null) }
    // What is expected of the result doesn't change it.
    let others = members.filter { !["in", "expect", "note"].contains($0.key) }
    return JSONValue(.object(others)).withoutPositions
  }
}
