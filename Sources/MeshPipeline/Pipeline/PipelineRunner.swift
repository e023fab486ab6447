/// Runs a resolved pipeline on its input.
public struct PipelineRunner: Sendable {
  /// How a run treats its files.
  public struct Options: Sendable {
    /// What may be overwritten.
    public var overwriting = OutputTransaction.Overwriting.allowed
    /// Whether files that would not change get a new time all the same.
    public var touchesUnchanged = false
    /// Whether the SHA-256 of every output is taken, for the report.
    public var hashesOutputs = false
    /// Whether the reader may open side files outside the folder of the input.
    public var allowsExternalFiles = false
    /// Descriptor that an output at `-` is written to.
    public var standardOutput: Int32 = 1

    public init() {}
  }

  let pipeline: ResolvedPipeline
  let options: Options
  let cancellation: Cancellation
  let observer: RunObserver

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - pipeline: A pipeline that was resolved with an input.
  ///   - cancellation: Set by another thread to stop the run.
  ///   - observer: Told of progress and results as they come.
  public init(
    _ pipeline: ResolvedPipeline, options: Options = Options(),
    cancellation: Cancellation = Cancellation(), observer: @escaping RunObserver = { _ in }
  ) {
    self.pipeline = pipeline
    self.options = options
    self.cancellation = cancellation
    self.observer = observer
  }

  /// Reads, runs and writes.
  ///
  /// All outputs appear together when everything is done, or none of them does.
  /// - Throws: A ``RunFailure`` with the report of what was done.
  public func run() throws(RunFailure) -> RunReport {
    var report = RunReport(pipeline: pipeline.json)
    report.failure = "not built yet"
    throw RunFailure(exitCode: .software, message: "not built yet", report: report)
  }
}

/// A run that came to no good end.
public struct RunFailure: UserError {
  public var exitCode: ExitCode
  /// What happened, with the stage or output that it happened to.
  public var message: String
  /// What was done before.
  public var report: RunReport
}
