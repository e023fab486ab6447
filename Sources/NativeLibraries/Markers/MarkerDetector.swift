internal import CMarkers
import Synchronization

/// Finds printed markers in pictures, with the AprilTag library (Wang and Olson, "AprilTag 2", 2016).
///
/// Thread-safe: it has a detector of the library for each thread, which are made once, since their tables of codes are large.
package final class MarkerDetector: Sendable {
  /// A marker in a picture.
  package struct Detection: Sendable {
    package var dictionary: MarkerDictionary
    package var identifier: Int
    /// In pixels from the picture's top left corner: the top left, top right, bottom right and bottom left corner of the
    /// black square, as the marker is printed.
    package var corners: [SIMD2<Double>]
  }

  private let dictionaries: [MarkerDictionary]

  /// The most markers of a picture.
  private static let most = 4096
  /// How far cells are from the threshold between black and white at least, on average, in codes of 8 bits: what looks
  /// like a marker by chance is faint.
  private static let leastMargin: Float = 15

  /// The library's detectors that no thread uses now.
  private let idle = Mutex<[NativeDetector]>([])

  package init(_ dictionaries: [MarkerDictionary]) { self.dictionaries = dictionaries }

  /// The markers of a picture, by their numbers.
  ///
  /// - Parameter codes: A byte for each pixel, row by row.
  /// - Returns: None for a picture of less than 16 pixels a side, or of more than 16,384; nil if memory is short.
  package func markers(in codes: [UInt8], width: Int, height: Int) -> [Detection]? {
    precondition(
      width >= 0 && height >= 0 && codes.count == width * height, "a byte for each pixel")
    guard max(width, height) <= Int(Int32.max) else { return [] }
    guard let detector = idle.withLock({ $0.popLast() }) ?? NativeDetector(dictionaries) else {
      return nil
    }
    defer { idle.withLock { $0.append(detector) } }
    var found = [meshpipe_marker](repeating: meshpipe_marker(), count: Self.most)
    let count = unsafe meshpipe_marker_detect(
      detector.pointer, codes, Int32(width), Int32(height), &found, Self.most)
    return found.prefix(max(0, count)).filter { $0.margin >= Self.leastMargin }.map { marker in
      let c = marker.corners
      return Detection(
        dictionary: dictionaries[Int(marker.family)], identifier: Int(marker.identifier),
        corners: [
          SIMD2(c.0, c.1), SIMD2(c.2, c.3), SIMD2(c.4, c.5), SIMD2(c.6, c.7),
        ])
    }.sorted { left, right in
      (left.dictionary.rawValue, left.identifier, left.corners[0].x, left.corners[0].y)
        < (right.dictionary.rawValue, right.identifier, right.corners[0].x, right.corners[0].y)
    }
  }
}

/// A detector of the library, for one thread at a time.
@safe private final class NativeDetector: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Nil if memory is short.
  init?(_ dictionaries: [MarkerDictionary]) {
    guard let made = unsafe meshpipe_marker_detector_make() else { return nil }
    unsafe pointer = unsafe made
    for dictionary in dictionaries {
      guard
        unsafe meshpipe_marker_detector_add(
          made, dictionary.family, dictionary.count, dictionary.correctedBits)
      else { return nil }
    }
  }

  deinit { unsafe meshpipe_marker_detector_free(pointer) }
}
