extension PipelineDocument {
  /// Makes a pipeline of one-line stages, without a file.
  ///
  /// - Parameters:
  ///   - stages: Texts such as `decimate target=20% preserve=borders,seams`: the stage's name, then
  ///     options and the engine's keys (`id`, `in`, `when`…). Values with blanks stand in quotes.
  ///   - outputs: Paths of outputs, all of the last stage's scene.
  public init(stages: [String], outputs: [String] = []) {
    source = PipelineSource()
  }
}
