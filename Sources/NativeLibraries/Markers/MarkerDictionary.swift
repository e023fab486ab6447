internal import CMarkers

/// A set of printed markers: black squares with cells that say a number.
package enum MarkerDictionary: String, Sendable, CaseIterable {
  /// The dictionaries of ArUco, by the cells along a side and how many of the markers are in use.
  case aruco4x4Of50 = "aruco-4x4-50"
  case aruco4x4Of100 = "aruco-4x4-100"
  case aruco4x4Of250 = "aruco-4x4-250"
  case aruco5x5Of50 = "aruco-5x5-50"
  case aruco5x5Of100 = "aruco-5x5-100"
  case aruco5x5Of250 = "aruco-5x5-250"
  case aruco6x6Of50 = "aruco-6x6-50"
  case aruco6x6Of100 = "aruco-6x6-100"
  case aruco6x6Of250 = "aruco-6x6-250"
  case aruco7x7Of50 = "aruco-7x7-50"
  case aruco7x7Of100 = "aruco-7x7-100"
  case aruco7x7Of250 = "aruco-7x7-250"
  /// The first ones, of 1,024 markers.
  case arucoOriginal = "aruco-original"
  case arucoMIP36h12 = "aruco-mip-36h12"
  /// AprilTags, by the bits of a tag and the number in which two differ at least.
  case aprilTag16h5 = "apriltag-16h5"
  case aprilTag25h9 = "apriltag-25h9"
  case aprilTag36h10 = "apriltag-36h10"
  case aprilTag36h11 = "apriltag-36h11"

  var family: meshpipe_marker_family {
    switch self {
    case .aruco4x4Of50, .aruco4x4Of100, .aruco4x4Of250: meshpipe_aruco_4x4
    case .aruco5x5Of50, .aruco5x5Of100, .aruco5x5Of250: meshpipe_aruco_5x5
    case .aruco6x6Of50, .aruco6x6Of100, .aruco6x6Of250: meshpipe_aruco_6x6
    case .aruco7x7Of50, .aruco7x7Of100, .aruco7x7Of250: meshpipe_aruco_7x7
    case .arucoOriginal: meshpipe_aruco_original
    case .arucoMIP36h12: meshpipe_aruco_mip_36h12
    case .aprilTag16h5: meshpipe_tag_16h5
    case .aprilTag25h9: meshpipe_tag_25h9
    case .aprilTag36h10: meshpipe_tag_36h10
    case .aprilTag36h11: meshpipe_tag_36h11
    }
  }

  /// How many of the family's markers belong to it.
  var count: Int32 {
    switch self {
    case .aruco4x4Of50, .aruco5x5Of50, .aruco6x6Of50, .aruco7x7Of50: 50
    case .aruco4x4Of100, .aruco5x5Of100, .aruco6x6Of100, .aruco7x7Of100: 100
    case .aruco4x4Of250, .aruco5x5Of250, .aruco6x6Of250, .aruco7x7Of250: 250
    default: .max
    }
  }

  /// The wrong bits that are corrected, of which too many make markers of what is none.
  ///
  /// About half of what the distance of the markers allows, as in OpenCV.
  var correctedBits: Int32 {
    switch self {
    case .aruco4x4Of50, .aruco4x4Of100, .aruco4x4Of250, .arucoOriginal, .aprilTag16h5: 0
    case .aruco5x5Of50, .aruco5x5Of100, .aruco5x5Of250: 1
    default: 2
    }
  }

  /// The cells along a side of a marker, with the black border.
  package var side: Int { Int(meshpipe_marker_side(family)) }

  /// The cells of a marker's black square, row by row from the top left; true is white.
  ///
  /// - Returns: Nil if there is no such marker.
  package func cells(of identifier: Int) -> [Bool]? {
    guard let number = Int32(exactly: identifier), (0..<count).contains(number) else { return nil }
    var cells = [UInt8](repeating: 0, count: side * side)
    guard unsafe meshpipe_marker_draw(family, number, &cells) else { return nil }
    return cells.map { $0 != 0 }
  }
}
