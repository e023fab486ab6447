extension PipelineDocument {
  /// Makes a runnable pipeline of the document, or finds every reason why that is impossible.
  ///
  /// No input is opened. A pipeline without outputs gets the request's one.
  public func resolve(
    in environment: PipelineEnvironment, for request: PipelineRequest = PipelineRequest()
  ) -> PipelineResolution {
    var resolver = PipelineResolver(self, environment, request)
    return resolver.resolve()
  }
}
