import MeshpipeScene

extension ResolvedPipeline {
  /// The textures that later stages make for everything that becomes of a stage's result.
  ///
  /// A stage counts that runs in any case and on the whole scene, with a source that does not come from the result: what
  /// was dropped there can't be had from it.
  func texturesRenewed(afterStage first: Int) -> Set<TextureRole> {
    // Of hundreds of stages, following each would take long.
    guard stages.dropFirst(first + 1).contains(where: { !$0.stage.renewedTextures.isEmpty }) else {
      return []
    }
    var results: Set<Origin> = [.stage(first)]
    for index in stages.indices.dropFirst(first + 1)
    where !results.isDisjoint(with: stages[index].inputs) {
      results.insert(.stage(index))
    }
    var renewed = [Set<TextureRole>](repeating: [], count: stages.count)
    for index in stages.indices.dropFirst(first).reversed() {
      renewed[index] = texturesRenewed(byUsersOf: .stage(index), later: renewed, results)
    }
    return renewed[first]
  }

  /// - Parameter later: What is renewed after each stage that comes later.
  private func texturesRenewed(
    byUsersOf origin: Origin, later: [Set<TextureRole>], _ results: Set<Origin>
  ) -> Set<TextureRole> {
    guard !outputs.contains(where: { $0.origins.contains(origin) }) else { return [] }
    var common: Set<TextureRole>?
    for (index, stage) in stages.enumerated() {
      let sources = Set(stage.sources.values)
      if sources.contains(origin) { return [] }
      guard stage.inputs.contains(origin) else { continue }
      var textures = later[index]
      if stage.runsInAnyCase, sources.isDisjoint(with: results) {
        textures.formUnion(stage.stage.renewedTextures)
      }
      common = common?.intersection(textures) ?? textures
    }
    return common ?? []
  }
}

extension ResolvedPipeline.ResolvedStage {
  /// Whether the stage changes all of its scene, or ends the run.
  fileprivate var runsInAnyCase: Bool {
    isEnabled && when == nil && scope == nil && onError == .fail
  }
}
