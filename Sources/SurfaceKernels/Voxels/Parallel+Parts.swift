import MeshpipeScene

extension Parallel {
  /// Makes an array of parts whose sizes are known by filling it in place on all cores, rather than joining arrays.
  ///
  /// - Parameters:
  ///   - starts: Where each part starts, and last the number of all elements.
  ///   - chunkSize: In parts.
  ///   - fill: Appends exactly the elements of a range of parts.
  static func array<Element: BitwiseCopyable & Sendable>(
    starts: [Int], chunkSize: Int,
    _ fill: @Sendable (Range<Int>, inout OutputSpan<Element>) -> Void
  ) -> [Element] {
    unsafe Array(unsafeUninitializedCapacity: starts[starts.count - 1]) { buffer, count in
      let target = unsafe DisjointBuffer(buffer)
      forEachChunk(of: starts.count - 1, chunkSize: chunkSize) { _, parts in
        target.fill(starts[parts.lowerBound]..<starts[parts.upperBound]) { fill(parts, &$0) }
      }
      count = starts[starts.count - 1]
    }
  }
}
