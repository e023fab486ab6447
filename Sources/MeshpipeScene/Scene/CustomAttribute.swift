/// An attribute that meshpipe has no meaning for: it is read, selected, interpolated and written by
/// its name.
///
/// Examples are a scan's `intensity` or `scalar_Distance`, an `instance`, the properties of a
/// Gaussian splat. Where stages average or interpolate, floating-point values are interpolated and
/// integers chosen. Values are never converted: a custom direction or length stays as it is when
/// the scene is turned or scaled, except those of splats (``SplatForm``).
public struct CustomAttribute: Sendable, Equatable {
  /// The name, unique among those of the same element.
  public var name: String
  /// The number of values of each element, at least 1.
  public let width: Int
  /// ``width`` values for each element, element by element.
  public var values: Values

  /// Creates an attribute.
  ///
  /// - Precondition: `width` is positive and divides the number of values.
  public init(_ name: String, width: Int = 1, values: Values) {
    precondition(width > 0 && values.count % width == 0, "each element has \(width) values")
    self.name = name
    self.width = width
    self.values = values
  }

  /// The most custom attributes that a reader takes: they are looked up one by one.
  package static let mostOfElement = 1024

  /// The number of elements.
  public var count: Int { values.count / width }

  /// The type of the values.
  public var type: NumberType { values.type }

  /// The values of an attribute in the type of their file.
  public enum Values: Sendable, Equatable {
    /// The values in an array of this type.
    case int8([Int8]), uint8([UInt8]), int16([Int16]), uint16([UInt16]), int32([Int32])
    /// The same for larger unsigned integers and floating-point numbers.
    case uint32([UInt32]), uint64([UInt64]), float32([Float]), float64([Double])
  }
}

extension CustomAttribute.Values {
  /// The type of the values.
  public var type: NumberType {
    switch self {
    case .int8: .int8
    case .uint8: .uint8
    case .int16: .int16
    case .uint16: .uint16
    case .int32: .int32
    case .uint32: .uint32
    case .uint64: .uint64
    case .float32: .float32
    case .float64: .float64
    }
  }

  /// The number of values.
  public var count: Int {
    switch self {
    case .int8(let values): values.count
    case .uint8(let values): values.count
    case .int16(let values): values.count
    case .uint16(let values): values.count
    case .int32(let values): values.count
    case .uint32(let values): values.count
    case .uint64(let values): values.count
    case .float32(let values): values.count
    case .float64(let values): values.count
    }
  }

  /// The values as double-precision numbers, which represent each of these types exactly but `uint64`: beyond 2⁵³ they
  /// are the nearest ones.
  public var doubles: [Double] {
    switch self {
    case .int8(let values): values.map(Double.init)
    case .uint8(let values): values.map(Double.init)
    case .int16(let values): values.map(Double.init)
    case .uint16(let values): values.map(Double.init)
    case .int32(let values): values.map(Double.init)
    case .uint32(let values): values.map(Double.init)
    case .uint64(let values): values.map { Double($0) }
    case .float32(let values): values.map(Double.init)
    case .float64(let values): values
    }
  }

  /// The values as the nearest single-precision numbers.
  var floats: [Float] {
    if case .float32(let values) = self { return values }
    return doubles.map { Float($0) }
  }

  /// A value as a double-precision number.
  package func double(at index: Int) -> Double {
    switch self {
    case .int8(let values): Double(values[index])
    case .uint8(let values): Double(values[index])
    case .int16(let values): Double(values[index])
    case .uint16(let values): Double(values[index])
    case .int32(let values): Double(values[index])
    case .uint32(let values): Double(values[index])
    case .uint64(let values): Double(values[index])
    case .float32(let values): Double(values[index])
    case .float64(let values): values[index]
    }
  }

  /// Zeros.
  package init(_ type: NumberType, zeros count: Int) {
    switch type {
    case .int8: self = .int8([Int8](repeating: 0, count: count))
    case .uint8: self = .uint8([UInt8](repeating: 0, count: count))
    case .int16: self = .int16([Int16](repeating: 0, count: count))
    case .uint16: self = .uint16([UInt16](repeating: 0, count: count))
    case .int32: self = .int32([Int32](repeating: 0, count: count))
    case .uint32: self = .uint32([UInt32](repeating: 0, count: count))
    case .uint64: self = .uint64([UInt64](repeating: 0, count: count))
    case .float32: self = .float32([Float](repeating: 0, count: count))
    case .float64: self = .float64([Double](repeating: 0, count: count))
    }
  }

  /// Signed integers: `uint64` if none is negative, otherwise the nearest `float64`.
  package init(_ integers: [Int64]) {
    self =
      integers.allSatisfy { $0 >= 0 }
      ? .uint64(integers.map { UInt64($0) }) : .float64(integers.map { Double($0) })
  }

  /// Appends values in place; if the types differ, all become those of ``NumberType/joined(with:)``.
  package mutating func append(_ more: Self) {
    let common = type.joined(with: more.type)
    if type != common { self = converted(to: common) }
    apply(AppendedValues(more: more.converted(to: common)), width: 1)
  }

  /// The values in a type that holds those of several: their own, `uint64` or `float64`.
  private func converted(to common: NumberType) -> Self {
    if type == common { return self }
    return common == .uint64
      ? .uint64((0..<count).map { unsigned(at: $0) ?? 0 }) : .float64(doubles)
  }

