import MeshpipeScene

/// The space in which faces and points belong to a part of a room, in single precision.
struct RoomRegion: Sendable {
  /// A face or point that may be of an object.
  struct ObjectClaim {
    let label: Int32
    /// The distance from the surface of the box, in metres; negative inside.
    let distance: Float
    let volume: Float
    /// Whether the face or point looks into the box through a side near it; nil if its normal is not known.
    let looksIn: Bool?

    /// Whether the claim wins over another object's: the smaller of two boxes around it wins, or the nearer one.
    func precedes(_ other: ObjectClaim) -> Bool {
      if distance <= 0, other.distance <= 0 { return volume < other.volume }
      return distance < other.distance
    }

    /// Whether a surface has the better claim: floor under a table, wall behind a sofa.
    func yields(to surface: SurfaceClaim, reach: Float) -> Bool {
      // What looks into the box is seen through it, and is behind it.
      if looksIn == true { return true }
      if distance > 0 { return surface.distance < distance }
      return looksIn == nil && surface.distance <= reach / 4 - distance
    }
  }

  /// A face or point that may be on a surface.
  struct SurfaceClaim {
    let label: Int32
    /// The distance from the surface, in metres.
    let distance: Float
    /// Whether the surface is a door, window or opening, which are before their wall.
    let isInsert: Bool
    /// Whether the normal is that of the surface, as far as it is known.
    let isAligned: Bool

    func precedes(_ other: SurfaceClaim) -> Bool {
      if isAligned != other.isAligned { return isAligned }
      if isInsert != other.isInsert { return isInsert }
      return distance < other.distance
    }
  }

  let kind: Room.Kind
  private let isInsert: Bool
  /// Around all that may belong to it, in the scene.
  let box: Box
  private let label: Int32
  private let reach: Float
  private let half: SIMD3<Float>
  /// The corners of a surface that is not a rectangle.
  private let corners: [SIMD2<Float>]
  private let origin: SIMD3<Float>
  /// The rows of the map from the scene to the part's axes.
  private let rows: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)

  /// In front of a wall, a door or window reaches as far as others, behind it more: it lies back.
  private static let recess: Float = 2.5
  /// Doors and windows end at most this far beyond their outline, in metres.
  private static let margin: Float = 0.02
  /// The cosine of the angle between a surface and what is on it.
  private static let leastAlignment: Float = 0.5

  /// - Returns: Nil for a part that a singular map made flat.
  init?(_ part: Room.Part, label: Int, reach: Double) {
    guard let inverse = part.placement.inverse else { return nil }
    kind = part.kind
    isInsert = part.isInsert
    self.label = Int32(label)
    self.reach = Float(reach)
    half = SIMD3<Float>(part.size / 2)
    corners = part.corners.map { SIMD2<Float>($0) }
    origin = SIMD3<Float>(part.placement.translation)
    let (x, y, z) = (inverse.x, inverse.y, inverse.z)
    rows = (
      SIMD3<Float>(SIMD3(x.x, y.x, z.x)), SIMD3<Float>(SIMD3(x.y, y.y, z.y)),
      SIMD3<Float>(SIMD3(x.z, y.z, z.z))
    )
    var low = -part.size / 2
    var high = part.size / 2
    for corner in part.corners {
      (low.x, low.y) = (min(low.x, corner.x), min(low.y, corner.y))
      (high.x, high.y) = (max(high.x, corner.x), max(high.y, corner.y))
    }
    let growth = SIMD3(repeating: reach * (part.kind == .object ? 1 : Double(Self.recess)))
    (low, high) = (
      low - growth - SIMD3(0, 0, part.size.z), high + growth + SIMD3(0, 0, part.size.z)
    )
    var box = Box()
    for corner in 0..<8 {
      let position = SIMD3(
        corner & 1 == 0 ? low.x : high.x, corner & 2 == 0 ? low.y : high.y,
        corner & 4 == 0 ? low.z : high.z)
      box.add(SIMD3<Float>(part.placement.apply(toPoint: position)))
    }
    self.box = box
  }

  private func local(_ vector: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3(rows.0.dot(vector), rows.1.dot(vector), rows.2.dot(vector))
  }

  func objectClaim(_ position: SIMD3<Float>, _ normal: SIMD3<Float>) -> ObjectClaim? {
    let point = local(position - origin)
    let beyond = pointwiseMax(point, -point) - half
    let outside = pointwiseMax(beyond, .zero).length
    let distance = outside + min(beyond.max(), 0)
    guard distance <= reach else { return nil }
    var looksIn: Bool?
    if normal != .zero {
      let direction = local(normal).normalized
      let outwards = direction.replacing(with: -direction, where: point .< 0)
      looksIn = any((outwards .< -Self.leastAlignment) .& (beyond .> -reach))
    }
    return ObjectClaim(
      label: label, distance: distance, volume: half.x * half.y * half.z, looksIn: looksIn)
  }

  func surfaceClaim(_ position: SIMD3<Float>, _ normal: SIMD3<Float>) -> SurfaceClaim? {
    let point = local(position - origin)
    let depth = -2 * half.z - (isInsert ? Self.recess * reach : reach)
    guard point.z <= reach, point.z >= depth else { return nil }
    let alignment = normal == .zero ? 1 : abs(local(normal).normalized.z)
    let isAligned = alignment >= Self.leastAlignment
    // What is turned otherwise must be nearer, like skirting boards, or in a window's recess.
    let distance = max(point.z, -point.z - 2 * half.z, 0)
    guard isAligned || (isInsert ? point.z < 0 : distance <= reach / 2) else { return nil }
    guard beyondOutline(SIMD2(point.x, point.y)) <= (isInsert ? Self.margin : reach) else {
      return nil
    }
    return SurfaceClaim(
      label: label, distance: distance, isInsert: isInsert, isAligned: isAligned)
  }

  /// The distance from the outline, 0 inside.
  private func beyondOutline(_ point: SIMD2<Float>) -> Float {
    if corners.isEmpty {
      let beyond = pointwiseMax(point, -point) - SIMD2(half.x, half.y)
      let outside = pointwiseMax(beyond, .zero)
      return (outside * outside).sum().squareRoot()
    }
    if isInside(point, of: corners) { return 0 }
    var nearest = Float.infinity
    for index in corners.indices {
      let (a, b) = (corners[index], corners[index + 1 < corners.count ? index + 1 : 0])
      nearest = min(nearest, point.distance(fromSegmentAt: a, along: b - a))
    }
    return nearest
  }
}
