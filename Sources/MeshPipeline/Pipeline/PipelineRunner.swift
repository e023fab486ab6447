import MeshpipeBase
import MeshpipeScene

/// Runs a resolved pipeline on its input.
public struct PipelineRunner: Sendable {
  /// What a run may overwrite.
  public enum Overwriting: Sendable {
    /// Any file except the input and read-only files.
    case allowed
    /// No file.
    case never
    /// Also read-only files.
    case forced
  }

  /// How a run is done: the settings chosen for it, which are properties of the options as well, and what it reports.
  @dynamicMemberLookup
  public struct Options: Sendable {
    /// What the user chooses.
    public var run: RunSettings
    /// Whether the report has the SHA-256 of every output.
    public var hashesOutputs = false
    /// Whether the report has the peak memory of each step instead of the run so far.
    ///
    /// Other programs that measure the peak of the process then see only that of the last step.
    public var measuresMemoryOfSteps = false
    /// The descriptor for an output at `-`.
    package var standardOutput: Int32 = 1
    /// How results of stages are kept for later runs; nil to keep and to use none.
    package var checkpoints: CheckpointUse?
    /// Receives the scene that was read, before any stage changes it.
    public var inputObserver: (@Sendable (Scene) -> Void)?
    /// Receives the scene of the first output when it is written; errors it throws become warnings.
    public var resultObserver: (@Sendable (Scene) throws -> Void)?

    /// Creates the options of a run; by default of a plain one.
    public init(_ run: RunSettings = RunSettings()) { self.run = run }

    /// A setting of the run.
    public subscript<Value>(dynamicMember setting: WritableKeyPath<RunSettings, Value>) -> Value {
      get { run[keyPath: setting] }
      set { run[keyPath: setting] = newValue }
    }
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
  ///   - observer: Receives progress and results.
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
  /// - Throws: A ``RunFailure`` with the report of the completed work.
  public func run() throws(RunFailure) -> RunReport {
    try run(reading: nil)
  }

  /// Runs on a scene in memory instead of the decoded input.
  public func run(on scene: consuming Scene) throws(RunFailure) -> RunReport {
    try run(reading: scene)
  }

  private func run(reading scene: consuming Scene?) throws(RunFailure) -> RunReport {
    let run = PipelineRun(self)
    do {
      try CurrentRun.$current.withValue(CurrentRun(cancellation)) {
        try run.start(with: scene.take())
      }
    } catch {
      throw run.failure(for: error)
    }
    return run.report
  }
}

/// A failed run.
public struct RunFailure: UserError {
  /// That of the error that ended the run.
  public var exitCode: ExitCode
  /// What happened, with the stage or output concerned.
  public var message: String
  /// The work completed before the failure.
  public var report: RunReport
}

/// There were warnings, which the options treat as errors.
package struct UnacceptableWarnings: UserError, Equatable {
  package var count: Int

  package var exitCode: ExitCode { .data }
  package var message: String {
    "\(count) warning\(count == 1 ? " is" : "s are") treated as \(count == 1 ? "an error" : "errors")"
  }
}

/// An `expect` that was false.
package struct UnmetExpectation: UserError, Equatable {
  package var stage: String
  package var condition: String
  /// The actual values: `faces is 0`.
  package var explanation: String
  /// What to do first; nil if it is unknown.
  package var wayOut: String?

  package var exitCode: ExitCode { .data }
  package var message: String {
    "expected '\(condition)', but \(explanation)" + (wayOut.map { ": \($0)" } ?? "")
  }
}

extension RunSettings {
  /// What may be overwritten.
  public var overwriting: PipelineRunner.Overwriting {
    get { replacesReadOnly ? .forced : keepsExisting ? .never : .allowed }
    set {
      replacesReadOnly = newValue == .forced
      keepsExisting = newValue == .never
    }
  }
}
