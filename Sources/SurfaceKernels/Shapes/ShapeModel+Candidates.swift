import MeshpipeScene
import POSIX

/// Shapes through few points with normals (Schnabel, Wahl and Klein 2007).
extension ShapeModel {
  typealias Sample = (position: SIMD3<Double>, normal: SIMD3<Double>)

  /// The number of samples that determine a shape.
  static func sampleCount(of kind: Shape.Kind) -> Int {
    switch kind {
    case .plane: 3
    case .sphere, .cylinder: 2
    case .cone: 3
    case .torus: 4
    }
  }

  /// Shapes of a kind through samples; none if the samples are on no such shape.
  static func candidates(_ kind: Shape.Kind, through s: [Sample]) -> [ShapeModel] {
    switch kind {
    case .plane: plane(s).map { [$0] } ?? []
    case .sphere: sphere(s).map { [$0] } ?? []
    case .cylinder: cylinder(s).map { [$0] } ?? []
    case .cone: cone(s).map { [$0] } ?? []
    case .torus: tori(s)
    }
  }

  private static func plane(_ s: [Sample]) -> ShapeModel? {
    let normal = (s[1].position - s[0].position).cross(s[2].position - s[0].position).normalized
    guard normal != .zero else { return nil }
    return ShapeModel(
      kind: .plane, center: (s[0].position + s[1].position + s[2].position) / 3, axis: normal)
  }

  /// Around the middle between the lines through both points along their normals.
  private static func sphere(_ s: [Sample]) -> ShapeModel? {
    guard let (first, second) = nearestPlaces(s[0], s[1]) else { return nil }
    let center = (first + second) / 2
    let radius = ((s[0].position - center).length + (s[1].position - center).length) / 2
    guard radius > 0 else { return nil }
    return ShapeModel(kind: .sphere, center: center, radius: radius)
  }

  /// Where two lines are nearest to each other; nil for parallel ones.
  private static func nearestPlaces(
    _ a: Sample, _ b: Sample
  ) -> (SIMD3<Double>, SIMD3<Double>)? {
    let cosine = a.normal.dot(b.normal)
    let determinant = 1 - cosine * cosine
    guard determinant > leastDeterminant else { return nil }
    let offset = b.position - a.position
    let (along, against) = (offset.dot(a.normal), offset.dot(b.normal))
    let first = (along - cosine * against) / determinant
    let second = (cosine * along - against) / determinant
    return (a.position + a.normal * first, b.position + b.normal * second)
  }

  /// The minimum squared sine of the angle between two lines: about 6°.
  private static let leastDeterminant = 0.01

  private static func cylinder(_ s: [Sample]) -> ShapeModel? {
    let axis = s[0].normal.cross(s[1].normal)
    guard axis.lengthSquared > leastDeterminant else { return nil }
    return cylinder(s, axis: axis.normalized)
  }

  private static func cylinder(_ s: [Sample], axis: SIMD3<Double>) -> ShapeModel? {
    func flat(_ vector: SIMD3<Double>) -> SIMD3<Double> { vector - axis * vector.dot(axis) }
    let flattened = s.prefix(2).map { (flat($0.position), flat($0.normal).normalized) }
    guard let (first, second) = nearestPlaces(flattened[0], flattened[1]) else { return nil }
    let center = (first + second) / 2
    let radius = ((flattened[0].0 - center).length + (flattened[1].0 - center).length) / 2
    guard radius > 0 else { return nil }
    let height = (s[0].position.dot(axis) + s[1].position.dot(axis)) / 2
    return ShapeModel(
      kind: .cylinder, center: center + axis * height, axis: axis, radius: radius)
  }

  /// With the tip where the tangent planes meet, around the normal of the plane through the points at the same distance
  /// from there.
  private static func cone(_ s: [Sample]) -> ShapeModel? {
    let planes = s.prefix(3).map { Plane(normal: $0.normal, through: $0.position) }
    guard let apex = Plane.meeting(planes[0], planes[1], planes[2], leastVolume: 0.01) else {
      return nil
    }
    let rays = s.prefix(3).map { ($0.position - apex).normalized }
    var axis = (rays[1] - rays[0]).cross(rays[2] - rays[0]).normalized
    if axis.dot(rays[0]) < 0 { axis = -axis }
    let cosine = (axis.dot(rays[0]) + axis.dot(rays[1]) + axis.dot(rays[2])) / 3
    guard axis != .zero, cosine > 0.0175, cosine < 0.99985 else { return nil }
    let height = s.prefix(3).reduce(0) { $0 + ($1.position - apex).dot(axis) } / 3
    let sine = (1 - cosine * cosine).squareRoot()
    guard height > 0 else { return nil }
    return ShapeModel(
      kind: .cone, center: apex + axis * height, axis: axis, radius: height * sine / cosine,
      slope: SIMD2(sine, cosine))
  }

  /// Around the lines that meet the normals of four points: there are two such lines, or none.
  private static func tori(_ s: [Sample]) -> [ShapeModel] {
    // The line through p0 + u n0 and p1 + v n1 meets a third one where u v a + u b + v c + d = 0.
    func condition(_ other: Sample) -> SIMD4<Double> {
      let (p, q) = (s[0].position - other.position, s[1].position - other.position)
      let (m, n, o) = (s[0].normal, s[1].normal, other.normal)
      return SIMD4(
        m.cross(n).dot(o), m.cross(q).dot(o), p.cross(n).dot(o), p.cross(q).dot(o))
    }
    let (first, second) = (condition(s[2]), condition(s[3]))
    // u = -(v c + d) / (v a + b), in the other condition.
    let a = second.z * first.x - second.x * first.z
    let b =
      second.z * first.y + second.w * first.x - second.x * first.w - second.y * first.z
    let c = second.w * first.y - second.y * first.w
    let discriminant = b * b - 4 * a * c
    guard a != 0, discriminant >= 0 else { return [] }
    let root = discriminant.squareRoot()
    return [(-b + root) / (2 * a), (-b - root) / (2 * a)].compactMap { v in
      let u = -(v * first.z + first.w) / (v * first.x + first.y)
      guard u.isFinite, v.isFinite else { return nil }
      let place = s[0].position + s[0].normal * u
      let axis = (s[1].position + s[1].normal * v - place).normalized
      return axis == .zero ? nil : torus(s, axis: axis, through: place)
    }
  }

  /// By the circle through the points in the half plane of an axis.
  private static func torus(
    _ s: [Sample], axis: SIMD3<Double>, through position: SIMD3<Double>
  ) -> ShapeModel? {
    let flat = s.map { sample in
      let offset = sample.position - position
      let height = offset.dot(axis)
      return SIMD2((offset - axis * height).length, height)
    }
    let (p, q) = (flat[1] - flat[0], flat[2] - flat[0])
    let determinant = 2 * (p.x * q.y - p.y * q.x)
    let (pp, qq) = ((p * p).sum(), (q * q).sum())
    guard abs(determinant) > 1e-3 * (pp * qq).squareRoot() else { return nil }
    let center = SIMD2(q.y * pp - p.y * qq, p.x * qq - q.x * pp) / determinant
    let tube = (center * center).sum().squareRoot()
    let middle = flat[0] + center
    guard tube > 0, middle.x > tube else { return nil }
    return ShapeModel(
      kind: .torus, center: position + axis * middle.y, axis: axis, radius: middle.x, tube: tube)
  }
}
