import MeshpipeBase

/// Names for the results of stages, made of all that they depend on except the bytes of files: the program, the input
/// with the names and sizes of its files, and each stage with its options on the way.
struct StageKeys {
  /// The name of each stage's result.
  private(set) var results: [String] = []
  private let pipeline: ResolvedPipeline
  private let places: ShownPaths
  /// The name of the input.
  private var base = ""

  /// - Parameters:
  ///   - files: All files that the run reads or will read.
  ///   - sizes: Their sizes.
  init(
    of pipeline: ResolvedPipeline, _ settings: RunSettings, _ use: CheckpointUse, files: [String],
    sizes: [Int]
  ) {
    self.pipeline = pipeline
    places = use.places
    let listing = zip(files, sizes).map { JSONValue(.array([$0.json, $1.json])) }
    base = name(
      use.program.json, JSONValue(.object(pipeline.inputMembers)), settings.recipe(of: [.results]),
      JSONValue(.array(listing)))
    for (index, stage) in pipeline.stages.enumerated() {
      let references = stage.sources.map { JSONValue.Member($0.key.id, inherited(from: $0.value)) }
      let renewed = pipeline.texturesRenewed(afterStage: index).map(\.rawValue).sorted()
      results.append(
        name(
          pipeline.recipe(of: stage), JSONValue(.array(stage.inputs.map(inherited))),
          JSONValue(.object(references.sorted { $0.key < $1.key })), renewed.json))
    }
  }

  private func name(_ parts: JSONValue...) -> String {
    let text = places.lasting(JSONValue(.array(parts))).compactText
    return SHA256.hexadecimal(of: Array(text.utf8))
  }

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

extension ResolvedPipeline {
  /// All of a stage that its result depends on, besides its scenes.
  fileprivate func recipe(of stage: ResolvedStage) -> JSONValue {
    guard case .object(let members) = json(of: stage).content else { return JSONValue(.null) }
    // What is expected of the result doesn't change it.
    let others = members.filter { !["in", "expect", "note"].contains($0.key) }
    return JSONValue(.object(others)).withoutPositions
  }
}
