package import MeshpipeBase
import MeshpipeScene

/// What a camera wrote into a photograph's file (EXIF 2.32, JEITA CP-3451; a TIFF file inside the picture).
package struct EXIF: Sendable {
  /// The directories with tags.
  package enum Directory: Sendable {
    /// The picture, how it was taken, and where.
    case image, photograph, place
  }

  private let numbers: TIFFNumbers
  private var starts: [Directory: Int] = [:]

  /// EXIF data precedes the pixels of a JPEG, and is in the beginning or at the end of a HEIC file.
  private static let searched = 1 << 18

  /// Nil if the file has no such data.
  package init?(_ file: MappedFile) {
    let found = file.withBytes { bytes -> EXIF? in
      let head = [UInt8](copying: bytes.extracting(first: Self.searched))
      if let found = Self.find(in: head) { return found }
      return Self.find(in: [UInt8](copying: bytes.extracting(last: Self.searched)))
    }
    guard let found else { return nil }
    self = found
  }

  private static func find(in bytes: [UInt8]) -> EXIF? {
    let mark = Array("Exif".utf8) + [0, 0]
    guard let place = bytes.firstRange(of: mark) else { return nil }
    return EXIF(bytes: Array(bytes[place.upperBound...]))
  }

  /// Reads data from its first byte; nil if it has no directory.
  package init?(bytes: [UInt8]) {
    guard let numbers = TIFFNumbers(bytes), let start = numbers.number(at: 4, bytes: 4) else {
      return nil
    }
    self.numbers = numbers
    starts[.image] = start
    for (directory, tag) in [(Directory.photograph, 0x8769), (.place, 0x8825)] {
      guard let entry = entry(tag, in: .image) else { continue }
      starts[directory] = numbers.number(at: entry + 8, bytes: 4)
    }
  }

  /// The place of a tag's entry: tag, type, count, and the value or its place.
  private func entry(_ tag: Int, in directory: Directory) -> Int? {
    guard let start = starts[directory], let count = numbers.number(at: start, bytes: 2) else {
      return nil
    }
    let places = (0..<count).lazy.map { start + 2 + 12 * $0 }
    return places.first { numbers.number(at: $0, bytes: 2) == tag }
  }

  /// The first number of a tag that is not negative, or a further one of several fractions; nil if it has none.
  package func number(_ tag: Int, in directory: Directory, index: Int = 0) -> Double? {
    guard let entry = entry(tag, in: directory), let type = numbers.number(at: entry + 2, bytes: 2)
    else { return nil }
    switch type {
    case 1: return numbers.number(at: entry + 8, bytes: 1).map(Double.init)
    case 3: return numbers.number(at: entry + 8, bytes: 2).map(Double.init)
    case 4: return numbers.number(at: entry + 8, bytes: 4).map(Double.init)
    case 5:
      guard let start = numbers.number(at: entry + 8, bytes: 4),
        let above = numbers.number(at: start + 8 * index, bytes: 4),
        let below = numbers.number(at: start + 8 * index + 4, bytes: 4), below > 0
      else { return nil }
      return Double(above) / Double(below)
    default: return nil
    }
  }

  /// The text of a tag, without what fills it up; nil if it has none.
  package func text(_ tag: Int, in directory: Directory) -> String? {
    guard let entry = entry(tag, in: directory), numbers.number(at: entry + 2, bytes: 2) == 2,
      let count = numbers.number(at: entry + 4, bytes: 4), count <= 1 << 10
    else { return nil }
    let place = count <= 4 ? entry + 8 : numbers.number(at: entry + 8, bytes: 4)
    guard let place else { return nil }
    var bytes: [UInt8] = []
    for index in 0..<count {
      guard let byte = numbers.number(at: place + index, bytes: 1), byte > 0 else { break }
      bytes.append(UInt8(byte))
    }
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self).withoutControlCharacters
  }
}
