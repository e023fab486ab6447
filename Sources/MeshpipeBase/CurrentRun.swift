/// The run that a thread works for, as what lies far below its stages knows it.
package struct CurrentRun: Sendable {
  /// Nil outside of runs.
  @TaskLocal package static var current: CurrentRun?

  /// Whether it is cancelled.
  package let cancellation: any Cancellable
  /// The depth maps that it decoded: texturing asks for each a dozen times.
  package let depthMaps = RunStore()

  package init(_ cancellation: any Cancellable) { self.cancellation = cancellation }
}
