/// Runs a resolved pipeline on its input.
public struct PipelineRunner: Sendable {
  /// How a run treats its files.
  public struct Options: Sendable {
    /// What may be overwritten.
    public var overwriting = OutputTransaction.Overwriting.allowed
    /// Whether files that would not change get a new time all the same.
    public var touchesUnchanged = false
    /// Whether the report says the SHA-256 of every output.
    public var hashesOutputs = false
    /// Whether the report says the peak of memory of each step and not only of the run so far.
    ///
    /// Other programs that ask for the peak of the process then see that of the last step only.
    public var measuresMemoryOfSteps = false
    /// Whether the reader may open side files outside the folder of the input.
    public var allowsExternalFiles = false
    /// The axis that points up in the input, whatever its format says or leaves open.
    public var inputUp: SignedAxis?
    /// The unit of the numbers in the input, whatever its format says or leaves open.
    public var inputMetersPerUnit: Double?
    /// Whether a warning ends the run before any output appears.
    public var warningsAreErrors = false
    /// Descriptor that an output at `-` is written to.
    public var standardOutput: Int32 = 1
    /// Shown the scene of the first output when it is written; what this throws is a warning.
    public var resultObserver: (@Sendable (Scene) throws -> Void)?

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
    try run(reading: nil)
  }

  /// Runs on a scene that is in memory already, in the place of the decoded input.
  public func run(on scene: consuming Scene) throws(RunFailure) -> RunReport {
    try run(reading: scene)
  }

  private func run(reading scene: consuming Scene?) throws(RunFailure) -> RunReport {
    let run = PipelineRun(self)
    do {
      try run.start(with: scene)
    } catch {
      throw run.failure(for: error)
    }
    return run.report
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

/// There were warnings, and the run was told to take them for errors.
public struct UnacceptableWarnings: UserError, Equatable {
  public var count: Int

  public var exitCode: ExitCode { .data }
  public var message: String {
    "\(count) warning\(count == 1 ? " is" : "s are") taken for \(count == 1 ? "an error" : "errors")"
  }
}

/// An `expect` that did not hold.
public struct UnmetExpectation: UserError, Equatable {
  public var stage: String
  public var condition: String
  /// What the scene was like: `faces is 0`.
  public var explanation: String

  public var exitCode: ExitCode { .data }
  public var message: String { "expected '\(condition)', but \(explanation)" }
}
