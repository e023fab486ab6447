/// A step of a run, for progress: reading, each stage, each output, and putting outputs in place.
public struct RunStep: Sendable, Equatable {
  /// The kinds of step.
  public enum Kind: String, Sendable {
    /// Reads the input, runs a stage, writes an output, or puts the outputs in place.
    case read, stage, write, commit
  }

  /// What the step does.
  public var kind: Kind
  /// The input's path, the stage's id, or the output's path.
  public var name: String
  /// The stage's name or the format's id.
  public var detail: String
  /// Counted from 0.
  public var index: Int
  /// The number of steps of the run.
  public var count: Int
}

/// The progress of a run.
public struct RunProgress: Sendable {
  /// The current step.
  public var step: RunStep
  /// 0 to 1 within the step.
  public var fraction: Double
  /// 0 to 1 of the whole run; never decreases.
  public var overall: Double
  /// Seconds since the run began.
  public var elapsed: Double

  /// The estimated remaining seconds; nil while unknown.
  public var secondsLeft: Double? {
    guard overall > 0.02, elapsed > 0.2 else { return nil }
    return elapsed * (1 - overall) / overall
  }
}

/// An event of a run.
public enum RunEvent: Sendable {
  /// A step has advanced.
  case progress(RunProgress)
  /// A step found something suspicious that did not stop it.
  case warning(step: RunStep, message: String)
  /// The input was read.
  case inputRead(RunReport.InputReport)
  /// A stage is done, skipped or failed.
  case stageDone(RunReport.StageReport)
  /// An output is written, skipped or failed; it is not in place yet.
  case outputWritten(RunReport.OutputReport)
}

/// The receiver of a run's events; called from the threads that do the work.
public typealias RunObserver = @Sendable (RunEvent) -> Void
