extension PipelineDocument {
  /// Makes a pipeline that can run out of the document, or finds every reason why there is none.
  ///
  /// No input is opened.
  public func resolve(
    in environment: PipelineEnvironment, for request: PipelineRequest = PipelineRequest()
  ) -> PipelineResolution {
    PipelineResolution(pipeline: nil, diagnostics: diagnostics)
  }
}
