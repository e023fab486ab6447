/// A fixed number of plain values in one allocation, with checked subscripts.
///
/// An `Array` checks for uniqueness at each store; kernels with millions of random stores keep
/// their working memory here. Every access is bounds-checked. It is a ``SharedArray`` with one
/// owner, who deallocates it.
struct FixedArray<Element: BitwiseCopyable & Sendable>: ~Copyable {
  private let storage: SharedArray<Element>

  init(repeating value: Element, count: Int) {
    storage = .allocate(repeating: value, count: count)
  }

  deinit { storage.deallocate() }

  var count: Int { storage.count }

  @inline(__always)
  subscript(index: Int) -> Element {
    get { storage[index] }
    set { storage[index] = newValue }
  }

  @inline(__always)
  subscript(index: UInt32) -> Element {
    get { storage[index] }
    set { storage[index] = newValue }
  }
}
