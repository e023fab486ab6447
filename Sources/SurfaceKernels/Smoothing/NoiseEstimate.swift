import MeshpipeBase
import MeshpipeScene

/// The noise of a mesh: the deviation of its vertices from a smooth surface.
///
/// A quadric is fitted to the vertices around some vertices: about five rings, and fewer where the surface
/// turns, since a round part or an edge deviates from a quadric, too. What is left is noise where the
/// surface is smooth, and more where it is not, so that a low quantile stands for the noise. Noise that is
/// alike over many vertices can't be told from shape.
struct NoiseEstimate {
  /// The number of patches, of which some are smooth in almost every scan.
  private static let placeCount = 4000
  /// The quantile of the deviations that stands for the noise: most of a scan may be edges and curves.
  private static let smoothShare = 0.35
  /// The share of patches that are smooth below which a mesh consists of edges and small round parts, and
  /// that below which these patches are so by chance.
  private static let usualSmoothShare = 0.3
  private static let leastSmoothShare = 0.05

  /// The standard deviation of the noise along the normals, in working units; nil if the mesh is too
  /// small to tell.
  static func standardDeviation(of surface: SmoothingSurface) -> Double? {
    let count = surface.vertexCount
    let step = max(1, count / placeCount)
    let places = Array(stride(from: step / 2, to: count, by: step))
    let chunks = Parallel.mapChunks(of: places.count, chunkSize: 64) { range in
      var patch = NoisePatch(surface)
      return range.compactMap { patch.deviation(around: places[$0]) }
    }
    let all = chunks.flatMap(\.self)
    guard !all.isEmpty else { return nil }
    let smooth = all.filter(\.isSmooth)
    let share = Double(smooth.count) / Double(all.count)
    let counted = share < leastSmoothShare ? all : smooth
    let rank = Int(Double(counted.count - 1) * smoothShare)
    let deviation = counted.map(\.size).element(ofRank: rank)
    return share < usualSmoothShare ? min(deviation, edgeDeviation(of: surface)) : deviation
  }

  /// The noise of a mesh of large flat parts: the median of the distances of vertices from the plane
  /// of the face across an edge, as those of normally distributed positions.
  private static func edgeDeviation(of surface: SmoothingSurface) -> Double {
    let step = max(1, surface.faceCount / placeCount)
    var distances: [Double] = []
    for face in stride(from: step / 2, to: surface.faceCount, by: step) {
      for corner in 3 * face..<3 * face + 3 {
        surface.forEachFace(across: corner) { across in
          let tip = surface.original[Int(surface.indices[nextCorner(across)])].double
          if let distance = surface.relativeDistance(of: tip, fromFaceAt: corner) {
            distances.append(distance)
          }
        }
      }
    }
    guard !distances.isEmpty else { return .infinity }
    // The median of the absolute value of a normally distributed number.
    return distances.element(ofRank: (distances.count - 1) / 2) / 0.6745
  }
}

extension SmoothingSurface {
  /// The distance of a point from the plane of a face, over the standard deviation that noise of size 1
  /// of the three corners and the point gives it; nil if the face has no area.
  fileprivate func relativeDistance(of point: SIMD3<Double>, fromFaceAt corner: Int) -> Double? {
    let origin = original[Int(indices[corner])].double
    let first = original[Int(indices[nextCorner(corner)])].double - origin
    let second = original[Int(indices[previousCorner(corner)])].double - origin
    let normal = first.cross(second)
    let square = normal.dot(normal)
    guard square > 0 else { return nil }
    let offset = point - origin
    let u = offset.cross(second).dot(normal) / square
    let v = first.cross(offset).dot(normal) / square
    let spread = 1 + u * u + v * v + (1 - u - v) * (1 - u - v)
    return abs(offset.dot(normal)) / (square * spread).squareRoot()
  }
}
