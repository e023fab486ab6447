import MeshPipeline

/// A property with one number that no built-in attribute takes.
struct PLYCustomColumn: Sendable {
  var name: String
  var type: NumberType
}

extension PLYContents {
  /// The properties that no built-in attribute takes, record by record; numbered ones together, and identifiers as integers.
  var customAttributes: [CustomAttribute] {
    let columns = plan.customColumns
    var attributes: [CustomAttribute] = []
    for group in NumberedColumns.groups(of: columns.map { ($0.name, $0.type) })
    where !group.name.isEmpty && attributes[group.name] == nil {
      attributes.append(
        CustomAttribute(
          group.name, width: group.range.count,
          values: table.custom(
            group.range, of: columns.count, columns[group.range.lowerBound].type)))
    }
    return attributes.joiningHalves.withWholeIdentifiers
  }
}

extension PLYContents {
  /// The custom attributes of faces; the triangles of a polygon share its values.
  ///
  /// - Returns: Nil if they would take much more memory than the file, as with a polygon of many
  ///   corners and properties.
  func customFaceAttributes(fileSize: Int) -> [CustomAttribute]? {
    guard !polygons.isEmpty, !plan.customColumns.isEmpty else { return customAttributes }
    guard corners.count / 3 * plan.customColumns.count <= 10_000_000 + 16 * fileSize else {
      return nil
    }
    var records: [UInt32] = []
    records.reserveCapacity(corners.count / 3)
    var record: UInt32 = 0
    for polygon in polygons {
      while records.count < polygon.firstFace {
        records.append(record)
        record += 1
      }
      for _ in 2..<polygon.cornerCount { records.append(record) }
      record += 1
    }
    while records.count < corners.count / 3 {
      records.append(record)
      record += 1
    }
    var attributes = customAttributes
    attributes.apply(ChosenElements(records))
    return attributes
  }
}

/// The custom attributes of the rows of a PLY file: one property for each number of an element.
struct PLYCustomRows {
  /// A half of an integer of 64 bits.
  enum Half: String, CaseIterable { case low32, high32 }

  /// A property, and where it comes from.
  struct Property {
    var name: String
    var type: NumberType
    fileprivate var attribute: String
    fileprivate var part: Int
    fileprivate var half: Half?
  }

  private(set) var properties: [Property] = []
  private var names: Set<String>

  /// - Parameters:
  ///   - lists: The custom attributes of all meshes or clouds.
  ///   - taken: The names of the other properties of the element.
  ///   - hasWideIntegers: Whether the format has integers of 64 bits. Otherwise they are doubles where that is exact, and
  ///     two halves where it isn't.
  init(_ lists: [[CustomAttribute]], taken: [String], hasWideIntegers: Bool = true) {
    names = Set(taken)
    for kind in CustomAttribute.commonKinds(of: lists) {
      let own = lists.joined().filter { $0.name == kind.name }
      let width = own.map(\.width).max() ?? kind.width
      let isWide = kind.type == .uint64 && !hasWideIntegers
      let isExact = isWide && own.allSatisfy(\.values.fitDoubles)
      for part in 0..<width {
        let word = String(kind.name.map { $0.isWhitespace || $0.isNewline ? "_" : $0 })
        let name = width == 1 ? word : "\(word)_\(part)"
        guard isWide, !isExact else {
          add(name, type: isWide ? .float64 : kind.type, kind: kind, part: part)
          continue
        }
        for half in Half.allCases {
          add("\(name)_\(half)", type: .uint32, kind: kind, part: part, half: half)
        }
      }
    }
  }

  private mutating func add(
    _ name: String, type: NumberType, kind: CustomAttribute.Kind, part: Int, half: Half? = nil
  ) {
    var name = name
    while !names.insert(name).inserted { name = "custom_" + name }
    properties.append(
      Property(name: name, type: type, attribute: kind.name, part: part, half: half))
  }

  /// The values of one mesh or cloud; elements without an attribute get zeros.
  func values(of attributes: [CustomAttribute]) -> [PLYCustomValues] {
    properties.map { property in
      let own = attributes[property.attribute].flatMap { property.part < $0.width ? $0 : nil }
      return PLYCustomValues(
        values: own?.values, width: own?.width ?? 1, part: property.part, type: property.type,
        half: property.half)
    }
  }
}

/// The values of a property of one mesh or cloud.
struct PLYCustomValues {
  /// Nil for zeros.
  private(set) var values: CustomAttribute.Values?
  private(set) var width: Int
  private(set) var part: Int
  /// The type of the property: that of the values, or one that holds them.
  fileprivate var type: NumberType
  fileprivate var half: PLYCustomRows.Half?
}

extension PLYRow {
  /// Appends the value of an element.
  func append(_ property: PLYCustomValues, of element: Int, to buffer: inout ByteBuffer) {
    let index = property.width * element + property.part
    switch property.values {
    case let values? where property.half != nil:
      let word = values.unsigned(at: index) ?? 0
      append(UInt32(truncatingIfNeeded: property.half == .low32 ? word : word >> 32), to: &buffer)
    case .int8(let values) where property.type == .int8: append(values[index], to: &buffer)
    case .uint8(let values) where property.type == .uint8: append(values[index], to: &buffer)
    case .int16(let values) where property.type == .int16: append(values[index], to: &buffer)
    case .uint16(let values) where property.type == .uint16: append(values[index], to: &buffer)
    case .int32(let values) where property.type == .int32: append(values[index], to: &buffer)
    case .uint32(let values) where property.type == .uint32: append(values[index], to: &buffer)
    case let values? where property.type == .uint64:
      append(values.unsigned(at: index) ?? 0, to: &buffer)
    case .uint64(let values) where isText: append(values[index], to: &buffer)
    case .float32(let values) where property.type == .float32:
      append(custom: values[index], to: &buffer)
    case let values?: append(custom: values.double(at: index), to: &buffer)
    case nil: appendZero(property.type, to: &buffer)
    }
  }

  private func appendZero(_ type: NumberType, to buffer: inout ByteBuffer) {
    switch type.size {
    case 1: append(0 as UInt8, to: &buffer)
    case 2: append(0 as UInt16, to: &buffer)
    case 4: append(0 as UInt32, to: &buffer)
    default: append(0 as UInt64, to: &buffer)
    }
  }
}

extension NumberType {
  /// The name in a PLY header that all programs know, if there is one.
  var plyName: String {
    switch self {
    case .int8: "char"
    case .uint8: "uchar"
    case .int16: "short"
    case .uint16: "ushort"
    case .int32: "int"
    case .uint32: "uint"
    case .uint64: "uint64"
    case .float32: "float"
    case .float64: "double"
    }
  }
}
