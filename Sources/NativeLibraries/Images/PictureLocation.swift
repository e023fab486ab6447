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
    static let gps = 0x8825
    static let (latitudeLetter, latitude, longitudeLetter, longitude) = (1, 2, 3, 4)
    static let (heightReference, height) = (5, 6)
    static let (bearingLetter, bearing) = (16, 17)
    static let positionError = 31
  }

  /// EXIF data precedes the pixels of a JPEG, and is in the beginning or at the end of a HEIC file.
  private static let searched = 1 << 18

  /// Nil if the photograph says neither.
  package init?(_ file: MappedFile) {
    let found = file.withBytes { bytes -> PictureLocation? in
      let head = [UInt8](copying: bytes.extracting(first: Self.searched))
      if let found = Self.find(in: head) { return found }
      return Self.find(in: [UInt8](copying: bytes.extracting(last: Self.searched)))
    }
    guard let found else { return nil }
    self = found
  }

  /// Reads the EXIF data in a part of a file.
  private static func find(in bytes: [UInt8]) -> PictureLocation? {
    let mark = Array("Exif".utf8) + [0, 0]
    guard let found = bytes.firstRange(of: mark) else { return nil }
    return PictureLocation(exif: Array(bytes[found.upperBound...]))
  }

  /// Reads the directories of a TIFF file: the first one refers to that of the location.
  init?(exif bytes: [UInt8]) {
    guard let numbers = TIFFNumbers(bytes), let first = numbers.number(at: 4, bytes: 4),
      let entry = numbers.value(ofTag: Tag.gps, inDirectoryAt: first),
      let start = numbers.number(at: entry, bytes: 4)
    else { return nil }
    func value(_ tag: Int) -> Int? { numbers.value(ofTag: tag, inDirectoryAt: start) }
    func letter(_ tag: Int) -> Int? { value(tag).flatMap { numbers.number(at: $0, bytes: 1) } }
    func fractions(_ tag: Int, count: Int) -> [Double]? {
      guard let entry = value(tag), let offset = numbers.number(at: entry, bytes: 4) else {
        return nil
      }
      let values = (0..<count).compactMap { numbers.fraction(at: offset + 8 * $0) }
      return values.count == count ? values : nil
    }
    /// Degrees, minutes and seconds with a sign.
    func degrees(_ tag: Int, _ signTag: Int, negative: String, limit: Double) -> Double? {
      guard let parts = fractions(tag, count: 3) else { return nil }
      let value = parts[0] + parts[1] / 60 + parts[2] / 3600
      guard (0...limit).contains(value) else { return nil }
      return letter(signTag).map(UInt8.init(clamping:)) == negative.utf8.first ? -value : value
    }
    if let latitude = degrees(Tag.latitude, Tag.latitudeLetter, negative: "S", limit: 90),
      let longitude = degrees(Tag.longitude, Tag.longitudeLetter, negative: "W", limit: 180),
      // What phones write that don't know where they are.
      latitude != 0 || longitude != 0
    {
      let above = fractions(Tag.height, count: 1)?.first ?? 0
      position = GeographicPosition(
        latitude: latitude, longitude: longitude,
        height: letter(Tag.heightReference) == 1 ? -above : above)
      positionError = fractions(Tag.positionError, count: 1)?.first
    }
    if let degrees = fractions(Tag.bearing, count: 1)?.first, (0...360).contains(degrees) {
      bearing = degrees * .pi / 180
      isMagnetic = letter(Tag.bearingLetter) == Int(UInt8(ascii: "M"))
    }
    if position == nil, bearing == nil { return nil }
  }
}

extension TIFFNumbers {
  /// The offset of the value of a tag in a directory: behind its type and count.
  fileprivate func value(ofTag tag: Int, inDirectoryAt start: Int) -> Int? {
    guard let count = number(at: start, bytes: 2) else { return nil }
    let entries = (0..<count).lazy.map { start + 2 + 12 * $0 }
    return entries.first { number(at: $0, bytes: 2) == tag }.map { $0 + 8 }
  }

  /// Two numbers, one above the other.
  fileprivate func fraction(at offset: Int) -> Double? {
    guard let above = number(at: offset, bytes: 4), let below = number(at: offset + 4, bytes: 4),
      below > 0
    else { return nil }
    return Double(above) / Double(below)
  }
}
