package import MeshpipeBase
import POSIX

/// A plane, sphere, cylinder, cone or torus that faces or points of a scene lie on.
///
/// Lengths are in the units of the scene, angles in radians. A shape moves along with the scene, but is not found again:
/// it says what was there when it was found.
public struct Shape: Sendable, Equatable, Codable {
  /// What a shape may be.
  public enum Kind: String, CaseIterable, Sendable, Codable {
    /// The kinds, the simplest first.
    case plane, sphere, cylinder, cone, torus
  }

  /// Tells the shape from others of a scene: `plane-1` is the largest plane.
  public var name = ""
  /// What the shape is.
  public var kind: Kind
  /// The middle of the found part of a plane, of a sphere or of a torus; the point of the axis in the middle of the
  /// found part of a cylinder or cone.
  public var center: SIMD3<Double>
  /// The unit normal of a plane; the axis of a cylinder or torus; that of a cone towards its wide end; zero for a sphere.
  public var axis: SIMD3<Double>
  /// Of a sphere or cylinder, of a cone at its ``center``, the larger one of a torus; 0 for a plane.
  public var radius: Double
  /// The radius of a torus' tube; otherwise 0.
  public var tubeRadius: Double
  /// The angle between a cone and its axis; otherwise 0.
  public var halfAngle: Double
  /// The unit direction at a right angle to the axis from which angles count; along the longer side of a plane.
  public var reference: SIMD3<Double>
  /// The sides of the rectangle around the found part of a plane, along ``reference`` and across; otherwise 0.
  public var size = SIMD2<Double>.zero
  /// How far the found part of a plane goes: polygons counterclockwise around it and clockwise around holes, seen from where
  /// ``axis`` points to, along ``reference`` and across from ``center``; otherwise empty.
  public var outline: [[SIMD2<Double>]] = []
  /// Where the found part of a cylinder or cone begins and ends along the axis, from ``center``; otherwise 0 to 0.
  public var heights = 0.0...0.0
  /// The found part around the axis of a cylinder, cone or torus, counterclockwise from ``reference``; 0 to 2π if it goes
  /// around, and for other kinds.
  public var angles = 0...2 * Double.pi
  /// Whether the faces of a round shape look towards its middle or axis, as those of a dome do.
  public var isInward = false
  /// Faces or points on the shape.
  public var count = 0
  /// Of the faces on the shape; nil for points.
  public var area: Double?
  /// The root mean square of the distances from the shape.
  public var rootMeanSquare = 0.0
  /// The largest distance from the shape.
  public var largestResidual = 0.0

  /// Creates a shape without an extent.
  public init(
    _ kind: Kind, center: SIMD3<Double>, axis: SIMD3<Double> = .zero, radius: Double = 0,
    tubeRadius: Double = 0, halfAngle: Double = 0, reference: SIMD3<Double> = .zero
  ) {
    self.kind = kind
    self.center = center
    self.axis = axis
    self.radius = radius
    self.tubeRadius = tubeRadius
    self.halfAngle = halfAngle
    self.reference = reference
  }

  /// The tip of a cone; nil for other shapes.
  public var apex: SIMD3<Double>? {
    kind == .cone ? center - axis * (radius / tan(halfAngle)) : nil
  }