  /// A value as an unsigned integer, exactly; nil for negative numbers, fractions and NaN.
  package func unsigned(at index: Int) -> UInt64? {
    switch self {
    case .uint64(let values): values[index]
    default: UInt64(exactly: double(at: index))
    }
  }

  /// The values as an array of their type.
  package var array: Any {
    switch self {
    case .int8(let values): values
    case .uint8(let values): values
    case .int16(let values): values
    case .uint16(let values): values
    case .int32(let values): values
    case .uint32(let values): values
    case .uint64(let values): values
    case .float32(let values): values
    case .float64(let values): values
    }
  }

  /// Changes the values in place.
  @inlinable
  package mutating func apply(_ operation: some AttributeOperation, width: Int) {
    // Each array is taken out first, so that it is referenced once and changed without a copy.
    let empty = CustomAttribute.Values.uint8([])
    switch self {
    case .int8(var values):
      self = empty
      operation.apply(to: &values, width: width)
      self = .int8(values)
    case .uint8(var values):
      self = empty
      operation.apply(to: &values, width: width)
      self = .uint8(values)
    case .int16(var values):
      self = empty
      operation.apply(to: &values, width: width)
      self = .int16(values)
    case .uint16(var values):
      self = empty
      operation.apply(to: &values, width: width)
      self = .uint16(values)
    case .int32(var values):
      self = empty
      operation.apply(to: &values, width: width)
      self = .int32(values)
    case .uint32(var values):
      self = empty
      operation.apply(to: &values, width: width)
      self = .uint32(values)
    case .uint64(var values):
      self = empty
      operation.apply(to: &values, width: width)
      self = .uint64(values)
    case .float32(var values):
      self = empty
      operation.apply(to: &values, width: width)
      self = .float32(values)
    case .float64(var values):
      self = empty
      operation.apply(to: &values, width: width)
      self = .float64(values)
    }
  }
}

extension CustomAttribute {
  /// A name, type and width that several meshes or clouds have in common.
  package struct Kind: Sendable, Hashable {
    package var name: String
    package var type: NumberType
    package var width: Int

    package init(name: String, type: NumberType, width: Int) {
      self.name = name
      self.type = type
      self.width = width
    }
  }

  /// Whether two elements have the same values; NaN is like NaN.
  package func isEqual(_ one: Int, _ other: Int) -> Bool {
    if case .uint64(let values) = values {
      return (0..<width).allSatisfy { values[width * one + $0] == values[width * other + $0] }
    }
    for part in 0..<width {
      let (a, b) = (values.double(at: width * one + part), values.double(at: width * other + part))
      guard a == b || a.isNaN && b.isNaN else { return false }
    }
    return true
  }

  package var kind: Kind { Kind(name: name, type: type, width: width) }

  /// The kinds that hold all attributes of several owners, in order of appearance.
  ///
  /// Values of different types under one name become those of ``NumberType/joined(with:)``; of
  /// different widths the first one counts.
  package static func commonKinds(of lists: [[CustomAttribute]]) -> [Kind] {
    var kinds: [Kind] = []
    for attribute in lists.joined() {
      guard let known = kinds.firstIndex(where: { $0.name == attribute.name }) else {
        kinds.append(attribute.kind)
        continue
      }
      kinds[known].type = kinds[known].type.joined(with: attribute.type)
    }
    return kinds
  }

  /// An attribute of zeros.
  package init(_ kind: Kind, zeros count: Int) {
    self.init(
      kind.name, width: kind.width, values: Values(kind.type, zeros: kind.width * count))
  }
}

extension [CustomAttribute] {
  /// The attribute with a name; nil if there is none.
  public subscript(name: String) -> CustomAttribute? {
    get { first { $0.name == name } }
    set {
      if let place = firstIndex(where: { $0.name == name }) {
        if let newValue { self[place] = newValue } else { remove(at: place) }
      } else if let newValue {
        append(newValue)
      }
    }
  }

  /// Appends the values of more elements; those without an attribute that others have get zeros.
  ///
  /// Values of different types under one name become those of ``NumberType/joined(with:)``. Of
  /// different widths the first one counts: values of another width are left out.
  /// - Parameters:
  ///   - ownCount: The number of elements before.
  ///   - count: The number of elements to append.
  package mutating func append(_ more: [CustomAttribute], to ownCount: Int, count: Int) {
    for attribute in more where self[attribute.name] == nil {
      append(CustomAttribute(attribute.kind, zeros: ownCount))
    }
    for index in indices {
      let kind = self[index].kind
      if let attribute = more[kind.name], attribute.width == kind.width {
        self[index].values.append(attribute.values)
      } else {
        self[index].values.append(.init(kind.type, zeros: kind.width * count))
      }
    }
  }

  /// Changes all of them.
  @inlinable
  package mutating func apply(_ operation: some AttributeOperation) {
    for index in indices {
      let width = self[index].width
      self[index].values.apply(operation, width: width)
    }
  }
}

/// Appends values of the same type.
private struct AppendedValues: AttributeOperation {
  let more: CustomAttribute.Values

  func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    if let more = more.array as? [Value] { values += more }
  }
}
