import MeshPipeline
import POSIX

/// What happens to texture coordinates before a texture is looked up.
struct USDTextureTransform: Equatable {
  /// Where the unit steps along u and v lead.
  private var u = SIMD2<Double>(1, 0)
  private var v = SIMD2<Double>(0, 1)
  private var translation = SIMD2<Double>.zero

  init() {}

  init(translation: SIMD2<Double>) { self.translation = translation }

  init(scale: SIMD2<Double>) {
    u.x = scale.x
    v.y = scale.y
  }

  /// - Parameter rotation: Counterclockwise, in degrees.
  init(rotation: Double) {
    let angle = rotation * .pi / 180
    u = SIMD2(cos(angle), sin(angle))
    v = SIMD2(-u.y, u.x)
  }

  /// That of a `UsdTransform2d`: scaling, turning and moving, in this order.
  init(scale: [Double]?, rotation: Double?, translation: [Double]?) {
    self.init()
    if let scale, scale.count == 2 { self = USDTextureTransform(scale: SIMD2(scale[0], scale[1])) }
    if let rotation { self = then(USDTextureTransform(rotation: rotation)) }
    if let translation, translation.count == 2 {
      self.translation += SIMD2(translation[0], translation[1])
    }
  }

  /// This transform, and then another one.
  func then(_ next: USDTextureTransform) -> USDTextureTransform {
    var result = USDTextureTransform()
    result.u = next.u * u.x + next.v * u.y
    result.v = next.u * v.x + next.v * v.y
    result.translation = next.u * translation.x + next.v * translation.y + next.translation
    return result
  }

  /// Nil if it changes nothing.
  var unlessIdentity: USDTextureTransform? { self == USDTextureTransform() ? nil : self }

  func apply(_ point: Vector2) -> Vector2 {
    let moved = u * Double(point.x) + v * Double(point.y) + translation
    return Vector2(Float(moved.x), Float(moved.y))
  }
}