  /// The shape under an affine map; nil if that is not a rigid, mirroring or uniformly scaling one.
  func applying(_ transform: Transform) -> Shape? {
    let lengths = [transform.x.length, transform.y.length, transform.z.length]
    let scale = lengths[0]
    let tolerance = 1e-9 * scale
    let cosines = [
      transform.x.dot(transform.y), transform.y.dot(transform.z), transform.z.dot(transform.x),
    ]
    guard scale > 0, lengths.allSatisfy({ abs($0 - scale) <= tolerance }),
      cosines.allSatisfy({ abs($0) <= tolerance * scale })
    else { return nil }
    var shape = self
    shape.center = transform.apply(toPoint: center)
    shape.axis = transform.apply(toVector: axis).normalized
    shape.reference = transform.apply(toVector: reference).normalized
    shape.radius *= scale
    shape.tubeRadius *= scale
    shape.size *= scale
    shape.outline = outline.map { $0.map { $0 * scale } }
    shape.heights = heights.lowerBound * scale...heights.upperBound * scale
    shape.area = area.map { $0 * scale * scale }
    shape.rootMeanSquare *= scale
    shape.largestResidual *= scale
    if transform.determinant < 0 {
      shape.outline = shape.outline.map { $0.reversed().map { SIMD2($0.x, -$0.y) } }
    }
    // In a mirror, angles count the other way.
    if transform.determinant < 0, angles.upperBound - angles.lowerBound < 2 * .pi {
      shape.angles = -angles.upperBound ... -angles.lowerBound
    }
    return shape
  }
}

extension Shape {
  /// The shape for files and reports: the parameters that its kind has, its extent, and what is on it.
  ///
  /// - Parameters:
  ///   - origin: That of the scene, which is added to places.
  ///   - scale: By which lengths are multiplied, to give them in another unit.
  ///   - hasOutline: Whether a plane has its outline, which may be long.
  package func json(
    origin: SIMD3<Double> = .zero, scale: Double = 1, hasOutline: Bool
  ) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", JSONValue(.string(name))), .init("kind", JSONValue(.string(kind.rawValue))),
    ]
    members += parameters(origin, scale) + extent(scale)
    if hasOutline, !outline.isEmpty { members.append(.init("outline", polygons(scale))) }
    if isInward { members.append(.init("inward", JSONValue(.bool(true)))) }
    members.append(.init("count", JSONValue(.number(Double(count)))))
    if let area { members.append(.init("area", number(area * scale * scale))) }
    members += [
      .init("rms", number(rootMeanSquare * scale)),
      .init("largestResidual", number(largestResidual * scale)),
    ]
    return JSONValue(.object(members))
  }

  private func parameters(_ origin: SIMD3<Double>, _ scale: Double) -> [JSONValue.Member] {
    let center = JSONValue.Member("center", vector((center + origin) * scale))
    let axis = JSONValue.Member("axis", vector(axis))
    let radius = JSONValue.Member("radius", number(radius * scale))
    switch kind {
    case .plane: return [center, .init("normal", vector(self.axis))]
    case .sphere: return [center, radius]
    case .cylinder: return [center, axis, radius]
    case .cone:
      return [
        .init("apex", vector(((apex ?? self.center) + origin) * scale)), axis,
        .init("halfAngle", degrees(halfAngle)), center, radius,
      ]
    case .torus: return [center, axis, radius, .init("tubeRadius", number(tubeRadius * scale))]
    }
  }

  private func extent(_ scale: Double) -> [JSONValue.Member] {
    switch kind {
    case .sphere: return []
    case .plane:
      return [
        .init("reference", vector(reference)),
        .init("size", JSONValue(.array([number(size.x * scale), number(size.y * scale)]))),
      ]
    case .cylinder, .cone, .torus:
      let length = heights.upperBound - heights.lowerBound
      return [
        .init("reference", vector(reference)),
        .init(
          "angles", JSONValue(.array([degrees(angles.lowerBound), degrees(angles.upperBound)]))),
      ] + (kind == .torus ? [] : [.init("length", number(length * scale))])
    }
  }

  private func polygons(_ scale: Double) -> JSONValue {
    JSONValue(
      .array(
        outline.map { loop in
          JSONValue(
            .array(
              loop.map { JSONValue(.array([number($0.x * scale), number($0.y * scale)])) }))
        }))
  }

  private func vector(_ value: SIMD3<Double>) -> JSONValue {
    JSONValue(.array([number(value.x), number(value.y), number(value.z)]))
  }

  private func degrees(_ radians: Double) -> JSONValue { number(radians * 180 / .pi) }

  /// With six digits after the decimal point; 0 for what is no number.
  private func number(_ value: Double) -> JSONValue {
    value.isFinite ? value.json(digits: 6) : 0
  }
}
