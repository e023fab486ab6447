import MeshPipeline

/// A number in a record of a point, as in ASPRS, *LAS Specification 1.4 – R15* (2019).
struct LASField: Sendable {
  /// The name of the custom attribute, that of laspy and PDAL.
  var name: String
  /// The first byte in the record.
  var offset: Int
  var type: NumberType
  /// The lowest bit and the number of bits; nil for whole bytes.
  var bits: (first: Int, count: Int)?
  /// The value of points that don't have one.
  var neutral = 0.0

  init(
    _ name: String, _ offset: Int, _ type: NumberType, bits: (first: Int, count: Int)? = nil,
    neutral: Double = 0
  ) {
    self.name = name
    self.offset = offset
    self.type = type
    self.bits = bits
    self.neutral = neutral
  }

  /// The largest value of a field of bits.
  var mask: Int { bits.map { 1 << $0.count - 1 } ?? Int.max }
}

/// The layout of the records of a point format.
struct LASPointFormat: Sendable {
  let number: Int
  /// The size of a record without extra bytes.
  let size: Int
  /// Whether it is one of the formats that LAS 1.4 brought.
  var isExtended: Bool { number >= 6 }

  private static let sizes = [20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67]

  init?(_ number: Int) {
    guard Self.sizes.indices.contains(number) else { return nil }
    self.number = number
    size = Self.sizes[number]
  }

  /// The first of three colours of 16 bits.
  var colorOffset: Int? {
    switch number {
    case 2: 20
    case 3, 5: 28
    case 7, 8, 10: 30
    default: nil
    }
  }

  var hasWaveforms: Bool { [4, 5, 9, 10].contains(number) }

  var classification: LASField {
    isExtended
      ? LASField("classification", 16, .uint8)
      : LASField("classification", 15, .uint8, bits: (0, 5))
  }

  /// The fields that become custom attributes.
  var fields: [LASField] {
    let intensity = LASField("intensity", 12, .uint16)
    guard isExtended else {
      return [
        intensity, LASField("return_number", 14, .uint8, bits: (0, 3), neutral: 1),
        LASField("number_of_returns", 14, .uint8, bits: (3, 3), neutral: 1),
        LASField("scan_direction_flag", 14, .uint8, bits: (6, 1)),
        LASField("edge_of_flight_line", 14, .uint8, bits: (7, 1)),
        LASField("synthetic", 15, .uint8, bits: (5, 1)),
        LASField("key_point", 15, .uint8, bits: (6, 1)),
        LASField("withheld", 15, .uint8, bits: (7, 1)),
        LASField("scan_angle_rank", 16, .int8), LASField("user_data", 17, .uint8),
        LASField("point_source_id", 18, .uint16),
      ] + ([1, 3, 4, 5].contains(number) ? [LASField("gps_time", 20, .float64)] : [])
    }
    return [
      intensity, LASField("return_number", 14, .uint8, bits: (0, 4), neutral: 1),
      LASField("number_of_returns", 14, .uint8, bits: (4, 4), neutral: 1),
      LASField("synthetic", 15, .uint8, bits: (0, 1)),
      LASField("key_point", 15, .uint8, bits: (1, 1)),
      LASField("withheld", 15, .uint8, bits: (2, 1)),
      LASField("overlap", 15, .uint8, bits: (3, 1)),
      LASField("scanner_channel", 15, .uint8, bits: (4, 2)),
      LASField("scan_direction_flag", 15, .uint8, bits: (6, 1)),
      LASField("edge_of_flight_line", 15, .uint8, bits: (7, 1)),
      LASField("user_data", 17, .uint8), LASField("scan_angle", 18, .int16),
      LASField("point_source_id", 20, .uint16), LASField("gps_time", 22, .float64),
    ] + ([8, 10].contains(number) ? [LASField("nir", 36, .uint16)] : [])
  }
}
