import MeshPipeline

extension LASField {
  /// The bits of a value, which is rounded and limited to what the field can hold.
  func word(_ value: Double) -> UInt64 {
    if type == .float64 { return value.bitPattern }
    if type == .uint64 { return UInt64(exactly: value.rounded()) ?? (value > 0 ? .max : 0) }
    if type == .float32 { return UInt64(Float(value).bitPattern) }
    let whole = value.isNaN ? 0 : Int(min(max(value.rounded(), -1e10), 1e10))
    return switch type {
    case .int8: UInt64(UInt8(bitPattern: Int8(clamping: whole)))
    case .int16: UInt64(UInt16(bitPattern: Int16(clamping: whole)))
    case .int32: UInt64(UInt32(bitPattern: Int32(clamping: whole)))
    case .uint16: UInt64(UInt16(clamping: whole))
    case .uint32: UInt64(UInt32(clamping: whole))
    default: UInt64(min(Int(UInt8(clamping: whole)), mask))
    }
  }

  /// The neutral value in the first byte of the field; it is less than 256.
  var bitsOfNeutral: UInt64 { word(neutral) << UInt64(bits?.first ?? 0) }
}

/// The values of a field of some points.
struct LASColumn: Sendable {
  var field: LASField
  var values: CustomAttribute.Values
  /// The number of values of a point, and the one that is meant.
  var width: Int
  var part: Int
}

/// The records of some points, filled field by field.
struct LASBlock {
  private(set) var bytes: [UInt8] = []
  private let points: Range<Int>
  private let stride: Int

  /// - Parameter record: What the records are before, zero in all fields that are put into them.
  init(_ record: [UInt8], points: Range<Int>) {
    self.points = points
    stride = record.count
    bytes.reserveCapacity(stride * points.count)
    for _ in points { bytes += record }
  }

  mutating func put(_ positions: [Vector3], _ steps: (Vector3) -> SIMD3<Int32>) {
    for point in points {
      let place = steps(positions[point])
      for axis in 0..<3 { add(UInt32(bitPattern: place[axis]), point, 4 * axis) }
    }
  }

  mutating func put(_ color: (Int) -> WideColor, at offset: Int) {
    for point in points {
      let color = color(point)
      add(color.red, point, offset)
      add(color.green, point, offset + 2)
      add(color.blue, point, offset + 4)
    }
  }

  mutating func put(_ codes: [UInt8], as field: LASField) {
    for point in points { add(codes[point], point, field.offset) }
  }

  mutating func put(_ column: LASColumn) {
    let field = column.field
    switch column.values {
    case .uint8(let values) where field.type == .uint8:
      let (most, shift) = (UInt8(clamping: field.mask), UInt8(field.bits?.first ?? 0))
      for point in points {
        add(min(values[column.width * point + column.part], most) << shift, point, field.offset)
      }
    case .uint16(let values) where field.type == .uint16:
      for point in points {
        add(values[column.width * point + column.part], point, field.offset)
      }
    case .uint64(let values) where field.type == .uint64:
      for point in points {
        add(values[column.width * point + column.part], point, field.offset)
      }
    case .float32(let values) where field.type == .float32:
      for point in points {
        add(values[column.width * point + column.part].bitPattern, point, field.offset)
      }
    case .float64(let values) where field.type == .float64:
      for point in points {
        add(values[column.width * point + column.part].bitPattern, point, field.offset)
      }
    default: putConverted(column)
    }
  }

  private mutating func putConverted(_ column: LASColumn) {
    let (field, shift) = (column.field, UInt64(column.field.bits?.first ?? 0))
    for point in points {
      let value = column.values.double(at: column.width * point + column.part)
      let word = field.word(value) << shift
      switch field.type.size {
      case 1: add(UInt8(truncatingIfNeeded: word), point, field.offset)
      case 2: add(UInt16(truncatingIfNeeded: word), point, field.offset)
      case 4: add(UInt32(truncatingIfNeeded: word), point, field.offset)
      default: add(word, point, field.offset)
      }
    }
  }

  /// Sets the bits of a little-endian number in the record of a point.
  @inline(__always)
  private mutating func add<Word: FixedWidthInteger>(_ word: Word, _ point: Int, _ offset: Int) {
    let start = (point - points.lowerBound) * stride + offset
    for byte in 0..<Word.bitWidth / 8 {
      bytes[start + byte] |= UInt8(truncatingIfNeeded: word >> Word(truncatingIfNeeded: 8 * byte))
    }
  }
}

extension [CustomAttribute] {
  /// The same with the angle of the scanner as the point format has it: in whole degrees, or in
  /// steps of 0.006 degrees.
  func scanAngles(isWide: Bool) -> [CustomAttribute] {
    let (from, to) = isWide ? ("scan_angle_rank", "scan_angle") : ("scan_angle", "scan_angle_rank")
    guard self[to] == nil, let angles = self[from], angles.width == 1 else { return self }
    let factor = isWide ? 1 / 0.006 : 0.006
    var result = self
    result[from] = nil
    result[to] = CustomAttribute(to, values: .float64(angles.values.doubles.map { $0 * factor }))
    return result
  }
}

extension PointCloud {
  /// Normals and confidences as attributes, for which LAS has no fields.
  var ownAttributes: [CustomAttribute] {
    var result: [CustomAttribute] = []
    if let normals {
      result = [
        CustomAttribute("nx", values: .float32(normals.map(\.x))),
        CustomAttribute("ny", values: .float32(normals.map(\.y))),
        CustomAttribute("nz", values: .float32(normals.map(\.z))),
      ]
    }
    if let confidences {
      result.append(CustomAttribute("confidence", values: .float32(confidences)))
    }
    return result
  }
}
