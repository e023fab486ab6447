import MeshpipeScene

extension SceneSurface {
  /// The area-weighted mean of the faces' normals: the overall facing of the surface.
  ///
  /// Zero for a closed surface, whose normals cancel out, and of length 1 for a flat one.
  var facing: SIMD3<Double> {
    let parts = Parallel.mapChunks(of: faceCount) { faces in
      var (sum, area) = (SIMD3<Double>.zero, 0.0)
      for face in faces {
        let first = corner(face, 0)
        let normal = SIMD3<Double>(
          (corner(face, 1) - first).cross(corner(face, 2) - first))
        sum += normal
        area += normal.dot(normal).squareRoot()
      }
      return (sum, area)
    }
    let sum = parts.reduce(SIMD3<Double>.zero) { $0 + $1.0 }
    let area = parts.reduce(0) { $0 + $1.1 }
    return area > 0 ? sum / area : .zero
  }
}

extension Viewpoint {
  /// The minimum horizontal facing for a view from that side: the walls of a scanned room cancel
  /// out, except for what was not scanned.
  private static let leastFacing = 0.15
  /// From half on it is a wall, a door or a façade, and not a room that one can look into.
  static let sheetFacing = 0.5

  /// The view that shows most of a surface: an open surface is seen from its front.
  ///
  /// - Parameters:
  ///   - facing: The overall facing of the surface: ``SceneSurface/facing``.
  ///   - isOpened: As for ``threeQuarter(isOpened:)``.
  static func threeQuarter(
    isOpened: Bool, facing: SIMD3<Double>, in system: CoordinateSystem
  ) -> Viewpoint {
    var view = threeQuarter(isOpened: isOpened)
    let back = view.axes(in: system).z
    let up = system.up.vector
    let level = facing - up * facing.dot(up)
    let size = level.dot(level).squareRoot()
    let toCamera = back - up * back.dot(up)
    // Within 60° of its front the usual view is good.
    let cosine = size > 0 ? level.dot(toCamera) / size / toCamera.dot(toCamera).squareRoot() : 1
    if size > leastFacing, cosine < 0.5 {
      view.azimuth = azimuth(towards: level, in: system)
    }
    if facing.dot(up) < -sheetFacing { view.elevation = -view.elevation }
    return view
  }

  /// The azimuth of a camera in a direction from the scene, in whole degrees.
  private static func azimuth(
    towards direction: SIMD3<Double>, in system: CoordinateSystem
  ) -> Double {
    // By search, since it must match `axes(in:)`, and is done once per image.
    let azimuths = (0..<360).map(Double.init)
    func match(_ azimuth: Double) -> Double {
      Viewpoint(azimuth: azimuth, elevation: 0).axes(in: system).z.dot(direction)
    }
    let matches = azimuths.map(match)
    return azimuths.indices.max { matches[$0] < matches[$1] }.map { azimuths[$0] } ?? 0
  }
}
