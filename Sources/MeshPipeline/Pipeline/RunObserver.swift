/// A step of a run, for progress: reading, each stage, each output, and putting outputs in place.
public struct RunStep: Sendable, Equatable {
  /// The kinds of step.
  public enum Kind: String, Sendable {
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
  case progress(RunProgress)
  case warning(step: RunStep, message: String)
  case inputRead(RunReport.InputReport)
  case stageDone(RunReport.StageReport)
  case outputWritten(RunReport.OutputReport)
}

/// The receiver of a run's events; called from the threads that do the work.
public typealias RunObserver = @Sendable (RunEvent) -> Void
