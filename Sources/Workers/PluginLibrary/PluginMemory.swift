internal import CMeshpipePlugin
import MeshpipeBase
import POSIX
import Synchronization

/// The memory that meshpipe allocates for one run of a plugin, and the arrays lent to it.
///
/// It records the length of each block, so that results are only read inside blocks.
final class PluginMemory: Sendable {
  private struct Blocks {
    /// The lengths in bytes of blocks to be freed at the end, by address.
    var owned: [UInt: Int] = [:]
    /// The same for arrays of the scene.
    var lent: [UInt: Int] = [:]
  }

  private let blocks = Mutex(Blocks())

  deinit {
    let addresses = blocks.withLock { $0.owned.keys }
    for address in addresses { unsafe free(UnsafeMutableRawPointer(bitPattern: address)) }
  }

  /// A zeroed block; nil if memory is exhausted.
  func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
    let length = max(count, 1)
    guard count >= 0, let block = unsafe calloc(length, 1) else { return nil }
    let address = UInt(bitPattern: block)
    blocks.withLock { $0.owned[address] = length }
    return unsafe block
  }

  /// Registers an array of the scene.
  func lend(_ address: UInt, count: Int) {
    blocks.withLock { $0.lent[address] = count }
  }

  /// The length of the block that begins at an address; nil if there is none.
  func length(at address: UInt) -> Int? {
    blocks.withLock { $0.owned[address] ?? $0.lent[address] }
  }

  // MARK: Values from meshpipe

  private func block(_ count: Int) throws(PluginLibraryError) -> UnsafeMutableRawPointer {
    guard let block = unsafe allocate(count) else { throw .outOfMemory }
    return unsafe block
  }

  /// A structure of the ABI in its own block, with its size in the first field.
  func structure<Structure>(
    _ empty: Structure
  ) throws(PluginLibraryError) -> UnsafeMutablePointer<Structure> {
    let place = unsafe try store(empty)
    unsafe UnsafeMutableRawPointer(place).storeBytes(
      of: MemoryLayout<Structure>.stride, as: Int.self)
    return unsafe place
  }

  /// A value in its own block.
  func store<Structure>(
    _ value: Structure
  ) throws(PluginLibraryError) -> UnsafeMutablePointer<Structure> {
    let place = unsafe try block(MemoryLayout<Structure>.stride)
      .assumingMemoryBound(to: Structure.self)
    unsafe place.initialize(to: value)
    return unsafe place
  }

  /// A list of pointers.
  func list<Element>(
    _ elements: [Element]
  ) throws(PluginLibraryError) -> UnsafeMutablePointer<Element?> {
    let list = unsafe try block(elements.count * MemoryLayout<Element?>.stride)
      .assumingMemoryBound(to: Element?.self)
    for (index, element) in elements.enumerated() {
      unsafe (list + index).initialize(to: element)
    }
    return unsafe list
  }

  /// A zero-terminated text.
  func text(_ text: String) throws(PluginLibraryError) -> UnsafePointer<CChar> {
    unsafe UnsafePointer(try copy(Array(text.utf8) + [0]).assumingMemoryBound(to: CChar.self))
  }

  /// A copy of an array.
  func copy(_ array: some LendableArray) throws(PluginLibraryError) -> UnsafeMutableRawPointer {
    let place = unsafe try block(array.byteCount)
    unsafe array.withAddress { source in
      unsafe place.copyMemory(from: source, byteCount: array.byteCount)
    }
    return unsafe place
  }
}

extension PluginMemory {
  /// A JSON value as C structures.
  func value(_ json: JSONValue) throws(PluginLibraryError) -> UnsafeMutablePointer<meshpipe_value> {
    var value = unsafe meshpipe_value()
    unsafe value.struct_size = MemoryLayout<meshpipe_value>.stride
    switch json.content {
    case .null: unsafe value.kind = Int32(MESHPIPE_NULL)
    case .bool(let flag):
      unsafe value.kind = Int32(MESHPIPE_BOOL)
      unsafe value.number = flag ? 1 : 0
    case .number(let number):
      unsafe value.kind = Int32(MESHPIPE_NUMBER)
      unsafe value.number = number
    case .string(let text):
      unsafe value.kind = Int32(MESHPIPE_TEXT)
      unsafe value.text = try self.text(text)
    case .array(let elements):
      unsafe value.kind = Int32(MESHPIPE_LIST)
      unsafe try setItems(of: &value, elements)
    case .object(let members):
      unsafe value.kind = Int32(MESHPIPE_OBJECT)
      unsafe try setItems(of: &value, members.map(\.value))
      var names = unsafe [UnsafePointer<CChar>]()
      for member in members { unsafe names.append(try text(member.key)) }
      unsafe value.names = UnsafePointer(try list(names))
    }
    return unsafe try store(value)
  }

  private func setItems(
    of value: inout meshpipe_value, _ elements: [JSONValue]
  ) throws(PluginLibraryError) {
    var items = unsafe [UnsafePointer<meshpipe_value>]()
    for element in elements { unsafe items.append(UnsafePointer(try self.value(element))) }
    unsafe value.count = items.count
    unsafe value.items = UnsafePointer(try list(items))
  }
}
