/// Memory for plain values that several threads fill at the same time, each at places of its own.
///
/// A view that is copied freely; whoever allocates it deallocates it when no thread uses it any more.
/// Every access is checked against the bounds. That no two threads use one place, when one of them
/// writes, is up to the algorithm.
@safe
struct SharedArray<Element: BitwiseCopyable>: @unchecked Sendable {
  private let storage: UnsafeMutableBufferPointer<Element>
  /// Of a processor's cache: elements of a power of two of bytes never lie across two lines.
  private static var lineSize: Int { 64 }

  /// - Parameter value: What each place has at first.
  static func allocate(repeating value: Element, count: Int) -> SharedArray {
    let result = allocate(uninitialized: count)
    unsafe result.storage.initialize(repeating: value)
    return result
  }

  static func allocate(_ values: [Element]) -> SharedArray {
    let result = allocate(uninitialized: values.count)
    _ = unsafe result.storage.initialize(fromContentsOf: values)
    return result
  }

  private static func allocate(uninitialized count: Int) -> SharedArray {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<Element>.stride * count, alignment: lineSize)
    return unsafe SharedArray(
      storage: UnsafeMutableBufferPointer(
        start: memory.bindMemory(to: Element.self, capacity: count), count: count))
  }

  func deallocate() { unsafe storage.deallocate() }

  var count: Int { unsafe storage.count }

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count)
      return unsafe storage.baseAddress.unsafelyUnwrapped[index]
    }
    nonmutating set {
      precondition(index >= 0 && index < count)
      unsafe storage.baseAddress.unsafelyUnwrapped[index] = newValue
    }
  }

  @inline(__always)
  subscript(index: UInt32) -> Element {
    get { self[Int(index)] }
    nonmutating set { self[Int(index)] = newValue }
  }
}
