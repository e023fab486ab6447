package import MeshpipeBase

/// The run that a thread works for, as what lies far below its stages knows it.
package struct CurrentRun: Sendable {
  /// Nil outside of runs.
  @TaskLocal package static var current: CurrentRun?

  /// Whether it is cancelled.
  package let cancellation: any Cancellable
  /// What it decoded.
  package let depthMaps = DepthMapStore()

  package init(_ cancellation: any Cancellable) { self.cancellation = cancellation }
}
