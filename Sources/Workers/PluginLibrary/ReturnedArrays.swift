internal import CMeshpipePlugin
import MeshpipeBase
import MeshpipeScene

/// Reads lists, structures and arrays returned by a plugin, and nothing beyond their blocks.
struct ReturnedArrays {
  /// The arrays lent to the plugin, by address.
  let lent: [UInt: any LendableArray]
  let memory: PluginMemory

  /// The maximum number of vertices, faces or points: no resulting size in bytes overflows.
  private static let maximumCount = Int(UInt32.max)

  /// - Parameter owner: The owner for messages: `mesh 2`.
  func count(_ count: Int, _ what: String, of owner: String) throws(PluginLibraryError) -> Int {
    guard 0...Self.maximumCount ~= count else {
      throw .nonsense("\(owner) has \(UInt(bitPattern: count)) \(what)")
    }
    return count
  }

  /// The pointers of a list, none of which is NULL.
  func list<Structure>(
    _ list: UnsafeMutablePointer<UnsafeMutablePointer<Structure>?>?, _ count: Int, _ what: String
  ) throws(PluginLibraryError) -> [UnsafeMutablePointer<Structure>] {
    let count = try self.count(count, what, of: "the scene")
    guard count > 0 else { return unsafe [] }
    guard let list = unsafe list else { throw .nonsense("its list of \(what) is NULL") }
    try unsafe expect(count * MemoryLayout<UInt>.stride, at: list, "the list of \(what)")
    var elements = unsafe [UnsafeMutablePointer<Structure>]()
    for index in 0..<count {
      guard let element = unsafe list[index] else {
        throw .nonsense("number \(index) of its \(what) is NULL")
      }
      unsafe elements.append(element)
    }
    return unsafe elements
  }

  /// A structure in the size known to the plugin; missing fields are as in `empty`.
  func structure<Structure>(
    _ place: UnsafeMutablePointer<Structure>, _ empty: Structure, _ owner: String
  ) throws(PluginLibraryError) -> Structure {
    try unsafe expect(MemoryLayout<Int>.size, at: place, owner)
    let size = unsafe UnsafeRawPointer(place).load(as: Int.self)
    guard size >= MemoryLayout<Int>.size else {
      throw .nonsense("'struct_size' of \(owner) is \(size)")
    }
    try unsafe expect(size, at: place, owner)
    var structure = empty
    unsafe withUnsafeMutableBytes(of: &structure) { bytes in
      unsafe bytes.copyMemory(
        from: UnsafeRawBufferPointer(start: place, count: min(size, bytes.count)))
    }
    return structure
  }

  /// An array: the lent one, or otherwise a copy; nil for NULL.
  func array<Element: PlainValue>(
    _ place: UnsafeRawPointer?, _ count: Int, _ what: String, of owner: String
  ) throws(PluginLibraryError) -> [Element]? {
    guard let place = unsafe place else { return nil }
    guard count > 0 else { return [] }
    if let own = lent[UInt(bitPattern: place)] as? [Element], own.count == count {
      return own
    }
    let length = count * MemoryLayout<Element>.stride
    try unsafe expect(length, at: place, "\(what) of \(owner)")
    return unsafe [Element](unsafeUninitializedCapacity: count) { buffer, filled in
      unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(
        from: UnsafeRawBufferPointer(start: place, count: length))
      filled = count
    }
  }

  /// A required array.
  func required<Element: PlainValue>(
    _ place: UnsafeRawPointer?, _ count: Int, _ what: String, of owner: String
  ) throws(PluginLibraryError) -> [Element] {
    let array: [Element]? = unsafe try self.array(place, count, what, of: owner)
    guard let array else {
      if count == 0 { return [] }
      throw .nonsense("\(what) of \(owner) are NULL")
    }
    return array
  }

  /// The labels of faces or points with the class names.
  func classes(
    at address: UnsafePointer<UInt16>?, count: Int,
    names: UnsafePointer<UnsafePointer<CChar>?>?, nameCount: Int, of owner: String
  ) throws(PluginLibraryError) -> FaceClasses? {
    let labels: [UInt16]? = unsafe try array(address, count, "classes", of: owner)
    guard let labels else { return nil }
    guard 0...65_536 ~= nameCount else { throw .nonsense("\(owner) has too many class names") }
    guard let names = unsafe names else { return FaceClasses(labels: labels, names: []) }
    return FaceClasses(
      labels: labels, names: (0..<nameCount).map { unsafe String(text: names[$0]) })
  }

  private func expect(
    _ length: Int, at place: UnsafeRawPointer, _ what: String
  ) throws(PluginLibraryError) {
    guard let room = memory.length(at: UInt(bitPattern: place)) else {
      throw .nonsense("\(what): not in a block from 'allocate' or a lent one")
    }
    guard room >= length else {
      throw .nonsense("\(what): a block of \(room) bytes instead of \(length)")
    }
  }
}

extension ReturnedArrays {
  /// The largest number of values of an element, as on the wire.
  private static let maximumWidth = 1 << 16

  /// Reads the custom attributes of a mesh or point cloud whose elements are already there.
  ///
  /// - Parameter name: The owner for messages: `mesh 2`.
  func readAttributes<Owner: AttributeOwner>(
    _ list: UnsafeMutablePointer<UnsafeMutablePointer<meshpipe_attribute>?>?, _ count: Int,
    into owner: inout Owner, _ name: String
  ) throws(PluginLibraryError) {
    guard count <= CustomAttribute.mostOfElement else {
      throw .nonsense("\(name) has more than \(CustomAttribute.mostOfElement) custom attributes")
    }
    let places = unsafe try self.list(list, count, "custom attributes of \(name)")
    for index in unsafe places.indices {
      let label = "custom attribute \(index) of \(name)"
      let given = unsafe try structure(places[index], unsafe meshpipe_attribute(), label)
      guard let element = unsafe AttributeElement(pluginNumber: given.element),
        Owner.elements.contains(element), let type = unsafe NumberType(pluginNumber: given.type),
        unsafe 1...Self.maximumWidth ~= given.width
      else { throw .nonsense("\(label) has an unknown element or type, or an impossible width") }
      let attribute = unsafe CustomAttribute(
        String(text: given.name), width: given.width,
        values: try values(
          at: given.values, type: type, count: given.width * owner.count(of: element), of: label))
      let path = Owner.customAttributes(of: element)
      guard !attribute.name.isEmpty, owner[keyPath: path][attribute.name] == nil else {
        throw .nonsense("\(label) has no name, or that of another: '\(attribute.name)'")
      }
      owner[keyPath: path].append(attribute)
    }
  }

  private func values(
    at address: UnsafeRawPointer?, type: NumberType, count: Int, of owner: String
  ) throws(PluginLibraryError) -> CustomAttribute.Values {
    switch type {
    case .int8: unsafe .int8(try required(address, count, "values", of: owner))
    case .uint8: unsafe .uint8(try required(address, count, "values", of: owner))
    case .int16: unsafe .int16(try required(address, count, "values", of: owner))
    case .uint16: unsafe .uint16(try required(address, count, "values", of: owner))
    case .int32: unsafe .int32(try required(address, count, "values", of: owner))
    case .uint32: unsafe .uint32(try required(address, count, "values", of: owner))
    case .uint64: unsafe .uint64(try required(address, count, "values", of: owner))
    case .float32: unsafe .float32(try required(address, count, "values", of: owner))
    case .float64: unsafe .float64(try required(address, count, "values", of: owner))
    }
  }
}
