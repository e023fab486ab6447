import MeshPipeline

/// Decides whether another item may start, from the estimated memory of items of its size.
///
/// The estimate is a constant plus a multiple of the item's bytes; the multiple follows the largest
/// of recent items.
struct MemoryBudget {
  /// The bytes for all running items together.
  let total: Int
  /// The memory of a worker for a tiny item.
  private var base = 64 << 20
  /// Bytes of memory per byte of the item: initially that of a text format with few digits.
  private var factor = 16.0
  /// Observed multiples, the latest last.
  private var seen: [Double] = []

  /// Smaller items reveal the constant rather than the multiple.
  private static let telling = 1 << 20
  private static let memory = 32

  init(total: Int) {
    self.total = total
  }

  /// The estimated bytes for an item of a size.
  func estimate(size: Int) -> Int { base + Int(min(Double(max(0, size)) * factor, 1e15)) }

  /// Whether an item may start beside others; the first one always may.
  func admits(size: Int, beside needs: [Int]) -> Bool {
    needs.isEmpty || needs.reduce(0, +) + estimate(size: size) <= total
  }

  /// Updates the estimate with a finished item.
  mutating func learn(size: Int, peak: Int) {
    guard peak > 0 else { return }
    guard size >= Self.telling else {
      base = max(base, min(peak, 1 << 30))
      return
    }
    seen.append(Double(max(0, peak - base)) / Double(size))
    seen.removeFirst(max(0, seen.count - Self.memory))
    // A few items say little about the next one, so the initial estimate counts until there are
    // more.
    let most = (seen.max() ?? factor) * 1.1
    factor = seen.count < 4 ? max(factor, most) : most
  }
}
