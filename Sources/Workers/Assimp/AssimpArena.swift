internal import CAssimp
import MeshpipeBase
import POSIX

/// The memory of a scene built for export: zeroed, and freed all at once.
///
/// Assimp copies a scene before it exports it and never frees the original; its own functions for
/// freeing scenes must not be called with this one.
@safe
final class AssimpArena {
  private var blocks: [UnsafeMutableRawPointer] = unsafe []

  deinit { for index in unsafe blocks.indices { unsafe free(blocks[index]) } }

  /// Zeroed memory for a number of elements; it lives as long as the arena.
  @unsafe
  func allocate<Element>(_ type: Element.Type, _ count: Int) -> UnsafeMutablePointer<Element> {
    guard let block = unsafe calloc(max(count, 1), MemoryLayout<Element>.stride) else {
      // As everywhere in a worker: the parent learns about it from the process's exit.
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

  /// A list of pointers, as used by Assimp for most of its objects.
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
  /// A string truncated to Assimp's fixed size.
  init(_ text: String) {
    self.init()
    var bytes = Array(text.utf8.prefix(MemoryLayout.size(ofValue: data) - 1))
    // Not inside a character.
    while !bytes.isEmpty, String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
    unsafe withUnsafeMutableBytes(of: &data) { unsafe $0.copyBytes(from: bytes) }
    length = ai_uint32(bytes.count)
  }
}
