import MeshpipeBase
import MeshpipeScene

/// Memory for plain values that several threads fill at the same time, each at different positions.
///
/// A freely copied view; its creator deallocates it when no thread uses it any more. Every
/// access is bounds-checked. Preventing data races is up to the algorithm.
@safe
struct SharedArray<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  private let storage: UnsafeMutableBufferPointer<Element>
  /// The cache line size: elements with a power-of-two size never straddle two lines.
  private static var lineSize: Int { 64 }

  /// - Parameter value: The initial value of each element.
  static func allocate(repeating value: Element, count: Int) -> SharedArray {
    let result = allocate(uninitialized: count)
    // On all cores, since the system clears fresh pages at first touch.
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

  /// Uninitialised elements, each of which must be written before it is read.
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

  /// Asks for elements to be in the core's cache soon; other threads may write them meanwhile.
  @inline(__always)
  func prefetch(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    unsafe MeshpipeBase.prefetch(
      UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: storage[range])))
  }

  func deallocate() { unsafe storage.deallocate() }

  var count: Int { unsafe storage.count }

  /// Moves each element forward to its new index; those whose index is the highest number are
  /// dropped.
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
