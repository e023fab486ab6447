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
      let target = unsafe ParallelBuffer(buffer)
      forEachChunk(of: count, chunkSize: chunkSize) { _, range in
        unsafe target.fill(range) { span in fill(range, &span) }
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
    unsafe array.withUnsafeMutableBufferPointer { elements in
      let target = unsafe ParallelBuffer(elements)
      forEachChunk(of: elements.count, chunkSize: chunkSize) { _, range in
        let part = unsafe UnsafeMutableBufferPointer(rebasing: target.base[range])
        var span = unsafe MutableSpan(_unsafeElements: part)
        change(&span)
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
      let target = unsafe ParallelBuffer(buffer)
      forEachChunk(of: parts.count, chunkSize: 1) { index, _ in
        unsafe parts[index].withUnsafeBufferPointer { part in
          unsafe target.copy(part, at: starts[index])
        }
      }
      initializedCount = count
    }
  }
}

/// Memory that several threads fill at the same time, each its own part.
@unsafe @usableFromInline
struct ParallelBuffer<Element: BitwiseCopyable>: @unchecked Sendable {
  @usableFromInline let base: UnsafeMutableBufferPointer<Element>

  @inlinable
  init(_ base: UnsafeMutableBufferPointer<Element>) { unsafe self.base = unsafe base }

  /// Fills the elements of `range`, which no other thread touches.
  @inlinable
  func fill(_ range: Range<Int>, _ body: (inout OutputSpan<Element>) -> Void) {
    let part = unsafe UnsafeMutableBufferPointer(rebasing: base[range])
    var span = unsafe OutputSpan(buffer: part, initializedCount: 0)
    body(&span)
    let filled = unsafe span.finalize(for: part)
    precondition(filled == range.count, "a chunk was not filled")
  }

  @inlinable
  func copy(_ part: UnsafeBufferPointer<Element>, at start: Int) {
    let target = unsafe UnsafeMutableBufferPointer(rebasing: base[start..<start + part.count])
    _ = unsafe target.update(fromContentsOf: part)
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
