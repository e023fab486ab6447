import MeshPipeline

/// Numeric arrays in the buffers of a glTF file.
extension GLTFReader {
  /// The location of an accessor's elements, verified to be inside their buffer.
  fileprivate struct Layout {
    var bytes: GLTFBytes
    var base: Int
    var stride: Int
    var type: NumberType
    var components: Int
    /// The divisor of normalised integers, 1 for others.
    var scale: Float
  }

  /// The elements of an accessor, each with up to four components.
  ///
  /// - Parameter shapes: The allowed types, such as `VEC3`.
  func values<Value: BitwiseCopyable & Sendable>(
    _ index: Int, shapes: Set<String>, _ make: @Sendable (SIMD4<Float>) -> Value
  ) throws -> [Value] {
    let place = "accessors[\(index)]"
    let accessor = try element("accessors", index)
    let shape = accessor["type"]?.text ?? ""
    guard shapes.contains(shape), let components = Self.components[shape] else {
      throw fault(
        place, "is '\(shape.prefix(8))'; expected \(shapes.sorted().joined(separator: " or "))")
    }
    let (count, layout) = try elements(index, of: accessor, components: components, at: place)
    var result: [Value]
    if let layout {
      result = Parallel.array(count: count) { range, output in
        layout.bytes.withBytes { bytes in
          for element in range { output.append(make(layout.value(element, bytes))) }
        }
      }
    } else {
      let zero = make(.zero)
      result = [Value](repeating: zero, count: count)
    }
    if let sparse = accessor["sparse"] {
      try apply(sparse, of: accessor, total: count, components: components, at: place) {
        element, value in
        result[element] = make(value)
      }
    }
    return result
  }

  /// The number of an accessor's elements and where they are; nil if they are all zero.
  private func elements(
    _ index: Int, of accessor: JSONValue, components: Int, at place: String
  ) throws -> (count: Int, Layout?) {
    let isNormalized = accessor["normalized"]?.isTrue == true
    if let values = dracoValues[index] {
      let type = try type(accessor, place)
      let size = type.size * components
      return (
        values.count / size,
        Layout(
          bytes: .memory(values), base: 0, stride: size, type: type, components: components,
          scale: isNormalized ? Self.scale(of: type) : 1)
      )
    }
    let count = try elementCount(accessor, place)
    guard let view = try integer(accessor["bufferView"], place) else { return (count, nil) }
    let offset = try integer(accessor["byteOffset"], place) ?? 0
    return (
      count,
      try layout(
        of: view, offset: offset, type: try type(accessor, place), components: components,
        count: count, isNormalized: isNormalized, at: place)
    )
  }

  /// The elements of an accessor as an attribute in the type of the file; nil for matrices.
  func customAttribute(_ index: Int, named name: String) throws -> CustomAttribute? {
    let place = "accessors[\(index)]"
    let accessor = try element("accessors", index)
    guard let width = Self.components[accessor["type"]?.text ?? ""] else { return nil }
    let type = try type(accessor, place)
    let isNormalized = accessor["normalized"]?.isTrue == true
    let elements = try values(index, shapes: Set(Self.components.keys)) { $0 }
    func numbers<Value>(_ make: (Float) -> Value) -> [Value] {
      elements.flatMap { element in (0..<width).map { make(element[$0]) } }
    }
    let values: CustomAttribute.Values =
      switch isNormalized ? .float32 : type {
      case .int8: .int8(numbers { Int8($0) })
      case .uint8: .uint8(numbers { UInt8($0) })
      case .int16: .int16(numbers { Int16($0) })
      case .uint16: .uint16(numbers { UInt16($0) })
      case .uint32: .uint32(numbers { UInt32(exactly: $0) ?? .max })
      default: .float32(numbers { $0 })
      }
    return CustomAttribute(name, width: width, values: values)
  }

  /// The matrices of an accessor, whose last rows are 0, 0, 0, 1.
  func matrices(_ index: Int) throws -> [Transform] {
    let place = "accessors[\(index)]"
    let accessor = try element("accessors", index)
    let count = try elementCount(accessor, place)
    let (columns, overflows) = count.multipliedReportingOverflow(by: 4)
    guard accessor["type"]?.text == "MAT4", try type(accessor, place) == .float32, !overflows,
      accessor["sparse"] == nil, let view = try integer(accessor["bufferView"], place)
    else { throw fault(place, "are not valid matrices") }
    let offset = try integer(accessor["byteOffset"], place) ?? 0
    let layout = try layout(
      of: view, offset: offset, type: .float32, components: 4, count: columns, isNormalized: false,
      at: place)
    return layout.bytes.withBytes { bytes in
      (0..<count).map { matrix in
        func column(_ number: Int) -> SIMD3<Double> {
          let value = layout.value(4 * matrix + number, bytes)
          return SIMD3(Double(value.x), Double(value.y), Double(value.z))
        }
        return Transform(x: column(0), y: column(1), z: column(2), translation: column(3))
      }
    }
  }

