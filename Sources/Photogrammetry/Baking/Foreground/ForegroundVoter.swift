import MeshpipeScene

/// A frame as a voter: maps points of the mesh to pixels and their colours.
///
/// A class, since structures in an array would retain and release their maps at each access.
final class ForegroundVoter: Sendable {
  /// The camera of the frame, in pixels of the thumbnail.
  let camera: Camera
  /// The camera without its warp, which is taken as constant within a block.
  private let unwarped: Camera
  let thumbnail: FrameThumbnail
  /// The offset of the codes of the frame that levels it.
  let offset: SIMD4<Float>
  /// The depth of the mesh at each pixel of the depth bounds, in millimetres.
  private let depths: [UInt16]
  private let mapWidth: Int
  /// The factor from pixels of the thumbnail to those of the map.
  private let mapScale: SIMD2<Float>
  private let scale: MetricScale
  /// The largest deviation of a depth from the mesh's, in millimetres.
  private let tolerance: Float

  /// The deviation beside ``tolerance`` as a fraction of the depth: depths of neighbouring pixels of a slanted surface
  /// differ by about this much.
  ///
  /// Larger, frames vote on surface that something hides from them.
  static let slack: Float = 0.01
  /// The deviation of two frames' depths in errors of the mesh: one each.
  private static let errors: Float = 2
  /// Pixels at the border that don't vote: they have no range of codes around them.
  private static let border: Float = 2

  init(
    _ frame: Capture.Frame, _ thumbnail: FrameThumbnail, _ map: DepthBounds, offset: SIMD4<Float>,
    scale: MetricScale, meshError: Float
  ) {
    camera = Camera(frame, size: SIMD2(thumbnail.width, thumbnail.height))
    unwarped = camera.unwarped
    self.thumbnail = thumbnail
    (depths, mapWidth) = (map.depths, map.width)
    mapScale = SIMD2(Float(map.width), Float(map.height)) / camera.size
    self.offset = offset
    self.scale = scale
    tolerance = Self.errors * DepthBounds.tolerance(meshError)
  }

  /// The point of the mesh behind a pixel; nil if there is none.
  ///
  /// - Parameter shift: The displacement by the camera's warp there.
  @inline(__always)
  func point(_ x: Int, _ y: Int, shift: SIMD2<Float>) -> SIMD3<Float>? {
    let position = SIMD2(Float(x) + 0.5, Float(y) + 0.5)
    let depth = meshDepth(at: position)
    guard depth > 0, depth < DepthBounds.greatestDepth else { return nil }
    let ray = unwarped.ray(through: position - shift)
    return camera.position + ray * scale.units(millimeters: depth)
  }

  /// The pixel at which the frame sees a point of the mesh; nil if it does not.
  ///
  /// - Parameters:
  ///   - shift: The displacement by the camera's warp there.
  ///   - slack: The largest distance from the mesh, as a share of the depth.
  /// - Returns: The pixel, and the depth in units of the scene.
  @inline(__always)
  func pixel(
    of point: SIMD3<Float>, shift: SIMD2<Float>, slack: Float = slack
  ) -> (x: Int, y: Int, depth: Float)? {
    guard let projected = unwarped.project(point) else { return nil }
    let position = SIMD2(projected.x, projected.y) + shift
    guard camera.contains(position, margin: Self.border) else { return nil }
    let depth = scale.millimeters(projected.z)
    let residual = abs(meshDepth(at: position) - depth)
    return residual < tolerance + slack * depth
      ? (Int(position.x), Int(position.y), projected.z) : nil
  }

  /// The mesh's depth at a position in the thumbnail, in millimetres.
  @inline(__always)
  private func meshDepth(at position: SIMD2<Float>) -> Float {
    let pixel = position * mapScale
    return Float(depths[Int(pixel.y) &* mapWidth &+ Int(pixel.x)])
  }

  /// The displacement by the camera's warp at a pixel.
  func shift(at pixel: (x: Int, y: Int)) -> SIMD2<Float> {
    camera.shift(at: SIMD2(Float(pixel.x) + 0.5, Float(pixel.y) + 0.5))
  }

  /// The levelled codes of a pixel.
  @inline(__always)
  func color(_ x: Int, _ y: Int) -> SIMD4<Float> { thumbnail.codes(x, y) + offset }

  /// The distance of a levelled colour from the range of those around a pixel; results less than
  /// ``ForegroundBallot/weakResidual`` need not be exact.
  @inline(__always)
  func residual(_ color: SIMD4<Float>, _ x: Int, _ y: Int) -> Float {
    thumbnail.residual(color - offset, x, y, atLeast: ForegroundBallot.weakResidual)
  }
}

/// A frame in which the points of a block are looked up.
struct ForegroundWitness {
  let voter: ForegroundVoter
  /// The displacement by its camera's warp there.
  let shift: SIMD2<Float>

  /// The pixel of a point of the mesh: see ``ForegroundVoter/pixel(of:shift:slack:)``.
  @inline(__always)
  func pixel(of point: SIMD3<Float>, slack: Float = ForegroundVoter.slack) -> (
    x: Int, y: Int, depth: Float
  )? {
    voter.pixel(of: point, shift: shift, slack: slack)
  }

  /// Votes on each point that the frame sees and that is not decided.
  ///
  /// - Parameter settling: See ``ForegroundBallot/settling(among:)``.
  func vote(on ballots: inout [ForegroundBallot], settling: Int) {
    for index in ballots.indices where ballots[index].agreeing < settling {
      guard let place = pixel(of: ballots[index].point) else { continue }
      let residual = voter.residual(ballots[index].color, place.x, place.y)
      ballots[index].count(residual, voter.color(place.x, place.y))
    }
  }
}
