import POSIX

/// What a phone found in a room by itself: walls with their doors and windows, floors, and furniture as boxes.
///
/// All lengths are metres in the parts' own axes, from which each part's placement leads into the scene.
public struct Room: Sendable, Equatable, Codable {
  /// What a part is.
  public enum Kind: String, Sendable, CaseIterable, Codable {
    /// Flat, with the normal along their own z axis; an opening is a door without a leaf.
    case wall, floor, door, window, opening
    /// A box around a piece of furniture or an appliance.
    case object
  }

  /// A surface of the room or an object in it.
  public struct Part: Sendable, Equatable, Codable {
    /// Surface or object.
    public var kind: Kind
    /// The name of its class: that of the kind for surfaces, `sofa` and others for objects.
    public var category: String
    /// From the part's axes to the scene: x along the width, y along the height, z along the depth or normal.
    public var placement: Transform
    /// Width, height and depth; the depth of a surface is its thickness, 0 if unknown.
    public var size: SIMD3<Double>
    /// The corners of a surface that is not a rectangle, in its plane; empty for a rectangle around the origin.
    public var corners: [SIMD2<Double>] = []
    /// The axis of a curved wall, in its own x and z; nil for a flat one.
    public var curve: Curve?
    /// Tells the part from others; empty if unknown.
    public var identifier = ""
    /// The identifier of the wall that a door or window belongs to; nil if unknown.
    public var parent: String?
    /// The number of its storey, counted upwards; nil if unknown.
    public var story: Int?

    /// Creates a rectangle or box around the origin of its own axes.
    public init(
      _ kind: Kind, category: String, placement: Transform, size: SIMD3<Double>
    ) {
      self.kind = kind
      self.category = category
      self.placement = placement
      self.size = size
    }
  }

  /// An arc through both ends of a wall.
  public struct Curve: Sendable, Equatable, Codable {
    /// The centre, in x and z of the wall.
    public var center: SIMD2<Double>
    /// Whether the wall is more than half of the circle.
    public var isMajor: Bool

    /// Creates the arc.
    public init(center: SIMD2<Double>, isMajor: Bool) {
      self.center = center
      self.isMajor = isMajor
    }
  }

  /// What a part of the room is used for.
  public struct Use: Sendable, Equatable, Codable {
    /// The name of the use, in words: `living room`.
    public var name: String
    /// A point of it, in the scene.
    public var point: SIMD3<Double>

    /// Creates a use.
    public init(name: String, point: SIMD3<Double>) {
      self.name = name
      self.point = point
    }
  }

  /// Surfaces first, each kind in the order of the file.
  public var parts: [Part]
  /// What its parts are used for, as far as the phone could tell.
  public var uses: [Use] = []

  /// Creates a room.
  public init(parts: [Part]) { self.parts = parts }

  /// Moves the room along with its scene.
  public mutating func apply(_ transform: Transform) {
    for index in parts.indices {
      parts[index].placement = transform * parts[index].placement
    }
    for index in uses.indices { uses[index].point = transform.apply(toPoint: uses[index].point) }
  }
}

extension Room.Part {
  /// Whether it is in a wall: a door, a window or an opening.
  public var isInsert: Bool { kind == .door || kind == .window || kind == .opening }

  /// The outline of a surface in its own x and y, counterclockwise seen from its front if it is a rectangle.
  public var outline: [SIMD2<Double>] {
    if !corners.isEmpty { return corners }
    let (x, y) = (size.x / 2, size.y / 2)
    return [SIMD2(-x, -y), SIMD2(x, -y), SIMD2(x, y), SIMD2(-x, y)]
  }
}

/// The arc of a curved wall, in the wall's own x and z.
package struct RoomArc: Sendable {
  /// Along z.
  private let center: Double
  private let radius: Double
  /// Half of the angle that the wall covers.
  private let halfAngle: Double
  /// 1 if the middle of the wall has a larger z than the centre, otherwise -1.
  private let side: Double
  private let halfWidth: Double

  /// The arc of a curved wall; nil for what is flat.
  package init?(_ part: Room.Part) {
    guard let curve = part.curve else { return nil }
    halfWidth = part.size.x / 2
    center = curve.center.y
    radius = (halfWidth * halfWidth + center * center).squareRoot()
    let smaller = asin(min(1, halfWidth / radius))
    halfAngle = curve.isMajor ? .pi - smaller : smaller
    side = (center < 0) != curve.isMajor ? 1 : -1
  }

  /// How long the straight wall is in comparison with the bent one.
  package var shrinking: Double { halfWidth / (radius * halfAngle) }

  /// Where the straight wall is bent: every ten degrees.
  package var cuts: [Double] {
    let count = max(1, Int((2 * halfAngle / (10 * .pi / 180)).rounded(.up)))
    return (1..<max(1, count)).map { (2 * Double($0) / Double(count) - 1) * halfWidth }
  }

  /// The place of a point of the straight wall.
  package func bent(_ x: Double, _ y: Double, _ z: Double) -> SIMD3<Double> {
    let angle = x / halfWidth * halfAngle
    let distance = radius + side * z
    return SIMD3(distance * sin(angle), y, center + side * distance * cos(angle))
  }

  /// The place along the straight wall of a point near the bent one.
  package func straightened(_ point: SIMD3<Double>) -> Double {
    atan2(point.x, side * (point.z - center)) / halfAngle * halfWidth
  }
}

extension Room.Part {
  /// The flat pieces of a curved wall, which are rectangles; otherwise the part itself.
  package var flatPieces: [Room.Part] {
    guard let arc = RoomArc(self) else { return [self] }
    let ends = [-size.x / 2] + arc.cuts + [size.x / 2]
    return zip(ends, ends.dropFirst()).map { from, to in
      let (a, b) = (arc.bent(from, 0, 0), arc.bent(to, 0, 0))
      let along = (b - a).normalized
      let pose = Transform(
        x: along, y: SIMD3(0, 1, 0), z: along.cross(SIMD3(0, 1, 0)), translation: (a + b) / 2)
      var piece = self
      piece.curve = nil
      piece.corners = []
      piece.placement = placement * pose
      piece.size.x = (b - a).length
      return piece
    }
  }
}
