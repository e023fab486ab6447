import MeshPipeline

/// What is in the records of a LAS file, found in one pass before any array is made.
struct LASSurvey {
  /// The bounds of the coordinates as they are stored.
  private var least = SIMD3<Int32>(repeating: .max)
  private var most = SIMD3<Int32>(repeating: .min)
  /// The bits that are set in any record, byte by byte, and those that are set in all.
  private(set) var ones: [UInt8]
  private var always: [UInt8]
  /// Whether a byte of the classification occurs.
  private var codes = [Bool](repeating: false, count: 256)

  private init(_ size: Int) {
    ones = Array(repeating: 0, count: size)
    always = Array(repeating: 255, count: size)
  }

  init(_ file: MappedFile, _ header: LASHeader) {
    let chunk = 1 << 16
    let count = header.pointCount
    let format = header.pointFormat
    let parts = Parallel.map(count: (count + chunk - 1) / chunk) { index in
      let range = index * chunk..<min(count, (index + 1) * chunk)
      var part = LASSurvey(format.size)
      file.withBytes { part.read($0, header, range) }
      let start = header.pointOffset
      file.release(
        start + range.lowerBound * header.recordLength..<start + range.upperBound
          * header.recordLength)
      return part
    }
    self.init(format.size)
    for part in parts { add(part) }
  }

  private mutating func add(_ part: LASSurvey) {
    least = pointwiseMin(least, part.least)
    most = pointwiseMax(most, part.most)
    for index in ones.indices {
      ones[index] |= part.ones[index]
      always[index] &= part.always[index]
    }
    for code in codes.indices where part.codes[code] { codes[code] = true }
  }

  private mutating func read(_ bytes: Span<UInt8>, _ header: LASHeader, _ range: Range<Int>) {
    let size = header.pointFormat.size
    let codePlace = header.pointFormat.classification.offset
    // Words of eight bytes, the last of which may overlap the one before.
    let places = Array(stride(from: 0, to: size - 8, by: 8)) + [size - 8]
    var words = [(any: UInt64, all: UInt64)](repeating: (0, .max), count: places.count)
    for point in range {
      let start = header.pointOffset + point * header.recordLength
      let position = SIMD3<Int32>(
        bytes.word(at: start), bytes.word(at: start + 4), bytes.word(at: start + 8))
      least = pointwiseMin(least, position)
      most = pointwiseMax(most, position)
      for index in places.indices {
        let word: UInt64 = bytes.word(at: start + places[index])
        words[index].any |= word
        words[index].all &= word
      }
      codes[Int(bytes[start + codePlace])] = true
    }
    for (index, place) in places.enumerated() {
      for byte in 0..<8 {
        let shift = UInt64(8 * byte)
        ones[place + byte] = UInt8(truncatingIfNeeded: words[index].any >> shift)
        always[place + byte] = UInt8(truncatingIfNeeded: words[index].all >> shift)
      }
    }
  }

  /// The value that a field has in all points; nil if they differ.
  func constant(of field: LASField) -> Double? {
    let range = field.offset..<field.offset + field.type.size
    let shift = UInt8(field.bits?.first ?? 0)
    let mask = field.bits == nil ? UInt8.max : UInt8(field.mask) << shift
    guard range.allSatisfy({ (ones[$0] ^ always[$0]) & mask == 0 }) else { return nil }
    if field.bits != nil { return Double((ones[field.offset] & mask) >> shift) }
    return Array(ones[range]).span.number(at: 0, field.type, isBigEndian: false)
  }

  /// Whether a point has a code of a class.
  func hasCode(_ code: Int, in field: LASField) -> Bool {
    codes.indices.contains { codes[$0] && $0 & field.mask == code }
  }

  /// The bounds of the coordinates: those in the header may be wrong.
  func bounds(_ header: LASHeader) -> (low: SIMD3<Double>, high: SIMD3<Double>) {
    func place(_ steps: SIMD3<Int32>) -> SIMD3<Double> {
      SIMD3(Double(steps.x), Double(steps.y), Double(steps.z)) * header.scale + header.offset
    }
    let (first, second) = (place(least), place(most))
    return (pointwiseMin(first, second), pointwiseMax(first, second))
  }
}
