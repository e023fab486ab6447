import MeshpipeScene

/// The coordinate frame in which a surface is decimated.
///
/// Lengths are in units of the square root of a face's mean area, so that costs neither vanish nor
/// overflow.
struct CollapseFrame: Sendable {
  /// From units of the input to those of the computation.
  let scale: Float
  let center: SIMD3<Float>
  /// The bounds of the surface.
  let box: Box

  init(_ surface: EdgeCollapse.Surface) {
    let bounds = Box(surface.positions)
    (center, scale) = (bounds.center, Self.scale(of: surface))
    box = Box(
      minimum: (bounds.minimum - center) * scale, maximum: (bounds.maximum - center) * scale)
  }

  @inline(__always)
  func inside(_ position: Vector3) -> Vector3 { Vector3((position.simd - center) * scale) }

  @inline(__always)
  func outside(_ position: Vector3) -> Vector3 { Vector3(position.simd / scale + center) }

  /// One over the square root of the mean area of a face.
  private static func scale(of surface: EdgeCollapse.Surface) -> Float {
    let faceCount = surface.vertices.count / 3
    let sums = Parallel.mapChunks(of: faceCount) { range in
      var sum = 0.0
      for face in range {
        let a = surface.positions[Int(surface.vertices[3 * face])].simd
        let b = surface.positions[Int(surface.vertices[3 * face + 1])].simd
        let c = surface.positions[Int(surface.vertices[3 * face + 2])].simd
        let area = (b - a).cross(c - a).length
        if area.isFinite { sum += Double(area) }
      }
      return sum
    }
    let mean = sums.reduce(0, +) / 2 / Double(max(1, faceCount))
    let scale = Float(1 / mean.squareRoot())
    return scale > 0 && scale.isFinite ? scale : 1
  }
}