  /// The vertex indices of a primitive.
  func indices(_ index: Int) throws -> [UInt32] {
    let place = "accessors[\(index)]"
    let accessor = try element("accessors", index)
    let type = try type(accessor, place)
    guard accessor["type"]?.text == "SCALAR", [.uint8, .uint16, .uint32].contains(type),
      accessor["sparse"] == nil, let view = try integer(accessor["bufferView"], place)
    else { throw fault(place, "are not valid mesh indices") }
    let count = try elementCount(accessor, place)
    let offset = try integer(accessor["byteOffset"], place) ?? 0
    let layout = try layout(
      of: view, offset: offset, type: type, components: 1, count: count, isNormalized: false,
      at: place)
    return Parallel.array(count: count) { range, output in
      layout.bytes.withBytes { bytes in
        for element in range {
          let start = layout.base + element * layout.stride
          switch type {
          case .uint8: output.append(UInt32(bytes[start]))
          case .uint16: output.append(UInt32(bytes.word(at: start) as UInt16))
          default: output.append(bytes.word(at: start))
          }
        }
      }
    }
  }

  static let components = ["SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4]

  private func elementCount(_ accessor: JSONValue, _ place: String) throws -> Int {
    let count = try integer(accessor["count"], place) ?? 0
    // An accessor without a view takes no space in the file and could claim any count; a view is as long as its data.
    guard accessor["bufferView"] != nil || count <= max(1 << 20, fileBytes) else {
      throw fault(place, "claims \(count) elements, more than the file can hold")
    }
    return count
  }

  func type(_ accessor: JSONValue, _ place: String) throws -> NumberType {
    switch try integer(accessor["componentType"], place) {
    case 5120: .int8
    case 5121: .uint8
    case 5122: .int16
    case 5123: .uint16
    case 5125: .uint32
    case 5126: .float32
    default: throw fault(place, "has an unknown componentType")
    }
  }

  private func layout(
    of view: Int, offset: Int, type: NumberType, components: Int, count: Int,
    isNormalized: Bool, at place: String
  ) throws -> Layout {
    let (bytes, range, viewStride) = try self.view(view)
    let size = type.size * components
    let stride = viewStride ?? size
    guard count == 0 || stride >= size || count == 1, offset <= range.count,
      count == 0 || size <= range.count - offset,
      count <= 1 || (count - 1) <= (range.count - offset - size) / stride
    else { throw fault(place, "reaches beyond the end of bufferViews[\(view)]") }
    return Layout(
      bytes: bytes, base: range.lowerBound + offset, stride: stride, type: type,
      components: components, scale: isNormalized ? Self.scale(of: type) : 1)
  }

  /// The divisor of normalised numbers.
  private static func scale(of type: NumberType) -> Float {
    switch type {
    case .int8: 127
    case .uint8: 255
    case .int16: 32767
    case .uint16: 65535
    default: 1
    }
  }

  /// Applies the elements of a sparse accessor.
  private func apply(
    _ sparse: JSONValue, of accessor: JSONValue, total: Int, components: Int, at place: String,
    _ put: (Int, SIMD4<Float>) -> Void
  ) throws {
    let count = try integer(sparse["count"], place) ?? 0
    guard count <= total, let indices = sparse["indices"], let values = sparse["values"],
      let indexView = try integer(indices["bufferView"], place),
      let valueView = try integer(values["bufferView"], place)
    else { throw fault(place, "the sparse part is invalid") }
    let indexType = try type(indices, place)
    let indexLayout = try layout(
      of: indexView, offset: try integer(indices["byteOffset"], place) ?? 0, type: indexType,
      components: 1, count: count, isNormalized: false, at: place)
    let valueLayout = try layout(
      of: valueView, offset: try integer(values["byteOffset"], place) ?? 0,
      type: try type(accessor, place),
      components: components, count: count, isNormalized: accessor["normalized"]?.isTrue == true,
      at: place)
    for element in 0..<count {
      let number = indexLayout.bytes.withBytes { bytes in
        bytes.number(
          at: indexLayout.base + element * indexLayout.stride, indexType, isBigEndian: false)
      }
      guard let target = Int(exactly: number), target >= 0, target < total else {
        throw fault(place, "a sparse index is out of range")
      }
      put(target, valueLayout.bytes.withBytes { valueLayout.value(element, $0) })
    }
  }
}

extension GLTFReader.Layout {
  /// The components of an element; missing ones are zero.
  @inline(__always)
  fileprivate func value(_ element: Int, _ bytes: Span<UInt8>) -> SIMD4<Float> {
    let start = base + element * stride
    var value = SIMD4<Float>.zero
    if type == .float32 {
      for part in 0..<components {
        value[part] = Float(bitPattern: bytes.word(at: start + 4 * part))
      }
      return value
    }
    for part in 0..<components {
      let number = bytes.number(at: start + part * type.size, type, isBigEndian: false)
      // -128 and -32768 also represent -1.
      value[part] = scale == 1 ? Float(number) : max(Float(number) / scale, -1)
    }
    return value
  }
}
