import MeshPipeline

/// Memory for plain values that several threads fill at the same time, each at places of its own.
///
/// A view that is copied freely; whoever allocates it deallocates it when no thread uses it any more.
/// Every access is checked against the bounds. That no two threads use one place, when one of them
/// writes, is up to the algorithm.
@safe
struct SharedArray<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  private let storage: UnsafeMutableBufferPointer<Element>
  /// Of a processor's cache: elements of a power of two of bytes never lie across two lines.
  private static var lineSize: Int { 64 }

  /// - Parameter value: What each place has at first.
  static func allocate(repeating value: Element, count: Int) -> SharedArray {
    let result = allocate(uninitialized: count)
    // On all cores, for the system clears fresh pages where they are touched first.
    Parallel.forEachChunk(of: count) { _, range in result.fill(range, with: value) }
    return result
  }

  static func allocate(count: Int, element: @Sendable (Int) -> Element) -> SharedArray {
    let result = allocate(uninitialized: count)
    Parallel.forEachChunk(of: count) { _, range in
      for index in range {
        unsafe (result.storage.baseAddress.unsafelyUnwrapped + index).initialize(to: element(index))
      }
    }
    return result
  }

  /// Room for elements, each of which must be written before it is read.
  static func allocate(uninitialized count: Int) -> SharedArray {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<Element>.stride * count, alignment: lineSize)
    return unsafe SharedArray(
      storage: UnsafeMutableBufferPointer(
        start: memory.bindMemory(to: Element.self, capacity: count), count: count))
  }

  func fill(_ range: Range<Int>, with value: Element) {
    unsafe UnsafeMutableBufferPointer(rebasing: storage[range]).initialize(repeating: value)
  }

  func deallocate() { unsafe storage.deallocate() }

  var count: Int { unsafe storage.count }

  /// Moves each element forward to its new place; those whose place is the highest number go.
  func move(to places: SharedArray<UInt32>) {
    for index in 0..<min(count, places.count) where places[index] != .max {
      self[places[index]] = self[index]
    }
  }

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
