/// What a phone found in a room by itself: walls with their doors and windows, floors, and furniture as boxes.
///
/// All lengths are metres in the parts' own axes, from which each part's placement leads into the scene.
public struct Room: Sendable, Equatable {
  /// What a part is.
  public enum Kind: String, Sendable, CaseIterable {
    /// Flat, with the normal along their own z axis; an opening is a door without a leaf.
    case wall, floor, door, window, opening
    /// A box around a piece of furniture or an appliance.
    case object
  }

  /// A surface of the room or an object in it.
  public struct Part: Sendable, Equatable {
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
  public struct Curve: Sendable, Equatable {
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

  /// Surfaces first, each kind in the order of the file.
  public var parts: [Part]

  /// Creates a room.
  public init(parts: [Part]) { self.parts = parts }

  /// Moves the room along with its scene.
  public mutating func apply(_ transform: Transform) {
    for index in parts.indices {
      parts[index].placement = transform * parts[index].placement
    }
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
