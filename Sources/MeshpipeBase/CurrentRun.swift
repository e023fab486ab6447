/// The run that a thread works for: what waits far below a stage asks whether it is cancelled.
package enum CurrentRun {
  /// Nil outside of runs.
  @TaskLocal package static var cancellation: (any Cancellable)?
}
