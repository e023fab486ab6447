/// A step of a run, for progress: reading, each stage, each output, and putting outputs in place.
public struct RunStep: Sendable, Equatable {
  /// The kinds of step.
  public enum Kind: String, Sendable {
    case read, stage, write, commit
  }

  public var kind: Kind
  /// The input's path, the stage's id, the output's path.
  public var name: String
  /// The stage's name or the format's id.
  public var detail: String
  /// Counts from 0.
  public var index: Int
  /// How many steps the run has.
  public var count: Int
}

/// How far a run is.
public struct RunProgress: Sendable {
  public var step: RunStep
  /// 0 to 1 within the step.
  public var fraction: Double
  /// 0 to 1 of the whole run; never falls.
  public var overall: Double
  /// Seconds since the run began.
  public var elapsed: Double

  /// The seconds that are likely left; nil while there is no telling.
  public var secondsLeft: Double? {
    guard overall > 0.02, elapsed > 0.2 else { return nil }
    return elapsed * (1 - overall) / overall
  }
}

/// What a run tells while it goes on.
public enum RunEvent: Sendable {
  case progress(RunProgress)
  case warning(step: RunStep, message: String)
  case inputRead(RunReport.InputReport)
  case stageDone(RunReport.StageReport)
  case outputWritten(RunReport.OutputReport)
}

/// The receiver of a run's events; called from the threads that do the work.
public typealias RunObserver = @Sendable (RunEvent) -> Void
