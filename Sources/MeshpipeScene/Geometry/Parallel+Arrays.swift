import Synchronization

/// Arrays filled by all cores.
extension Parallel {
  /// Makes an array by filling its chunks in place on all cores.
  ///
  /// - Parameter fill: Appends exactly one element for each index of the range.
  @inlinable
  public static func array<Element: BitwiseCopyable & Sendable>(
    count: Int, chunkSize: Int = 1 << 14,
    _ fill: @Sendable (Range<Int>, inout OutputSpan<Element>) -> Void
  ) -> [Element] {
    unsafe Array(unsafeUninitializedCapacity: count) { buffer, initializedCount in
      let target = unsafe DisjointBuffer(buffer)
      forEachChunk(of: count, chunkSize: chunkSize) { _, range in
        target.fill(range) { span in fill(range, &span) }
      }
      initializedCount = count
    }
  }

  /// Makes an array of the values of a function, many per chunk: for small elements such as
  /// normals.
  @inlinable
  public static func array<Element: BitwiseCopyable & Sendable>(
    count: Int, chunkSize: Int = 1 << 14, element: @Sendable (Int) -> Element
  ) -> [Element] {
    array(count: count, chunkSize: chunkSize) { range, elements in
      for index in range { elements.append(element(index)) }
    }
  }

  /// Changes the elements of an array in place, chunk by chunk on all cores.
  @inlinable
  public static func update<Element: BitwiseCopyable & Sendable>(
    _ array: inout [Element], chunkSize: Int = 1 << 14,
    _ change: @Sendable (inout MutableSpan<Element>) -> Void
  ) {
    array.withDisjointBuffer { elements in
      forEachChunk(of: elements.count, chunkSize: chunkSize) { _, range in
        elements.update(range, change)
      }
    }
  }

  /// Joins arrays in order, on all cores.
  @inlinable
  public static func joined<Element: BitwiseCopyable & Sendable>(_ parts: [[Element]]) -> [Element]
  {
    guard parts.count > 1 else { return parts.first ?? [] }
    var starts = [0]
    for part in parts { starts.append(starts[starts.count - 1] + part.count) }
    let count = starts[parts.count]
    return unsafe Array(unsafeUninitializedCapacity: count) { [starts] buffer, initializedCount in
      let target = unsafe DisjointBuffer(buffer)
      forEachChunk(of: parts.count, chunkSize: 1) { index, _ in
        target.copy(parts[index], at: starts[index])
      }
      initializedCount = count
    }
  }
}

extension Parallel {
  /// Makes an array of the results of `body` for `0..<count`, each on any core.
  ///
  /// For few, long tasks: the result is protected by a lock.
  public static func map<Result: Sendable>(
    count: Int, _ body: @Sendable (Int) -> Result
  ) -> [Result] {
    let results = Mutex([Result?](repeating: nil, count: count))
    forEachChunk(of: count, chunkSize: 1) { index, _ in
      let result = body(index)
      results.withLock { $0[index] = result }
    }
    return results.withLock { $0.compactMap(\.self) }
  }
}
