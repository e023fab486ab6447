import MeshPipeline

/// The remaining time without jumps: each estimate is weighted by how long it has been valid.
struct TimeSmoothing {
  /// The time constant in seconds: a new estimate then counts by two thirds.
  private static let inertia = 4.0

  /// The estimated total time in seconds.
  private var total: Double?
  private var last = 0.0

  mutating func secondsLeft(_ progress: RunProgress) -> Double? {
    guard let left = progress.secondsLeft else { return nil }
    let estimate = progress.elapsed + left
    let passed = max(0, progress.elapsed - last)
    let share = min(1, passed / (passed + Self.inertia))
    let total = total.map { $0 + (estimate - $0) * share } ?? estimate
    (self.total, last) = (total, progress.elapsed)
    // At the end nothing remains, whatever the earlier estimates.
    return progress.overall >= 0.99 ? left : max(0, total - progress.elapsed)
  }
}
