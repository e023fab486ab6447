import MeshpipeScene

extension Parallel {
  /// Performs something for each number below a count on all cores, in portions between which progress
  /// is reported.
  ///
  /// - Parameter body: Receives ranges of numbers.
  static func forEachPortion(
    of count: Int, progress: (Double) throws -> Void, _ body: @Sendable (Range<Int>) -> Void
  ) rethrows {
    let portion = 1 << 17
    for start in stride(from: 0, to: count, by: portion) {
      let length = min(portion, count - start)
      forEachChunk(of: length, chunkSize: 1 << 11) { _, range in
        body(start + range.lowerBound..<start + range.upperBound)
      }
      try progress(Double(start + length) / Double(count))
    }
  }
}
