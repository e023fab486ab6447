package import MeshpipeBase
import MeshpipeScene

/// The direction in which a photograph was taken, as its EXIF data says (`GPSImgDirection`, EXIF 2.3).
package struct PictureBearing: Sendable, Equatable {
  /// Clockwise from north, in radians.
  package let bearing: Double
  /// Whether north is the magnetic one.
  package let isMagnetic: Bool

  private enum Tag {
    static let gps = 0x8825
    static let reference = 16
    static let direction = 17
  }

  /// EXIF data precedes the pixels of a JPEG, and is in the beginning or at the end of a HEIC file.
  private static let searched = 1 << 18

  /// Nil if the photograph says none.
  package init?(_ file: MappedFile) {
    let found = file.withBytes { bytes -> PictureBearing? in
      let head = [UInt8](copying: bytes.extracting(first: Self.searched))
      if let found = Self.find(in: head) { return found }
      return Self.find(in: [UInt8](copying: bytes.extracting(last: Self.searched)))
    }
    guard let found else { return nil }
    self = found
  }

  /// Reads the EXIF data in a part of a file.
  private static func find(in bytes: [UInt8]) -> PictureBearing? {
    let mark = Array("Exif".utf8) + [0, 0]
    guard let place = bytes.firstRange(of: mark) else { return nil }
    return PictureBearing(exif: Array(bytes[place.upperBound...]))
  }

  private init(bearing: Double, isMagnetic: Bool) {
    (self.bearing, self.isMagnetic) = (bearing, isMagnetic)
  }

  /// Reads the directories of a TIFF file: the first one refers to that of the place.
  init?(exif bytes: [UInt8]) {
    guard let numbers = TIFFNumbers(bytes) else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int? { numbers.number(at: offset, bytes: count) }
    /// The place of the value of a tag: behind its type and count.
    func value(_ tag: Int, inDirectoryAt start: Int) -> Int? {
      guard let count = number(start, 2) else { return nil }
      let places = (0..<count).lazy.map { start + 2 + 12 * $0 }
      return places.first { number($0, 2) == tag }.map { $0 + 8 }
    }
    guard let first = number(4, 4), let entry = value(Tag.gps, inDirectoryAt: first),
      let place = number(entry, 4), let direction = value(Tag.direction, inDirectoryAt: place),
      let offset = number(direction, 4), let above = number(offset, 4),
      let below = number(offset + 4, 4), below > 0
    else { return nil }
    let degrees = Double(above) / Double(below)
    guard (0...360).contains(degrees) else { return nil }
    let letter = value(Tag.reference, inDirectoryAt: place).flatMap { number($0, 1) }
    self.init(bearing: degrees * .pi / 180, isMagnetic: letter == Int(UInt8(ascii: "M")))
  }
}
