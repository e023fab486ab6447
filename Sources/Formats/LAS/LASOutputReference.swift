import MeshPipeline

/// The coordinate reference system of a LAS file to write.
struct LASOutputReference {
  /// Nil if the scene has none, or is no longer in it.
  private let system: ReferenceSystem?
  /// The system that the scene has left.
  private let lost: ReferenceSystem?
  /// Why it is left out.
  private let reason: String
  /// The code of a map in metres without heights of its own; nil if keys can't have it.
  private let mapCode: Int?

  init(_ scene: Scene, _ options: LAS.Options) {
    let read = scene.survey?.referenceSystem
    let mapCode = read.flatMap(Self.mapCode(of:))
    let isOnMap = read?.isLeft == false && options.origin == nil
    let isKept = isOnMap && (read?.records.isEmpty == false || mapCode != nil)
    system = isKept ? read : nil
    lost = isKept ? nil : read
    reason =
      isOnMap
      ? "only its code would describe it here, and LAS can have that of a map in metres alone, as EPSG:25832"
      : "the coordinates are no longer those of its map"
    self.mapCode = isKept ? mapCode : nil
  }

  private static func mapCode(of system: ReferenceSystem) -> Int? {
    guard let text = system.code, text.hasPrefix("EPSG:"), system.horizontalUnit == 1,
      system.verticalUnit == 1, let code = Int(text.dropFirst(5)), GeoKeys.codes.contains(code)
    else { return nil }
    // The code of a map in feet or of an ellipsoid, given alone, does not go with metres.
    let isOther = LengthUnit.meters(ofMap: code) != nil || Ellipsoid(ofGeographic: code) != nil
    return system.records.isEmpty && isOther ? nil : code
  }

  /// The length of the units in metres: east, north and up.
  var unit: SIMD3<Double> {
    guard let system else { return SIMD3(1, 1, 1) }
    return SIMD3(system.horizontalUnit, system.horizontalUnit, system.verticalUnit)
  }

  private func has(_ id: UInt16) -> Bool { system?.records.contains { $0.id == id } ?? false }

  /// Whether well-known text describes it.
  var isText: Bool { has(LASReference.text) || knownText != nil }

  /// Whether keys describe it, in the file that was read or since there is a code alone.
  private var hasKeys: Bool {
    has(GeoKeys.directory) || system?.records.isEmpty == true && mapCode != nil
  }

  /// Whether only keys describe it, which belong to the point formats 0 to 5.
  var needsOldFormat: Bool { system != nil && hasKeys && !isText }

  /// The text of a system that only keys describe in the file that was read.
  private var knownText: String? {
    guard hasKeys, !has(LASReference.text) else { return nil }
    return mapCode.flatMap { UTMSystem(code: $0)?.text }
  }

  /// Says what can't be kept.
  func warn(isExtended: Bool, in context: WritingContext) {
    if let lost {
      context.stage.warn(
        """
        \(LAS.name): the reference system \(lost.words) is left out, since \(reason)
        """)
    }
    if let system, needsOldFormat, isExtended {
      context.stage.warn(
        """
        \(LAS.name): the reference system \(system.words) is described by keys of GeoTIFF, which some programs don't read \
        in point formats from 6 on; these points need one
        """)
    }
  }

  /// The records of the system: those that were read, and what the version has to have besides.
  func records(of version: LASVersion) -> [ReferenceSystem.Record] {
    guard let system else { return [] }
    var records = system.records.filter { $0.body.count <= Int(UInt16.max) }
    if version == .v14, let knownText { records.append(LASRecords.text(of: knownText)) }
    let needsKeys = version != .v14 || system.records.isEmpty && knownText == nil
    if needsKeys, !has(GeoKeys.directory), let mapCode {
      records.append(LASRecords.keys(ofMap: mapCode))
    }
    return records
  }
}
