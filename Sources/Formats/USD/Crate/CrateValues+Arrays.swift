import MeshPipeline

extension CrateValues {
  private var decoding: CrateDecoding { CrateDecoding(bytes: bytes) }

  /// Fewer elements are never compressed.
  private static let leastCompressed = 16

  func array(_ type: CrateType, _ reference: CrateReference) throws -> USDContent {
    var place = reference.offset
    let isEmpty = place == 0
    let count = isEmpty ? 0 : try arrayCount(&place)
    let isCompressed =
      reference.isCompressed && version >= CrateVersion(0, 5, 0) && count >= Self.leastCompressed
    switch type {
    case .token: return .texts(try indices(place, count).map { try token($0, place) })
    case .string: return .texts(try indices(place, count).map { try string($0, place) })
    case .asset: return .texts(try indices(place, count).map { try token($0, place) })
    default: break
    }
    guard let form = type.form else { return .nothing }
    guard count <= mostNumbers / form.width else {
      throw bytes.fault(place, "\(count) elements are more than plausible; is the file damaged?")
    }
    switch form.number {
    case .uint8:
      return .integers(try bytes.integers(at: place, count, UInt8.self).map { Int32($0) })
    case .int32, .uint32:
      // Negative numbers and those above 2^31 can't be indices.
      return .integers(
        isCompressed
          ? try decoding.integers(at: place, count * form.width, Int32.self).numbers
          : try bytes.integers(at: place, count * form.width))
    case .int64, .uint64:
      let numbers: [Int64] =
        isCompressed
        ? try decoding.integers(at: place, count).numbers : try bytes.integers(at: place, count)
      // Ids can be larger than indices.
      guard numbers.allSatisfy({ Int32(exactly: $0) != nil }) else {
        return .doubles(numbers.map(Double.init), width: 1)
      }
      return .integers(numbers.map { Int32(truncatingIfNeeded: $0) })
    case .half, .float, .double:
      guard isCompressed, form.width == 1, version >= CrateVersion(0, 6, 0) else {
        return try plain(form.number, at: place, count: count, width: form.width)
      }
      return try compressed(form.number, place, count)
    }
  }

  /// The most numbers of an array: equal steps between integers take little space.
  private var mostNumbers: Int { (1 << 24) + 64 * bytes.count }

  /// The number of elements; advances the offset to them.
  private func arrayCount(_ index: inout Int) throws -> Int {
    // The number of dimensions, which was always one.
    if version < CrateVersion(0, 5, 0) { index += 4 }
    if version < CrateVersion(0, 7, 0) {
      index += 4
      return Int(try bytes.integer(at: index - 4, UInt32.self))
    }
    index += 8
    return try bytes.size(at: index - 8)
  }

  private func indices(_ index: Int, _ count: Int) throws -> [UInt32] {
    try bytes.integers(at: index, count)
  }

  private func plain(
    _ type: CrateNumber, at offset: Int, count: Int, width: Int
  ) throws -> USDContent {
    let total = count * width
    switch type {
    case .double:
      let bits: [UInt64] = try bytes.integers(at: offset, total)
      return .doubles(bits.map { Double(bitPattern: $0) }, width: width)
    case .half:
      let bits: [UInt16] = try bytes.integers(at: offset, total)
      return .floats(bits.map(Self.float(ofHalf:)), width: width)
    default:
      let floats = try bytes.with(bytes.range(offset, total, of: 4)) { source in
        (0..<total).map { Float(bitPattern: source.word(at: 4 * $0)) }
      }
      return .floats(floats, width: width)
    }
  }

  /// Numbers that are whole, or indices into a table.
  private func compressed(
    _ type: CrateNumber, _ place: Int, _ count: Int
  ) throws -> USDContent {
    let form: UInt8 = try bytes.integer(at: place)
    let numbers: [Double]
    switch form {
    case UInt8(ascii: "i"):
      numbers = try decoding.integers(at: place + 1, count, Int32.self).numbers.map(Double.init)
    case UInt8(ascii: "t"):
      let size = Int(try bytes.integer(at: place + 1, UInt32.self))
      let width = type == .double ? 8 : type == .half ? 2 : 4
      let part = try bytes.range(place + 5, size, of: width)
      let table: [Double]
      switch try plain(type, at: part.lowerBound, count: size, width: 1) {
      case .floats(let values, _): table = values.map(Double.init)
      case .doubles(let values, _): table = values
      default: table = []
      }
      numbers = try decoding.integers(at: part.upperBound, count, UInt32.self).numbers.map {
        index in
        guard index < table.count else {
          throw bytes.fault(place, "number \(index) of a table does not exist; there are \(size)")
        }
        return table[Int(index)]
      }
    default: throw bytes.fault(place, "a compressed array has the unknown form \(form)")
    }
    return type == .double
      ? .doubles(numbers, width: 1) : .floats(numbers.map { Float($0) }, width: 1)
  }

  /// The value of a number of 16 bits (IEEE 754).
  static func float(ofHalf bits: UInt16) -> Float {
    let sign: Float = bits & 0x8000 == 0 ? 1 : -1
    let exponent = Int(bits >> 10 & 31)
    let fraction = Float(bits & 1023)
    switch exponent {
    case 0: return sign * fraction * 0x1p-24
    case 31: return fraction == 0 ? sign * .infinity : .nan
    default:
      let scale = Float(sign: .plus, exponent: exponent - 25, significand: 1)
      return sign * (1024 + fraction) * scale
    }
  }
}
