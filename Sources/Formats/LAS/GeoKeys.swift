import MeshPipeline

/// The keys of GeoTIFF that describe a coordinate reference system, as LAS has them in three records.
struct GeoKeys {
  /// The record with the keys, that with their numbers, and that with their texts.
  static let directory: UInt16 = 34_735
  static let numbers: UInt16 = 34_736
  static let texts: UInt16 = 34_737

  private var shorts: [UInt16: Int] = [:]
  private var doubles: [UInt16: Double] = [:]
  private var strings: [UInt16: String] = [:]

  /// Nil without a record of keys, or for one that is cut off.
  init?(_ records: [ReferenceSystem.Record]) {
    guard let keys = records.first(where: { $0.id == Self.directory })?.body, keys.count >= 8 else {
      return nil
    }
    let numbers = records.first { $0.id == Self.numbers }?.body ?? []
    let texts = records.first { $0.id == Self.texts }?.body ?? []
    func word(_ index: Int) -> UInt16 { keys.span.word(at: 2 * index) }
    let count = Int(word(3))
    guard keys.count >= 8 * (count + 1) else { return nil }
    for key in 1..<count + 1 {
      let (id, place) = (word(4 * key), word(4 * key + 1))
      let (length, value) = (Int(word(4 * key + 2)), Int(word(4 * key + 3)))
      switch place {
      case 0: shorts[id] = value
      case Self.numbers where numbers.count >= 8 * (value + 1):
        doubles[id] = numbers.span.number(at: 8 * value, .float64, isBigEndian: false)
      case Self.texts where value + length <= texts.count:
        let bytes = texts[value..<value + length].prefix { $0 != 0 && $0 != UInt8(ascii: "|") }
        strings[id] = String(decoding: bytes, as: UTF8.self)
      default: break
      }
    }
  }

  /// 1 for a map, 2 for degrees, 3 for places from the middle of the earth; nil if the keys don't say.
  var modelType: Int? { shorts[1024] }
  var projectedCode: Int? { code(3072) }
  var geographicCode: Int? { code(2048) }
  var verticalCode: Int? { code(4096) }

  var projectedName: String? { text(3073) ?? text(1026) }
  var geographicName: String? { text(2049) ?? text(1026) }
  var verticalName: String? { text(4097) }

  /// The length of a unit of east and north in metres.
  var linearUnit: Double? { length(3076, size: 3077) ?? length(2052, size: 2053) }
  var verticalUnit: Double? { length(4099) }
  /// Lengths of units in metres that can't be; they are ignored.
  ///
  /// That of geographic coordinates counts without one of the map.
  var implausibleUnits: [Double] {
    let sizes: [UInt16] = length(3076, size: 3077) == nil ? [3077, 2053] : [3077]
    return sizes.compactMap { doubles[$0] }.filter { !LengthUnit.isPlausible($0) }
  }

  /// Degrees if they don't say.
  var isInDegrees: Bool { [nil, 9102, 9107, 9108, 9122].contains(shorts[2054]) }
  var isSexagesimal: Bool { shorts[2054] == LASReference.sexagesimal }

  /// The ellipsoid; nil if they describe none that can be the earth's.
  var ellipsoid: Ellipsoid? {
    if let axis = doubles[2057] {
      if let inverse = doubles[2059] {
        return Ellipsoid(axis: axis, inverseFlattening: inverse).ifPlausible
      }
      if let minor = doubles[2058] {
        let inverse = axis == minor ? 0 : axis / (axis - minor)
        return Ellipsoid(axis: axis, inverseFlattening: inverse).ifPlausible
      }
    }
    switch shorts[2056] {
    case 7030: return .wgs84
    case 7019: return .grs80
    default: return nil
    }
  }

  /// The code of a key; nil for what is undefined (0), user-defined (32767) or private.
  private func code(_ key: UInt16) -> Int? {
    shorts[key].flatMap { Self.codes.contains($0) ? $0 : nil }
  }

  /// The codes of systems that keys can have.
  static let codes = 1024...32_766

  private func text(_ key: UInt16) -> String? {
    strings[key].flatMap {
      let text = $0.trimmingSpaces()
      return text.isEmpty ? nil : text
    }
  }

  private func length(_ key: UInt16, size: UInt16? = nil) -> Double? {
    if let size = size.flatMap({ doubles[$0] }), LengthUnit.isPlausible(size) { return size }
    return shorts[key].flatMap { LengthUnit.meters[$0] }
  }
}
