package import MeshpipeBase
package import MeshpipeScene

/// Where and in which direction a photograph was taken, as its EXIF data says (the GPS directory of EXIF 2.3).
package struct PictureLocation: Sendable, Equatable {
  /// The position on WGS 84 with the height above the sea, 0 if there is none; nil if the photograph says none.
  package private(set) var position: GeographicPosition?
  /// Metres by which the position may be wrong (`GPSHPositioningError`); nil if the photograph does not say.
  package private(set) var positionError: Double?
  /// Clockwise from north, in radians; nil if the photograph says none.
  package private(set) var bearing: Double?
  /// Whether north of the bearing is the magnetic one.
  package private(set) var isMagnetic = false

  private enum Tag {
    static let (latitudeLetter, latitude, longitudeLetter, longitude) = (1, 2, 3, 4)
    static let (heightReference, height) = (5, 6)
    static let (bearingLetter, bearing) = (16, 17)
    static let positionError = 31
  }

  /// Nil if the photograph says neither.
  package init?(_ file: MappedFile) {
    guard let data = EXIF(file), let found = PictureLocation(data) else { return nil }
    self = found
  }

  /// Reads the data of a photograph from its first byte.
  init?(exif bytes: [UInt8]) {
    guard let data = EXIF(bytes: bytes), let found = PictureLocation(data) else { return nil }
    self = found
  }

  private init?(_ data: EXIF) {
    func number(_ tag: Int) -> Double? { data.number(tag, in: .place) }
    if let latitude = Self.degrees(Tag.latitude, in: data, limit: 90),
      let longitude = Self.degrees(Tag.longitude, in: data, limit: 180),
      // What phones write that don't know where they are.
      latitude != 0 || longitude != 0
    {
      let height = number(Tag.height) ?? 0
      position = GeographicPosition(
        latitude: data.text(Tag.latitudeLetter, in: .place) == "S" ? -latitude : latitude,
        longitude: data.text(Tag.longitudeLetter, in: .place) == "W" ? -longitude : longitude,
        height: number(Tag.heightReference) == 1 ? -height : height)
      positionError = number(Tag.positionError)
    }
    if let degrees = number(Tag.bearing), (0...360).contains(degrees) {
      bearing = degrees * .pi / 180
      isMagnetic = data.text(Tag.bearingLetter, in: .place) == "M"
    }
    if position == nil, bearing == nil { return nil }
  }

  /// The sum of degrees, minutes and seconds.
  private static func degrees(_ tag: Int, in data: EXIF, limit: Double) -> Double? {
    guard let whole = data.number(tag, in: .place),
      let minutes = data.number(tag, in: .place, index: 1),
      let seconds = data.number(tag, in: .place, index: 2)
    else { return nil }
    let value = whole + minutes / 60 + seconds / 3600
    return (0...limit).contains(value) ? value : nil
  }
}
