import MeshPipeline

/// What the records of a LAS file say of its coordinate reference system.
struct LASReference {
  /// What its coordinates are.
  enum Kind: Equatable {
    /// East and north on a map, or in a system of the site.
    case projected
    /// Longitude and latitude in degrees, on an ellipsoid that may be unknown.
    case geographic(Ellipsoid?)
    /// Degrees, minutes and seconds as the digits of one number.
    case sexagesimal
    /// In another unit of angles.
    case otherAngles
    /// From the middle of the earth.
    case geocentric
  }

  private(set) var kind = Kind.projected
  private(set) var system = ReferenceSystem()
  /// The code and the name of the geographic system, for one in degrees.
  private(set) var geographic: (code: Int?, name: String?) = (nil, nil)
  /// Lengths of units in metres that can't be, and that are ignored.
  private(set) var implausibleUnits: [Double] = []

  static let user = "LASF_Projection"
  /// The record with the system as well-known text.
  static let text: UInt16 = 2112
  /// The code of the unit DDD.MMSSsss.
  static let sexagesimal = 9110

  /// Nil if no record describes a system, or none that is understood.
  ///
  /// - Parameter prefersText: Whether the header says that the text counts, if there are keys, too.
  init?(_ records: [ReferenceSystem.Record], prefersText: Bool) {
    let text = records.first { $0.id == Self.text }.flatMap { WellKnownText($0.body) }
    let keys = GeoKeys(records)
    if let text, prefersText || keys == nil {
      read(text)
    } else if let keys {
      read(keys)
    } else {
      return nil
    }
    system.records = records
  }

  // MARK: Keys

  private mutating func read(_ keys: GeoKeys) {
    let isGeographic =
      keys.modelType == 2
      || keys.modelType == nil && keys.projectedCode == nil
        && keys.geographicCode != nil
    if keys.modelType == 3 {
      kind = .geocentric
    } else if isGeographic, keys.projectedCode == nil {
      let known = keys.geographicCode.flatMap { Ellipsoid(ofGeographic: $0) }
      kind =
        keys.isInDegrees
        ? .geographic(keys.ellipsoid ?? known) : keys.isSexagesimal ? .sexagesimal : .otherAngles
      geographic = (keys.geographicCode, keys.geographicName)
    }
    let isMap = kind == .projected
    system.code = Self.code(isMap ? keys.projectedCode : keys.geographicCode, keys.verticalCode)
    system.name =
      (isMap ? keys.projectedName : keys.geographicName)
      ?? keys.projectedCode.flatMap { UTMSystem(code: $0)?.name }
    guard isMap else {
      system.verticalUnit = keys.verticalUnit ?? 1
      return
    }
    implausibleUnits = keys.implausibleUnits
    system.horizontalUnit =
      keys.linearUnit ?? keys.projectedCode.flatMap { LengthUnit.meters(ofMap: $0) } ?? 1
    // Heights without a unit of their own are in that of the map.
    system.verticalUnit =
      keys.verticalUnit ?? keys.verticalCode.flatMap { LengthUnit.meters(ofHeights: $0) }
      ?? (keys.verticalCode == nil ? system.horizontalUnit : 1)
  }

  private static func code(_ first: Int?, _ vertical: Int?) -> String? {
    guard let first else { return nil }
    return "EPSG:\(first)" + (vertical.map { "+\($0)" } ?? "")
  }

  // MARK: Text

  private mutating func read(_ text: WellKnownText) {
    let maps: Set<String> = ["PROJCS", "PROJCRS", "PROJECTEDCRS"]
    let globes: Set<String> = ["GEOGCS", "GEOGCRS", "GEOGRAPHICCRS", "GEODCRS", "GEODETICCRS"]
    let map = text.first(maps)
    let globe = text.first(globes)
    let vertical = text.first(["VERT_CS", "VERTCRS", "VERTICALCRS"])
    if map == nil, text.first(["GEOCCS"]) != nil || globe?.isGeocentric == true {
      kind = .geocentric
    } else if map == nil, let globe {
      let degree = 0.017453292519943
      let isInDegrees = globe.unit.map { $0 <= 0 || abs($0 / degree - 1) < 1e-6 } ?? true
      kind =
        globe.unitCode == Self.sexagesimal
        ? .sexagesimal : isInDegrees ? .geographic(globe.ellipsoid) : .otherAngles
      geographic = (globe.code, globe.name)
    }
    let horizontal =
      map ?? (kind == .projected ? text.first(["LOCAL_CS", "ENGCRS", "ENGINEERINGCRS"]) : globe)
    system.code = Self.code(horizontal?.code, vertical?.code)
    if system.code == nil, horizontal == nil { system.code = text.code.map { "EPSG:\($0)" } }
    system.name = (text.keyword.hasPrefix("COMP") ? nil : horizontal?.name) ?? text.name
    if kind == .projected {
      system.horizontalUnit =
        horizontal.flatMap { length(of: $0) }
        ?? horizontal?.code.flatMap { LengthUnit.meters(ofMap: $0) } ?? 1
    }
    system.verticalUnit =
      vertical.map {
        length(of: $0) ?? $0.code.flatMap { LengthUnit.meters(ofHeights: $0) } ?? 1
      } ?? system.horizontalUnit
  }

  /// The length of a system's unit in metres; nil if it has none that can be.
  private mutating func length(of system: WellKnownText) -> Double? {
    guard let unit = system.unit else { return nil }
    guard !LengthUnit.isPlausible(unit) else { return unit }
    implausibleUnits.append(unit)
    return nil
  }
}

extension WellKnownText {
  /// Whether a system of the globe has three axes of lengths.
  fileprivate var isGeocentric: Bool {
    node("CS")?.words.first?.lowercased() == "cartesian"
      || nodes.filter { $0.keyword == "AXIS" }.contains { $0.name?.hasPrefix("Geocentric") == true }
  }

  /// The ellipsoid of a system; nil if it has none that can be the earth's.
  fileprivate var ellipsoid: Ellipsoid? {
    guard let node = first(["SPHEROID", "ELLIPSOID"]), node.numbers.count >= 2 else { return nil }
    return Ellipsoid(axis: node.numbers[0], inverseFlattening: node.numbers[1]).ifPlausible
  }
}
