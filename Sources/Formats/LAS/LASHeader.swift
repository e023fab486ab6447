import MeshPipeline

/// The header of a LAS file and its variable length records.
struct LASHeader {
  private(set) var pointFormat: LASPointFormat
  private(set) var recordLength: Int
  private(set) var pointCount: Int
  private(set) var pointOffset: Int
  private(set) var scale: SIMD3<Double>
  private(set) var offset: SIMD3<Double>
  /// Names of classes by their code.
  private(set) var classNames: [Int: String] = [:]
  private(set) var extraFields: [LASExtraField] = []
  /// Those that describe the coordinate reference system.
  private(set) var referenceRecords: [ReferenceSystem.Record] = []
  /// Whether well-known text describes it, and not keys of GeoTIFF.
  private(set) var prefersText: Bool
  /// Whether GPS times are adjusted standard time, and not that of a week.
  let hasStandardTime: Bool
  /// The number of the file in its project.
  let sourceID: UInt16
  /// What made the points.
  let systemName: String
  /// What else the user should know.
  private(set) var remarks: [String] = []

  /// A fault at a byte.
  struct Fault: Error {
    var offset: Int
    var message: String
  }

  private static let wayOut = """
    decompress it with 'laszip', with 'pdal translate a.laz a.las', or by saving it as LAS in \
    CloudCompare
    """

  /// Reads the header, and checks everything that it says against the size of the file.
  init(_ bytes: Span<UInt8>) throws(Fault) {
    guard bytes.count >= 4, text(bytes, 0..<4) == "LASF" else {
      throw Fault(offset: 0, message: "does not begin with LASF; is this a LAS file?")
    }
    guard bytes.count >= 227 else {
      throw Fault(offset: bytes.count, message: "the file ends in the header")
    }
    let (major, minor) = (Int(bytes[24]), Int(bytes[25]))
    guard major == 1, minor <= 4 else {
      throw Fault(offset: 24, message: "is LAS \(major).\(minor); 1.0 to 1.4 can be read")
    }
    let headerSize = Int(bytes.word(at: 94) as UInt16)
    guard headerSize >= (minor < 4 ? 227 : 375), headerSize <= bytes.count else {
      throw Fault(offset: 94, message: "a header of \(headerSize) bytes can't be true")
    }
    pointOffset = Int(bytes.word(at: 96) as UInt32)
    guard pointOffset >= headerSize, pointOffset <= bytes.count else {
      throw Fault(
        offset: 96,
        message: "the points begin at byte \(pointOffset), but the file has \(bytes.count)")
    }
    let format = Int(bytes[104])
    guard format & 0xC0 == 0 else {
      throw Fault(offset: 104, message: "its points are compressed (LAZ): \(Self.wayOut)")
    }
    guard let pointFormat = LASPointFormat(format) else {
      throw Fault(offset: 104, message: "has points of format \(format); 0 to 10 can be read")
    }
    self.pointFormat = pointFormat
    recordLength = Int(bytes.word(at: 105) as UInt16)
    guard recordLength >= pointFormat.size else {
      throw Fault(
        offset: 105,
        message: "points of format \(format) take \(pointFormat.size) bytes, not \(recordLength)")
    }
    let encoding: UInt16 = bytes.word(at: 6)
    prefersText = encoding & 16 != 0
    hasStandardTime = minor >= 2 && encoding & 1 != 0
    sourceID = bytes.word(at: 4)
    systemName = Self.name(bytes, 26..<58)
    let room = (bytes.count - pointOffset) / recordLength
    let claimed = try Self.pointCount(bytes, minor, room: room)
    pointCount = min(claimed, room)
    if claimed > room {
      remarks.append(
        """
        the header claims \(claimed) points, but the file has room for \(room), which are read; is it complete?
        """)
    }
    scale = Self.vector(bytes, 131)
    offset = Self.vector(bytes, 155)
    for axis in 0..<3 {
      guard scale[axis].isFinite, scale[axis] != 0, offset[axis].isFinite else {
        throw Fault(
          offset: 131, message: "scale and offset of coordinates must be numbers other than 0")
      }
    }
    try readRecords(bytes, from: headerSize, count: Int(bytes.word(at: 100) as UInt32))
    if minor == 4 { readExtendedRecords(bytes) }
    if pointFormat.hasWaveforms { remarks.append("waveforms are not read") }
  }

  private static func vector(_ bytes: Span<UInt8>, _ offset: Int) -> SIMD3<Double> {
    func number(_ axis: Int) -> Double {
      bytes.number(at: offset + 8 * axis, .float64, isBigEndian: false)
    }
    return SIMD3(number(0), number(1), number(2))
  }

