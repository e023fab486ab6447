import MeshPipeline

/// A number of a program's own in the records of a file, which its header describes.
struct LASExtraField: Sendable {
  var name: String
  /// The first byte in the record.
  var offset: Int
  /// The data type of the specification, 1 to 10; for arrays, that of their elements.
  var code: Int
  /// The number of elements.
  var width = 1
  var byteCount: Int
  /// What turns the stored number into the value; nil if it is the value.
  var scaling: (scale: Double, shift: Double)?

  /// The size of a description.
  static let size = 192

  private static let types: [NumberType?] = [
    nil, .uint8, .int8, .uint16, .int16, .uint32, .int32, .uint64, nil, .float32, .float64,
  ]

  /// The type of the stored number; nil for signed whole numbers of 64 bits and for undocumented bytes.
  var type: NumberType? { Self.types[code] }

  /// Signed whole numbers of 64 bits.
  private static let signed64 = 8

  static func code(of type: NumberType) -> UInt8 { UInt8(types.firstIndex(of: type) ?? 0) }

  /// Reads a description.
  init(_ bytes: Span<UInt8>, at start: Int, offset: Int) {
    name = LASHeader.name(bytes, start + 4..<start + 36)
    self.offset = offset
    let (type, options) = (Int(bytes[start + 2]), Int(bytes[start + 3]))
    guard (1...30).contains(type) else {
      (code, byteCount, name) = (0, type == 0 ? options : 0, "")
      return
    }
    code = (type - 1) % 10 + 1
    width = (type - 1) / 10 + 1
    byteCount = width * (Self.types[code]?.size ?? 8)
    let scale = bytes.number(at: start + 112, .float64, isBigEndian: false)
    let shift = bytes.number(at: start + 136, .float64, isBigEndian: false)
    let (hasScale, hasShift) = (options & 8 != 0, options & 16 != 0)
    if hasScale && scale != 1 || hasShift && shift != 0 {
      scaling = (hasScale ? scale : 1, hasShift ? shift : 0)
    }
  }

  /// The values of all points.
  func attribute(_ file: MappedFile, _ header: LASHeader) -> CustomAttribute {
    let layout = PLYLayout(
      base: header.pointOffset, stride: header.recordLength,
      customPlaces: (0..<width).map {
        (offset + $0 * byteCount / width, type ?? .float64)
      })
    if let type, scaling == nil {
      let table = PLYTable(file, layout, count: header.pointCount, isBigEndian: false)
      return CustomAttribute(
        name, width: width, values: table.custom(0..<width, of: width, type))
    }
    if code == Self.signed64, scaling == nil {
      let words: [Int64] = values(file, header) { bytes, start in bytes.word(at: start) }
      return CustomAttribute(name, width: width, values: .init(words))
    }
    let (scale, shift) = scaling ?? (1, 0)
    let numbers = values(file, header) { bytes, start in number(bytes, start) * scale + shift }
    return CustomAttribute(name, width: width, values: .float64(numbers))
  }

  private func values<Value: BitwiseCopyable & Sendable>(
    _ file: MappedFile, _ header: LASHeader, _ make: @Sendable (Span<UInt8>, Int) -> Value
  ) -> [Value] {
    Parallel.array(count: width * header.pointCount) { range, output in
      file.withBytes { bytes in
        for index in range {
          let start =
            header.pointOffset + index / width * header.recordLength + offset
            + index % width * byteCount / width
          output.append(make(bytes, start))
        }
      }
    }
  }

  private func number(_ bytes: Span<UInt8>, _ start: Int) -> Double {
    if let type { return bytes.number(at: start, type, isBigEndian: false) }
    return Double(bytes.word(at: start) as Int64)
  }
}
