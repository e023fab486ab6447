import MeshPipeline

/// A custom attribute, or a component of one, as a vertex attribute of a glTF file.
///
/// Its name there begins with an underscore, and it has up to four components: a longer attribute
/// is written as several, `_NAME_0` and so on. glTF's vertices have no integers of 32 and 64 bits and no
/// doubles: these become floats.
struct GLTFCustomAttribute {
  let form: GLTFAttributeForm
  /// Whether it has a value for each corner instead of each vertex.
  let isOfCorners: Bool
  private let attribute: CustomAttribute
  private let firstPart: Int

  /// - Parameter attributes: Those of vertices or corners.
  static func all(_ attributes: [CustomAttribute], ofCorners: Bool) -> [GLTFCustomAttribute] {
    attributes.flatMap { attribute in
      let name = "_" + attribute.name
      guard attribute.width > 4 else {
        return [
          GLTFCustomAttribute(
            name, of: attribute, isOfCorners: ofCorners, parts: 0..<attribute.width)
        ]
      }
      return (0..<attribute.width).map {
        GLTFCustomAttribute(
          "\(name)_\($0)", of: attribute, isOfCorners: ofCorners, parts: $0..<$0 + 1)
      }
    }
  }

  private init(
    _ name: String, of attribute: CustomAttribute, isOfCorners: Bool, parts: Range<Int>
  ) {
    form = GLTFAttributeForm(
      name: name, componentType: Self.componentType(of: attribute.type), width: parts.count)
    self.attribute = attribute
    self.isOfCorners = isOfCorners
    firstPart = parts.lowerBound
  }

  private static func componentType(of type: NumberType) -> GLTFComponentType {
    switch type {
    case .int8: .byte
    case .uint8: .unsignedByte
    case .int16: .short
    case .uint16: .unsignedShort
    case .int32, .uint32, .uint64, .float32, .float64: .float
    }
  }

  /// Whether floats represent all values of an attribute.
  static func keeps(_ attribute: CustomAttribute) -> Bool {
    switch attribute.values {
    case .int32(let values): values.allSatisfy { Float(exactly: $0) != nil }
    case .uint32(let values): values.allSatisfy { Float(exactly: $0) != nil }
    case .uint64(let values): values.allSatisfy { Float(exactly: $0) != nil }
    case .float64(let values): values.allSatisfy { $0.isNaN || Double(Float($0)) == $0 }
    default: true
    }
  }

  /// Appends the value of a vertex or corner, padded to a multiple of four bytes.
  func append(element: Int, to buffer: inout ByteBuffer) {
    let first = attribute.width * element + firstPart
    for index in first..<first + form.width {
      switch attribute.values {
      case .int8(let values): buffer.append(values[index])
      case .uint8(let values): buffer.append(values[index])
      case .int16(let values): buffer.append(values[index])
      case .uint16(let values): buffer.append(values[index])
      case .int32(let values): buffer.append(Float(values[index]))
      case .uint32(let values): buffer.append(Float(values[index]))
      case .uint64(let values): buffer.append(Float(values[index]))
      case .float32(let values): buffer.append(values[index])
      case .float64(let values): buffer.append(Float(values[index]))
      }
    }
    for _ in form.width * form.componentType.size..<form.stride { buffer.append(0 as UInt8) }
  }
}
