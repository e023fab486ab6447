import MeshpipeScene

/// A fixed number of plain values in one allocation that is freed with its owner.
///
/// An `Array` checks for uniqueness at each store; kernels with millions of random stores keep
/// their working memory here. Every access is bounds-checked. Several threads may use it, each
/// other elements, as with ``DisjointBuffer``.
struct ScratchBuffer<Element: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
  /// All elements, for code that may not outlive the owner.
  let elements: DisjointBuffer<Element>
  /// The cache line size: elements with a power-of-two size never straddle two lines.
  private static var lineSize: Int { 64 }

  /// - Parameter value: The initial value of each element.
  init(repeating value: Element, count: Int) {
    self.init(uninitialized: count)
    // On all cores, since the system clears fresh pages at first touch.
    Parallel.forEachChunk(of: count) { [elements] _, range in elements.fill(range, with: value) }
  }

  init(count: Int, element: @Sendable (Int) -> Element) {
    self.init(uninitialized: count)
    Parallel.forEachChunk(of: count) { [elements] _, range in
      elements.fill(range) { span in for index in range { span.append(element(index)) } }
    }
  }

  /// Uninitialised elements, each of which must be written before it is read.
  init(uninitialized count: Int) {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<Element>.stride * count, alignment: Self.lineSize)
    elements = unsafe DisjointBuffer(
      UnsafeMutableBufferPointer(
        start: memory.bindMemory(to: Element.self, capacity: count), count: count))
  }

  deinit { unsafe elements.deallocate() }

  var count: Int { elements.count }

  func fill(_ range: Range<Int>, with value: Element) { elements.fill(range, with: value) }

  /// Asks for elements to be in the core's cache soon; other threads may write them meanwhile.
  @inline(__always)
  func prefetch(_ range: Range<Int>) { elements.prefetch(range) }

  /// Moves each element forward to its new index; those whose index is the highest number are
  /// dropped.
  func move(to places: borrowing ScratchBuffer<UInt32>) {
    for index in 0..<min(count, places.count) where places[index] != .max {
      self[places[index]] = self[index]
    }
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    get { elements[index] }
    nonmutating set { elements[index] = newValue }
  }

  @inline(__always)
  subscript(index: UInt32) -> Element {
    get { elements[Int(index)] }
    nonmutating set { elements[Int(index)] = newValue }
  }
}

extension DisjointBuffer {
  @inline(__always)
  subscript(index: UInt32) -> Element {
    get { self[Int(index)] }
    nonmutating set { self[Int(index)] = newValue }
  }
}
