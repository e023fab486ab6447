import MeshpipeBase
import Synchronization

/// Combines the progress of steps into that of a run, and drops imperceptible changes.
final class ProgressMeter: Sendable {
  private struct State {
    var nextIndex = 0
    /// The last reported fraction of the current step.
    var told = 0.0
    var overall = 0.0
    /// The weight of each step in the run.
    var weights: [Double]
  }

  private let stepCount: Int
  /// The name of the scan's file; empty if it is in memory.
  private let scan: String
  private let observer: RunObserver
  private let start = MonotonicClock.seconds
  private let state: Mutex<State>

  /// - Parameters:
  ///   - weights: The expected time of each step, in any unit.
  ///   - input: The path of the scan; nil if it is in memory.
  init(weights: [Double], of input: String?, observer: @escaping RunObserver) {
    stepCount = weights.count
    scan = FileSystem.name(of: input ?? "")
    state = Mutex(State(weights: weights))
    self.observer = observer
  }

  /// Removes steps that turn out to have no work.
  func skip(steps: [Int]) {
    state.withLock { state in
      for step in steps where state.weights.indices.contains(step) { state.weights[step] = 0 }
    }
  }

  /// Begins the next step.
  func begin(_ kind: RunStep.Kind, _ name: String, _ detail: String) -> RunStep {
    let index = state.withLock { state in
      defer { state.nextIndex += 1 }
      state.told = -1
      return state.nextIndex
    }
    let step = RunStep(kind: kind, name: name, detail: detail, index: index, count: stepCount)
    note(Self.activity(kind, name, detail))
    report(step, 0)
    return step
  }

  func finish(_ step: RunStep) {
    report(step, 1)
    note("after the run")
  }

  private func note(_ activity: String) {
    LastWord.note(activity + (scan.isEmpty ? "" : ", on \(scan)"))
  }

  private static func activity(_ kind: RunStep.Kind, _ name: String, _ detail: String) -> String {
    switch kind {
    case .read: "while reading"
    case .stage: "in stage '\(detail)'"
    case .write: "while writing \(FileSystem.name(of: name))"
    case .commit: "while putting outputs in place"
    }
  }

  /// Reports the progress of a step; changes smaller than half a percent are dropped.
  func report(_ step: RunStep, _ fraction: Double) {
    let fraction = min(1, max(0, fraction))
    let progress = state.withLock { state -> RunProgress? in
      guard fraction >= state.told + 0.005 || fraction == 1 && state.told < 1 else { return nil }
      state.told = fraction
      let done = state.weights.prefix(step.index).reduce(0, +)
      let whole = max(state.weights.reduce(0, +), .leastNormalMagnitude)
      let share = (done + fraction * state.weights[step.index]) / whole
      state.overall = max(state.overall, min(1, share))
      return RunProgress(
        step: step, fraction: fraction, overall: state.overall,
        elapsed: MonotonicClock.seconds - start)
    }
    if let progress { observer(.progress(progress)) }
  }

  func tell(_ event: RunEvent) { observer(event) }
}
