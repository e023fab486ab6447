import MeshpipeBase
import MeshpipeScene
import NativeLibraries

/// Writes the arrays of attributes, in the order of the table.
struct AttributeWriter<Owner: AttributeOwner, Output: WireOutput>: AttributeVisitor {
  let owner: Owner

  /// Writes all attributes: those of the table, then custom ones in the order of the header.
  static func write(_ owner: Owner, to output: inout Output) throws {
    try Owner.forEachAttribute(AttributeWriter(owner: owner), &output)
    for attribute in owner.allCustomAttributes { try output.write(attribute.values) }
  }

  func visit<Value: AttributeValue>(
    _ attribute: Attribute<Owner, Value>, _ output: inout Output
  ) throws(any Error) {
    if let values = owner[keyPath: attribute.path] { try output.write(values) }
  }
}

/// Reads the arrays of attributes, in the order of the table.
struct AttributeReader<Owner: AttributeOwner, Input: WireInput>: AttributeVisitor {
  struct Reading {
    var owner: Owner
    var input: Input
  }

  private let layout: AttributeLayout<Owner>

  /// Reads all attributes: those of the table, then custom ones in the order of the header.
  static func read(
    _ layout: AttributeLayout<Owner>, of owner: inout Owner, from input: inout Input
  ) throws {
    var reading = Reading(owner: owner, input: input)
    try Owner.forEachAttribute(AttributeReader(layout: layout), &reading)
    for (element, kind) in layout.customAttributes {
      let values = try reading.input.values(
        kind.type, count: kind.width * layout.count(of: element))
      reading.owner[keyPath: Owner.customAttributes(of: element)].append(
        CustomAttribute(kind.name, width: kind.width, values: values))
    }
    (owner, input) = (reading.owner, reading.input)
  }

  func visit<Value: AttributeValue>(
    _ attribute: Attribute<Owner, Value>, _ reading: inout Reading
  ) throws(any Error) {
    guard layout.names.contains(attribute.name) else { return }
    reading.owner[keyPath: attribute.path] = try reading.input.array(
      attribute.neutral, layout.count(of: attribute.element))
  }
}

/// The arrays of a mesh or point cloud in a message, besides positions and indices.
struct AttributeLayout<Owner: AttributeOwner> {
  /// The attributes of the table that are present.
  private(set) var names: Set<String> = []
  /// The others, in order.
  private(set) var customAttributes: [(element: AttributeElement, kind: CustomAttribute.Kind)] = []
  /// The number of elements of each kind.
  private let counts: [AttributeElement: Int]

  /// - Parameter header: That of the mesh or point cloud.
  init(_ header: WireHeader, counts: [AttributeElement: Int]) throws(WireError) {
    self.counts = counts
    let known = Set(Owner.attributeEntries.map(\.name))
    for name in try header.strings("attributes") {
      guard known.contains(name) else { throw .header("unknown attribute '\(name)'") }
      guard names.insert(name).inserted else {
        throw .header("the attribute '\(name)' is named twice")
      }
    }
    let entries = try header.objects("customAttributes")
    guard entries.count <= CustomAttribute.mostOfElement else {
      throw .header("there are more than \(CustomAttribute.mostOfElement) custom attributes")
    }
    for entry in entries {
      let element: AttributeElement = try entry.word("per")
      let kind = CustomAttribute.Kind(
        name: try entry.string("name"), type: try entry.word("type"),
        width: entry.has("width") ? try entry.count("width", limit: 1 << 16) : 1)
      guard counts[element] != nil, kind.width > 0 else {
        throw .header("the custom attribute '\(kind.name)' has an impossible 'per' or 'width'")
      }
      guard !customAttributes.contains(where: { $0 == element && $1.name == kind.name }) else {
        throw .header("the custom attribute '\(kind.name)' is named twice")
      }
      customAttributes.append((element, kind))
    }
  }

  func count(of element: AttributeElement) -> Int { counts[element] ?? 0 }

  /// The bytes of each array.
  var byteCounts: [Int] {
    let ofTable = Owner.attributeEntries.filter { names.contains($0.name) }.map {
      $0.stride * count(of: $0.element)
    }
    return ofTable
      + customAttributes.map { $1.width * $1.type.size * count(of: $0) }
  }
}

extension AttributeOwner {
  /// The attributes in the header of a message.
  var attributeMembers: [JSONValue.Member] {
    let names = presentAttributes.map { JSONValue(.string($0.name)) }
    var members = [JSONValue.Member("attributes", JSONValue(.array(names)))]
    let custom = Self.elements.flatMap { element in
      self[keyPath: Self.customAttributes(of: element)].map { attribute -> JSONValue in
        [
          "name": JSONValue(.string(attribute.name)),
          "per": JSONValue(.string(element.rawValue)),
          "type": JSONValue(.string(attribute.type.rawValue)), "width": attribute.width.json,
        ]
      }
    }
    if !custom.isEmpty { members.append(.init("customAttributes", JSONValue(.array(custom)))) }
    return members
  }
}

extension WireOutput {
  /// Writes the elements of an array.
  mutating func write<Element: BitwiseCopyable>(_ array: [Element]) throws {
    #if !_endian(little)
      #error("big-endian machines are not supported")
    #endif
    unsafe try write(array.span.bytes)
  }

  fileprivate mutating func write(_ values: CustomAttribute.Values) throws {
    switch values {
    case .int8(let values): try write(values)
    case .uint8(let values): try write(values)
    case .int16(let values): try write(values)
    case .uint16(let values): try write(values)
    case .int32(let values): try write(values)
    case .uint32(let values): try write(values)
    case .uint64(let values): try write(values)
    case .float32(let values): try write(values)
    case .float64(let values): try write(values)
    }
  }
}

extension WireInput {
  /// Reads the elements of an array.
  mutating func array<Element: BitwiseCopyable>(
    _ filler: Element, _ count: Int
  ) throws -> [Element] {
    var array = [Element](repeating: filler, count: count)
    var elements = array.mutableSpan
    var bytes = unsafe elements.mutableBytes
    try read(into: &bytes)
    return array
  }

  fileprivate mutating func values(
    _ type: NumberType, count: Int
  ) throws -> CustomAttribute.Values {
    switch type {
    case .int8: .int8(try array(0, count))
    case .uint8: .uint8(try array(0, count))
    case .int16: .int16(try array(0, count))
    case .uint16: .uint16(try array(0, count))
    case .int32: .int32(try array(0, count))
    case .uint32: .uint32(try array(0, count))
    case .uint64: .uint64(try array(0, count))
    case .float32: .float32(try array(0, count))
    case .float64: .float64(try array(0, count))
    }
  }
}
