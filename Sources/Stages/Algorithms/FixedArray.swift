/// A fixed number of plain values in one allocation, with checked subscripts.
///
/// An `Array` asks at each store whether it is shared; kernels that store at random places, millions
/// of times, keep their working memory here. Every access is checked, so it is safe to use.
@safe
struct FixedArray<Element: BitwiseCopyable>: ~Copyable {
  private let storage: UnsafeMutableBufferPointer<Element>

  init(repeating value: Element, count: Int) {
    unsafe storage = .allocate(capacity: count)
    unsafe storage.initialize(repeating: value)
  }

  deinit { unsafe storage.deallocate() }

  var count: Int { unsafe storage.count }

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count)
      return unsafe storage.baseAddress.unsafelyUnwrapped[index]
    }
    set {
      precondition(index >= 0 && index < count)
      unsafe storage.baseAddress.unsafelyUnwrapped[index] = newValue
    }
  }

  @inline(__always)
  subscript(index: UInt32) -> Element {
    get { self[Int(index)] }
    set { self[Int(index)] = newValue }
  }
}
