import MeshPipeline
import SurfaceKernels

/// The frames' values at the surfels, and their derivatives by the cameras' motion.
struct Linearization: Sendable {
  /// One sighting.
  struct Row: Sendable, BitwiseCopyable {
    /// NaN if the frame does not show the surfel.
    var value: Float
    /// Derivatives by the frame's rotation and translation.
    var byRotation: Vector3
    var byTranslation: Vector3
    /// Derivatives of the value in the image, by pixels of the frame's image.
    var gradient: Vector2

    static let missing = Row(
      value: .nan, byRotation: .zero, byTranslation: .zero, gradient: .zero)
  }

  let rows: [Row]

  init(_ surfels: Surfels, in frames: [ViewedFrame]) {
    rows = Parallel.array(count: surfels.frames.count, chunkSize: 4096) { sighting in
      Self.row(
        of: surfels.place(of: Int(surfels.owners[sighting])),
        in: frames[Int(surfels.frames[sighting])])
    }
  }

  @inline(__always)
  static func row(of point: SIMD3<Float>, in frame: ViewedFrame) -> Row {
    let camera = frame.camera
    guard let projected = camera.project(point),
      let sample = frame.picture.sample(
        at: SIMD2(projected.x, projected.y) / frame.picture.scale)
    else { return .missing }
    let gradient = SIMD2(sample.y, sample.z) / frame.picture.scale
    let offset = point - camera.position
    // By the point's position in the camera's axes…
    var (byRight, byDown): (Float, Float)
    if camera.distortion == .none {
      byRight = gradient.x * camera.focalLength.x / projected.z
      byDown = gradient.y * camera.focalLength.y / projected.z
    } else {
      let step = projected.z * 1e-3
      guard let right = camera.project(point + camera.right * step),
        let down = camera.project(point + camera.down * step)
      else { return .missing }
      let pixel = SIMD2(projected.x, projected.y)
      byRight = ((SIMD2(right.x, right.y) - pixel) * gradient).sum() / step
      byDown = ((SIMD2(down.x, down.y) - pixel) * gradient).sum() / step
    }
    // …which does not change along the ray…
    let byForward =
      -(byRight * camera.right.dot(offset) + byDown * camera.down.dot(offset)) / projected.z
    // …and opposite to the camera's motion in the world.
    let slope = camera.right * byRight + camera.down * byDown + camera.forward * byForward
    return Row(
      value: sample.x, byRotation: Vector3(slope.cross(offset)), byTranslation: Vector3(-slope),
      gradient: Vector2(gradient.x, gradient.y))
  }
}
