import MeshpipeScene

/// The elements of an array while several threads modify them, each its own.
@safe
public struct SharedElements<Element: Sendable>: @unchecked Sendable {
  @usableFromInline let base: UnsafeMutableBufferPointer<Element>

  @inlinable
  init(_ base: UnsafeMutableBufferPointer<Element>) { unsafe self.base = unsafe base }

  /// No two threads may use the same index at the same time.
  @inlinable @inline(__always)
  public subscript(index: Int) -> Element {
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

extension Array where Element: Sendable {
  /// Lends the elements to code that runs on several threads.
  @inlinable
  public mutating func withSharedElements<Result>(
    _ body: (SharedElements<Element>) throws -> Result
  ) rethrows -> Result {
    try unsafe withUnsafeMutableBufferPointer { try body(unsafe SharedElements(unsafe $0)) }
  }
}