  /// The number of points, in 64 bits since LAS 1.4.
  private static func pointCount(
    _ bytes: Span<UInt8>, _ minor: Int, room: Int
  ) throws(Fault) -> Int {
    let legacy = UInt64(bytes.word(at: 107) as UInt32)
    let wide: UInt64 = minor < 4 ? 0 : bytes.word(at: 247)
    let (count, place) = wide > 0 ? (wide, 247) : (legacy, 107)
    // Of more than twice as many the place of the points may be wrong as well.
    guard count <= 2 * UInt64(room) else {
      throw Fault(
        offset: place,
        message: "the header claims \(count) points, but the file has room for at most \(room)")
    }
    guard count > 0 else { throw Fault(offset: place, message: "the file has no points") }
    guard count < UInt64(UInt32.max) else {
      throw Fault(offset: place, message: "contains more than \(UInt32.max) points")
    }
    return Int(count)
  }

  // MARK: Variable length records

  private mutating func readRecords(
    _ bytes: Span<UInt8>, from start: Int, count: Int
  ) throws(Fault) {
    var position = start
    for index in 0..<count {
      guard position + 54 <= pointOffset else {
        throw Fault(
          offset: 100,
          message: "the header claims \(count) variable length records, but has room for \(index)")
      }
      let length = Int(bytes.word(at: position + 20) as UInt16)
      let body = position + 54..<position + 54 + length
      guard body.upperBound <= pointOffset else {
        throw Fault(
          offset: position + 20,
          message: "a variable length record of \(length) bytes extends into the points")
      }
      let user = Self.name(bytes, position + 2..<position + 18)
      try read(bytes, user: user, id: Int(bytes.word(at: position + 18) as UInt16), body: body)
      position = body.upperBound
    }
  }

  private mutating func read(
    _ bytes: Span<UInt8>, user: String, id: Int, body: Range<Int>
  ) throws(Fault) {
    switch (user, id) {
    case ("laszip encoded", _):
      throw Fault(
        offset: body.lowerBound, message: "its points are compressed (LAZ): \(Self.wayOut)")
    case ("LASF_Spec", 0):
      for start in stride(from: body.lowerBound, to: body.upperBound - 15, by: 16) {
        let name = ClassNames.normalized(Self.name(bytes, start + 1..<start + 16))
        if !name.isEmpty { classNames[Int(bytes[start])] = name }
      }
    case ("LASF_Spec", 4): readExtraFields(bytes, body)
    case (LASReference.user, let id): addReference(bytes, UInt16(id), body)
    default: break
    }
  }

  private mutating func addReference(_ bytes: Span<UInt8>, _ id: UInt16, _ body: Range<Int>) {
    let ids = [LASReference.text, GeoKeys.directory, GeoKeys.numbers, GeoKeys.texts]
    guard ids.contains(id), !referenceRecords.contains(where: { $0.id == id }) else { return }
    referenceRecords.append(
      ReferenceSystem.Record(
        user: LASReference.user, id: id, title: "",
        body: [UInt8](copying: bytes.extracting(body))))
  }

  /// Finds the reference system in the records after the points, where LAS 1.4 may have it.
  private mutating func readExtendedRecords(_ bytes: Span<UInt8>) {
    let count = bytes.word(at: 243) as UInt32
    guard count > 0, var start = Int(exactly: bytes.word(at: 235) as UInt64) else { return }
    for _ in 0..<count {
      guard start >= pointOffset, start <= bytes.count - 60,
        let length = Int(exactly: bytes.word(at: start + 20) as UInt64),
        length <= bytes.count - start - 60
      else {
        remarks.append("the records after its points are cut off")
        return
      }
      let body = start + 60..<start + 60 + length
      if Self.name(bytes, start + 2..<start + 18) == LASReference.user, length <= 1 << 20 {
        addReference(bytes, bytes.word(at: start + 18), body)
      }
      start = body.upperBound
    }
  }

  private mutating func readExtraFields(_ bytes: Span<UInt8>, _ body: Range<Int>) {
    var offset = pointFormat.size
    for start in stride(
      from: body.lowerBound, to: body.upperBound - LASExtraField.size + 1, by: LASExtraField.size)
    {
      let field = LASExtraField(bytes, at: start, offset: offset)
      offset += field.byteCount
      guard offset <= recordLength else {
        remarks.append("describes more extra bytes than its points have")
        return
      }
      if !field.name.isEmpty { extraFields.append(field) }
    }
  }

  /// A text that ends with the first zero.
  static func name(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
    let length = range.firstIndex { bytes[$0] == 0 } ?? range.upperBound
    return text(bytes, range.lowerBound..<length)
  }
}
