import MeshPipeline
import POSIX

extension Transform {
  /// A rotation from a quaternion, which need not be normalised, and a translation.
  init(
    quaternion w: Double, _ vector: SIMD3<Double>, translation: SIMD3<Double>
  ) throws(FrameFault) {
    let length = (w * w + vector.lengthSquared).squareRoot()
    guard length.isFinite, length > 1e-6, translation.lengthSquared.isFinite else {
      throw FrameFault("its pose is not a rotation and a position")
    }
    let (w, v) = (w / length, vector / length)
    func image(_ axis: SIMD3<Double>) -> SIMD3<Double> {
      axis + 2 * v.cross(v.cross(axis) + w * axis)
    }
    self.init(
      x: image(SIMD3(1, 0, 0)), y: image(SIMD3(0, 1, 0)), z: image(SIMD3(0, 0, 1)),
      translation: translation)
  }

  /// A rotation about an axis by its length in radians, and a translation.
  init(axisAngle: SIMD3<Double>, translation: SIMD3<Double>) throws(FrameFault) {
    let angle = axisAngle.length
    let sine = angle > 1e-12 ? sin(angle / 2) / angle : 0.5
    try self.init(quaternion: cos(angle / 2), axisAngle * sine, translation: translation)
  }
}

/// Words and numbers of plain text.
enum PlainText {
  /// The lines of a file, without line breaks.
  static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0
    }
  }

  /// The words separated by spaces and tabs, or also by commas.
  static func words(_ line: ArraySlice<UInt8>, commas: Bool = false) -> [ArraySlice<UInt8>] {
    line.split { $0 == 0x20 || $0 == 0x09 || (commas && $0 == UInt8(ascii: ",")) }
  }

  /// The fields of a comma-separated line, without surrounding spaces; a field may be empty.
  static func fields(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    return line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { field in
      var field = field.drop(while: isBlank)
      while let last = field.last, isBlank(last) { field.removeLast() }
      return field
    }
  }

  /// A word, which may be the name of a file.
  static func text(_ word: ArraySlice<UInt8>) -> String { String(systemPath: word) }

  static func number(_ word: ArraySlice<UInt8>) -> Double? {
    Double(String(decoding: word, as: UTF8.self))
  }

  /// The numbers of a line; nil if it contains anything else.
  static func numbers(_ line: ArraySlice<UInt8>, commas: Bool = false) -> [Double]? {
    let words = words(line, commas: commas)
    let numbers = words.compactMap(number)
    return numbers.count == words.count ? numbers : nil
  }
}
