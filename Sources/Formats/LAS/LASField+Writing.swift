import MeshPipeline

extension LASField {
  /// The bits of a value, which is rounded and limited to what the field can hold.
  func word(_ value: Double) -> UInt64 {
    if type == .float64 { return value.bitPattern }
    let whole = value.isNaN ? 0 : Int(min(max(value.rounded(), -1e9), 1e9))
    return switch type {
    case .int8: UInt64(UInt8(bitPattern: Int8(clamping: whole)))
    case .int16: UInt64(UInt16(bitPattern: Int16(clamping: whole)))
    case .uint16: UInt64(UInt16(clamping: whole))
    default: UInt64(min(Int(UInt8(clamping: whole)), mask))
    }
  }

  /// Puts a value into a record, where the bits of the field are zero.
  func put(_ value: Double, into record: inout [UInt8]) {
    record.put(word(value) << UInt64(bits?.first ?? 0), size: type.size, at: offset)
  }
}

extension [UInt8] {
  /// Adds the bits of a little-endian number.
  mutating func put(_ word: UInt64, size: Int, at offset: Int) {
    for byte in 0..<size {
      self[offset + byte] |= UInt8(truncatingIfNeeded: word >> UInt64(8 * byte))
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
