public import MeshpipeBase

/// Elements in memory that several threads use at the same time, each thread others of them.
///
/// A view that does not own its memory; every access is bounds-checked. That no two threads use an
/// element at once is up to the algorithm: the compiler can't check it. ``ScratchBuffer`` owns such
/// memory, and arrays lend theirs by ``Swift/Array/withDisjointBuffer(_:)``.
@safe @usableFromInline
package struct DisjointBuffer<Element: Sendable>: @unchecked Sendable {
  @usableFromInline let base: UnsafeMutableBufferPointer<Element>

  @unsafe @inlinable
  package init(_ base: UnsafeMutableBufferPointer<Element>) { unsafe self.base = unsafe base }

  /// The number of elements.
  @inlinable @inline(__always)
  package var count: Int { unsafe base.count }

  /// The element at an index, which no other thread may use at the same time.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Element {
    unsafeAddress {
      unsafe precondition(index >= 0 && index < base.count)
      return unsafe UnsafePointer(base.baseAddress.unsafelyUnwrapped + index)
    }
    nonmutating unsafeMutableAddress {
      unsafe precondition(index >= 0 && index < base.count)
      return unsafe base.baseAddress.unsafelyUnwrapped + index
    }
  }
}

extension DisjointBuffer where Element: SIMDScalar {
  /// Eight elements from an index on, at once.
  @inlinable @inline(__always)
  package subscript(vectorAt first: Int) -> SIMD8<Element> {
    get {
      unsafe precondition(first >= 0 && first + 8 <= base.count)
      return unsafe UnsafeRawPointer(base.baseAddress.unsafelyUnwrapped + first)
        .loadUnaligned(as: SIMD8<Element>.self)
    }
    nonmutating set {
      unsafe precondition(first >= 0 && first + 8 <= base.count)
      unsafe UnsafeMutableRawPointer(base.baseAddress.unsafelyUnwrapped + first)
        .storeBytes(of: newValue, as: SIMD8<Element>.self)
    }
  }
}

extension Array where Element: Sendable {
  /// Lends the elements to code that runs on several threads.
  @inlinable
  package mutating func withDisjointBuffer<Result>(
    _ body: (DisjointBuffer<Element>) throws -> Result
  ) rethrows -> Result {
    try unsafe withUnsafeMutableBufferPointer { try body(unsafe DisjointBuffer(unsafe $0)) }
  }
}

extension DisjointBuffer where Element: BitwiseCopyable {
  /// Sets a range of elements to a value.
  @inlinable
  package func fill(_ range: Range<Int>, with value: Element) {
    unsafe UnsafeMutableBufferPointer(rebasing: base[range]).initialize(repeating: value)
  }

  /// Fills a range of elements; `body` must append exactly this many.
  @inlinable
  package func fill(_ range: Range<Int>, _ body: (inout OutputSpan<Element>) -> Void) {
    let part = unsafe UnsafeMutableBufferPointer(rebasing: base[range])
    var span = unsafe OutputSpan(buffer: part, initializedCount: 0)
    body(&span)
    let filled = unsafe span.finalize(for: part)
    precondition(filled == range.count, "a chunk was not filled")
  }

  /// Changes a range of elements in place.
  @inlinable
  package func update(_ range: Range<Int>, _ change: (inout MutableSpan<Element>) -> Void) {
    let part = unsafe UnsafeMutableBufferPointer(rebasing: base[range])
    var span = unsafe MutableSpan(_unsafeElements: part)
    change(&span)
  }

  /// Copies elements to a range that begins at `start`.
  @inlinable
  package func copy(_ elements: [Element], at start: Int) {
    let target = unsafe UnsafeMutableBufferPointer(
      rebasing: base[start..<start + elements.count])
    unsafe elements.withUnsafeBufferPointer { _ = unsafe target.update(fromContentsOf: $0) }
  }

  /// Frees memory that was allocated for these elements.
  @unsafe
  package func deallocate() { unsafe base.deallocate() }

  /// Asks for elements to be in the core's cache soon; other threads may write them meanwhile.
  @inlinable @inline(__always)
  package func prefetch(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    unsafe MeshpipeBase.prefetch(
      UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: base[range])))
  }
}
