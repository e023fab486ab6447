import MeshPipeline

/// Decides whether another item may start, by what items of its size are likely to need.
///
/// The need is taken to be a constant and a multiple of the item's bytes; the multiple follows the
/// hungriest of the items seen lately.
struct MemoryBudget {
  /// The bytes that all items in work may need together.
  let total: Int
  /// What a worker needs for an item of hardly any size.
  private var base = 64 << 20
  /// Bytes of memory for each byte of the item: at first what a text format with few digits takes.
  private var factor = 16.0
  /// Multiples seen, the latest last.
  private var seen: [Double] = []

  /// Smaller items tell more of the constant than of the multiple.
  private static let telling = 1 << 20
  private static let memory = 32

  init(total: Int) {
    self.total = total
  }

  /// The bytes that an item of a size is likely to need.
  func estimate(size: Int) -> Int { base + Int(min(Double(max(0, size)) * factor, 1e15)) }

  /// Whether an item may start beside others; the first one always may.
  func admits(size: Int, beside needs: [Int]) -> Bool {
    needs.isEmpty || needs.reduce(0, +) + estimate(size: size) <= total
  }

  /// Learns from an item that was done.
  mutating func learn(size: Int, peak: Int) {
    guard peak > 0 else { return }
    guard size >= Self.telling else {
      base = max(base, min(peak, 1 << 30))
      return
    }
    seen.append(Double(max(0, peak - base)) / Double(size))
    seen.removeFirst(max(0, seen.count - Self.memory))
    // A few items say little of the next one, so that the first guess counts as long as there are few.
    let most = (seen.max() ?? factor) * 1.1
    factor = seen.count < 4 ? max(factor, most) : most
  }
}
