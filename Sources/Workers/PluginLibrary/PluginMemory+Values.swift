internal import CMeshpipePlugin
import MeshpipeBase

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
