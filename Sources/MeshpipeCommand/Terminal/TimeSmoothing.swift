import MeshPipeline

/// The time that is left without its jumps: what it is said to be counts by how long it has been said.
struct TimeSmoothing {
  /// Seconds after which a new estimate has come through by two thirds.
  private static let inertia = 4.0

  /// How long the whole is to take.
  private var total: Double?
  private var last = 0.0

  mutating func secondsLeft(_ progress: RunProgress) -> Double? {
    guard let left = progress.secondsLeft else { return nil }
    let estimate = progress.elapsed + left
    let passed = max(0, progress.elapsed - last)
    let share = min(1, passed / (passed + Self.inertia))
    let total = total.map { $0 + (estimate - $0) * share } ?? estimate
    (self.total, last) = (total, progress.elapsed)
    // At the end nothing is left, whatever was thought before.
    return progress.overall >= 0.99 ? left : max(0, total - progress.elapsed)
  }
}
