import MeshpipeScene
import NativeLibraries

/// Where bars are to go, so that what floats in a solid is carried.
///
/// From what stands on, the body with the narrowest gap is next, as in Prim's tree of least length: to what is carried
/// by then, or straight down to the base if that is nearer.
struct SolidJoining {
  private let bodies: SolidBodies
  private let pieces: [Mesh]
  private let tracers: [RayTracer]
  private let up: SIMD3<Double>
  private let floor: Double

  /// From a point of a floating body to one of what carries it.
  private struct Gap {
    var start: SIMD3<Float>
    var end: SIMD3<Float>
    var length: Float
  }

  init(_ bodies: SolidBodies, of mesh: Mesh, _ stand: SolidStand, up: SIMD3<Double>) throws {
    self.bodies = bodies
    self.up = up
    floor = stand.height
    pieces = bodies.faces().map { mesh.piece($0) }
    tracers = try pieces.map {
      try RayTracer(positions: $0.positions, indices: $0.indices, quality: .low)
    }
  }

  /// The bars to as many of the bodies as can be joined.
  ///
  /// - Parameters:
  ///   - radius: Of the bars.
  ///   - depth: How far they reach into bodies.
  ///   - isNear: Whether a gap is not too wide for a body, by its extent.
  func struts(
    _ stand: SolidStand, radius: Double, depth: Double,
    isNear: (_ gap: Double, _ extent: Double) -> Bool
  ) -> [SolidStrut] {
    var gaps: [Int: Gap] = [:]
    for body in stand.floating { gaps[body] = gapToBase(of: body) }
    let carried = bodies.bodies.filter { stand.isCarried[$0] }
    for body in stand.floating {
      for other in carried { narrow(&gaps[body], between: body, and: other) }
    }
    var struts: [SolidStrut] = []
    var open = stand.floating
    while let next = open.filter({ body in
      gaps[body].map { isNear(Double($0.length), Double(bodies.surfaces[body].box.extent)) }
        ?? false
    }).min(by: { (gaps[$0]?.length ?? 0) < (gaps[$1]?.length ?? 0) }), let gap = gaps[next] {
      let axis = gap.end - gap.start
      let inward = Float(depth) * (axis.length > 0 ? axis.normalized : -SIMD3<Float>(up))
      struts.append(
        SolidStrut(
          start: gap.start - inward, end: gap.end + inward, radius: Float(radius),
          up: SIMD3<Float>(up), floor: Float(floor)))
      open.removeAll { $0 == next }
      for body in open { narrow(&gaps[body], between: body, and: next) }
    }
    return struts
  }

  /// Straight down from where it is lowest, and of such points the nearest to its middle; nil for a body that reaches
  /// below the base.
  private func gapToBase(of body: Int) -> Gap? {
    let box = bodies.surfaces[body].box
    let (low, high) = box.heights(up: up)
    guard low > floor else { return nil }
    let middle = SIMD3<Double>(box.center)
    func isLow(_ point: Vector3) -> Bool { point.double.dot(up) - low <= 0.01 * (high - low) }
    func offCenter(_ point: Vector3) -> Double {
      (point.double - middle).replacing(with: 0, where: up .!= 0).lengthSquared
    }
    let start = pieces[body].positions.filter(isLow).min { offCenter($0) < offCenter($1) }
    return start.map { start in
      let drop = start.double.dot(up) - floor
      return Gap(
        start: start.simd, end: SIMD3<Float>(start.double - drop * up), length: Float(drop))
    }
  }

  private func narrow(_ gap: inout Gap?, between body: Int, and other: Int) {
    let most = gap?.length ?? .infinity
    let (own, theirs) = (bodies.surfaces[body].box, bodies.surfaces[other].box)
    guard own.distance(to: theirs) < Double(most) else { return }
    // From the vertices of the smaller one.
    let isOwn = pieces[body].vertexCount <= pieces[other].vertexCount
    let (from, to) = isOwn ? (body, other) : (other, body)
    var (radius, likely) = (most, UInt32?.none)
    for point in pieces[from].positions {
      guard let hit = tracers[to].nearest(to: point.simd, within: radius, likely: likely),
        hit.distance < radius
      else { continue }
      radius = hit.distance
      likely = hit.face
      let index = pieces[to].place(hit.barycentric, ofFace: Int(hit.face))
      gap =
        isOwn
        ? Gap(start: point.simd, end: index, length: radius)
        : Gap(start: index, end: point.simd, length: radius)
    }
  }
}

extension Mesh {
  fileprivate func place(_ weights: SIMD2<Float>, ofFace face: Int) -> SIMD3<Float> {
    let (a, b, c) = vertices(ofFace: face)
    let (first, second, third) = (
      positions[Int(a)].simd, positions[Int(b)].simd, positions[Int(c)].simd
    )
    return first + (second - first) * weights.x + (third - first) * weights.y
  }
}
