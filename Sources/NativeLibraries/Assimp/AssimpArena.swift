internal import CAssimp

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The memory of a scene that is built for export: zeroed, freed all at once.
///
/// Assimp copies a scene before it exports it and never frees the original; its own functions for
/// freeing scenes must not be given this one.
@safe
final class AssimpArena {
  private var blocks: [UnsafeMutableRawPointer] = unsafe []

  deinit { for index in unsafe blocks.indices { unsafe free(blocks[index]) } }

  /// Zeroed memory for so many elements; it lives as long as the arena.
  @unsafe
  func allocate<Element>(_ type: Element.Type, _ count: Int) -> UnsafeMutablePointer<Element> {
    guard let block = unsafe calloc(max(count, 1), MemoryLayout<Element>.stride) else {
      // As everywhere in a worker: the parent learns of it from the way this process ends.
      abort()
    }
    unsafe blocks.append(block)
    return unsafe block.bindMemory(to: type, capacity: max(count, 1))
  }

  /// A copy of an array.
  @unsafe
  func copy<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeMutablePointer<Element> {
    let copy = unsafe allocate(Element.self, elements.count)
    unsafe copy.update(from: elements, count: elements.count)
    return unsafe copy
  }

  /// A list of pointers, as Assimp holds most of its objects.
  @unsafe
  func list<Element>(
    _ elements: [UnsafeMutablePointer<Element>]
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<Element>?> {
    let list = unsafe allocate(UnsafeMutablePointer<Element>?.self, elements.count)
    for index in unsafe elements.indices { unsafe list[index] = unsafe elements[index] }
    return unsafe list
  }
}

extension aiString {
  /// A string cut off where Assimp's fixed size ends.
  init(_ text: String) {
    self.init()
    var bytes = Array(text.utf8.prefix(MemoryLayout.size(ofValue: data) - 1))
    // Not in the middle of a character.
    while !bytes.isEmpty, String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
    unsafe withUnsafeMutableBytes(of: &data) { unsafe $0.copyBytes(from: bytes) }
    length = ai_uint32(bytes.count)
  }
}
