internal import CMeshpipePlugin
import MeshpipeScene

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
        values: try values(given.values, type, given.width * owner.count(of: element), label))
      let path = Owner.customAttributes(of: element)
      guard !attribute.name.isEmpty, owner[keyPath: path][attribute.name] == nil else {
        throw .nonsense("\(label) has no name, or that of another: '\(attribute.name)'")
      }
      owner[keyPath: path].append(attribute)
    }
  }

  private func values(
    _ place: UnsafeRawPointer?, _ type: NumberType, _ count: Int, _ owner: String
  ) throws(PluginLibraryError) -> CustomAttribute.Values {
    switch type {
    case .int8: unsafe .int8(try required(place, count, "values", of: owner))
    case .uint8: unsafe .uint8(try required(place, count, "values", of: owner))
    case .int16: unsafe .int16(try required(place, count, "values", of: owner))
    case .uint16: unsafe .uint16(try required(place, count, "values", of: owner))
    case .int32: unsafe .int32(try required(place, count, "values", of: owner))
    case .uint32: unsafe .uint32(try required(place, count, "values", of: owner))
    case .uint64: unsafe .uint64(try required(place, count, "values", of: owner))
    case .float32: unsafe .float32(try required(place, count, "values", of: owner))
    case .float64: unsafe .float64(try required(place, count, "values", of: owner))
    }
  }
}
