import MeshPipeline

/// Records of LAS that describe coordinate reference systems.
enum LASRecords {
  /// A system as well-known text, which ends with a zero.
  static func text(of text: String) -> ReferenceSystem.Record {
    ReferenceSystem.Record(
      user: LASReference.user, id: LASReference.text, title: "WKT", body: Array(text.utf8) + [0])
  }

  /// A map in metres by its code, as keys of GeoTIFF.
  static func keys(ofMap code: Int) -> ReferenceSystem.Record {
    let keys: [(UInt16, Int)] = [(1024, 1), (1025, 1), (3072, code), (3076, 9001)]
    var words: [UInt16] = [1, 1, 0, UInt16(keys.count)]
    for (key, value) in keys { words += [key, 0, 1, UInt16(clamping: value)] }
    var body = ByteBuffer()
    for word in words { body.append(word) }
    return ReferenceSystem.Record(
      user: LASReference.user, id: GeoKeys.directory, title: "GeoTIFF keys", body: body.bytes)
  }
}

extension UTMSystem {
  /// The system as well-known text of the first version, as LAS has it.
  var text: String {
    func number(_ value: Double) -> String { JSONValue.text(of: value) }
    let (axis, flattening) = (datum.ellipsoid.axis, datum.ellipsoid.inverseFlattening)
    let geographic = """
      GEOGCS["\(datum.name)",DATUM["\(datum.fullName)",SPHEROID["\(datum.spheroid)",\
      \(number(axis)),\(number(flattening))]],PRIMEM["Greenwich",0],\
      UNIT["degree",0.0174532925199433]\
      \(datum.geographic.first.map { ",AUTHORITY[\"EPSG\",\"\($0)\"]" } ?? "")]
      """
    return """
      PROJCS["\(name)",\(geographic),PROJECTION["Transverse_Mercator"],\
      PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",\(zone.centralMeridian)],\
      PARAMETER["scale_factor",\(number(UTMZone.scale))],\
      PARAMETER["false_easting",\(UTMZone.falseEasting)],\
      PARAMETER["false_northing",\(zone.falseNorthing)],UNIT["metre",1],\
      AXIS["Easting",EAST],AXIS["Northing",NORTH]\
      \(code.map { ",AUTHORITY[\"EPSG\",\"\($0)\"]" } ?? "")]
      """
  }

  /// The system as a scene has it.
  var referenceSystem: ReferenceSystem {
    var system = ReferenceSystem()
    system.code = code.map { "EPSG:\($0)" }
    system.name = name
    system.records = [LASRecords.text(of: text)] + (code.map { [LASRecords.keys(ofMap: $0)] } ?? [])
    return system
  }
}
