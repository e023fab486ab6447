import POSIX

/// A building as its drawings show it: storeys with rooms, walls, openings, columns and furniture.
///
/// All lengths are metres in the building's own axes: x and y along the plan, seen from above with y to the top of the
/// sheet, z up. ``placement`` leads into the scene. A building moves along with its scene, but is not found again.
public struct Building: Sendable, Equatable, Codable {
  /// From the building's axes to the scene; contains the scene's unit.
  public var placement: Transform
  /// The storeys, the lowest first.
  public var storeys: [Storey]
  /// Where north is in the plan; nil if unknown.
  public var north: North?
  /// What was taken for granted where nothing was measured, in words: `walls without a second face are 10 cm thick`.
  public var assumptions: [String] = []

  /// Creates a building.
  public init(placement: Transform, storeys: [Storey]) {
    self.placement = placement
    self.storeys = storeys
  }

  /// Moves the building along with its scene.
  public mutating func apply(_ transform: Transform) { placement = transform * placement }

  /// The direction of north, and where it is known from.
  public struct North: Sendable, Equatable, Codable {
    /// What knows it.
    public enum Source: Sendable, Equatable, Codable {
      /// The user.
      case user
      /// The compass of the phone, by the directions that photographs say they were taken in; of magnetic north if they say so.
      case photographs(count: Int, isMagnetic: Bool)
      /// The grid of the map that the scan is on, by name; it differs from true north by up to some degrees.
      case grid(String)
    }

    /// Counterclockwise from the plan's y, in radians.
    public var angle: Double
    /// Half of the interval that holds the truth with 95 % probability, in radians; nil if it was given.
    public var uncertainty: Double?
    /// What knows it.
    public var source: Source

    /// Creates a direction.
    public init(angle: Double, uncertainty: Double? = nil, source: Source) {
      self.angle = angle
      self.uncertainty = uncertainty
      self.source = source
    }
  }

  /// A measured or assumed number, in metres.
  public struct Dimension: Sendable, Equatable, Codable {
    /// The number.
    public var value: Double
    /// Half of the interval that holds the truth with 95 % probability; nil if the number is assumed.
    public var uncertainty: Double?

    /// Creates a dimension; without an uncertainty it is an assumed one.
    public init(_ value: Double, uncertainty: Double? = nil) {
      self.value = value
      self.uncertainty = uncertainty
    }

    /// Whether nothing was measured.
    public var isAssumed: Bool { uncertainty == nil }
  }

  /// What stands on one floor.
  public struct Storey: Sendable, Equatable, Codable {
    /// The name for people: `Ground floor`.
    public var name: String
    /// The height of its floor.
    public var elevation: Double
    /// From its floor to its ceiling.
    public var height: Dimension
    /// The walls.
    public var walls: [Wall] = []
    /// The rooms.
    public var rooms: [Space] = []
    /// Columns, from floor to ceiling.
    public var columns: [Column] = []
    /// Stairs that begin here.
    public var stairs: [Stair] = []
    /// Furniture and appliances.
    public var furniture: [Piece] = []

    /// Creates a storey without parts.
    public init(name: String, elevation: Double, height: Dimension) {
      self.name = name
      self.elevation = elevation
      self.height = height
    }
  }

  /// A straight wall or one along an arc.
  public struct Wall: Sendable, Equatable, Codable {
    /// Tells the wall from others of the building: `wall-3`.
    public var name: String
    /// Where its centre line begins; openings count from here.
    public var start: SIMD2<Double>
    /// Where its centre line ends.
    public var end: SIMD2<Double>
    /// The tangent of a quarter of the angle of the arc from start to end, positive if counterclockwise, as in DXF; 0 for a
    /// straight wall.
    public var bulge = 0.0
    /// Between its faces.
    public var thickness: Dimension
    /// From the storey's floor to its lower end.
    public var base = 0.0
    /// From its lower to its upper end.
    public var height: Dimension
    /// Of its face, between the corners of the rooms that it bounds; the centre line goes on to those of other walls.
    public var length: Dimension
    /// Whether a side of it is outside of all rooms.
    public var isExterior = false
    /// Doors, windows and openings.
    public var openings: [Opening] = []

    /// Creates a straight wall without openings.
    public init(
      name: String, from start: SIMD2<Double>, to end: SIMD2<Double>, thickness: Dimension,
      height: Dimension, length: Dimension
    ) {
      self.name = name
      self.start = start
      self.end = end
      self.thickness = thickness
      self.height = height
      self.length = length
    }
  }

  /// A hole in a wall.
  public struct Opening: Sendable, Equatable, Codable {
    /// What fills it; nothing fills an opening.
    public enum Kind: String, Sendable, CaseIterable, Codable {
      /// The kinds.
      case door, window, opening
    }

    /// Tells the opening from others of the building: `door-2`.
    public var name: String
    /// What fills it.
    public var kind: Kind
    /// From the start of the wall's centre line to the middle of the opening, along the line.
    public var position: Double
    /// Along the wall.
    public var width: Dimension
    /// From the storey's floor to its lower edge.
    public var sill: Dimension
    /// From the lower to the upper edge.
    public var height: Dimension

    /// Creates an opening.
    public init(
      name: String, _ kind: Kind, at position: Double, width: Dimension, sill: Dimension,
      height: Dimension
    ) {
      self.name = name
      self.kind = kind
      self.position = position
      self.width = width
      self.sill = sill
      self.height = height
    }
  }

  /// A room, within the inner faces of its walls.
  public struct Space: Sendable, Equatable, Codable {
    /// The name for people: `Room 1`, `Kitchen`.
    public var name: String
    /// Polygons of the inner faces, counterclockwise around the room and clockwise around what stands in it.
    public var outline: [[SIMD2<Double>]]
    /// From floor to ceiling.
    public var height: Dimension
    /// Within the outline, in square metres.
    public var area: Dimension
    /// The lengths of the sides of the outer polygon, each from a corner to the next; empty if their uncertainty is not known.
    public var sides: [Dimension] = []
    /// From the storey's floor to that of the room.
    public var base = 0.0

    /// Creates a room.
    public init(name: String, outline: [[SIMD2<Double>]], height: Dimension, area: Dimension) {
      self.name = name
      self.outline = outline
      self.height = height
      self.area = area
    }
  }

  /// A column, pier or chimney.
  public struct Column: Sendable, Equatable, Codable {
    /// Counterclockwise.
    public var outline: [SIMD2<Double>]
    /// From the storey's floor up.
    public var height: Dimension

    /// Creates a column.
    public init(outline: [SIMD2<Double>], height: Dimension) {
      self.outline = outline
      self.height = height
    }
  }

  /// Stairs from one floor to another, by their steps: flights, and landings between them.
  public struct Stair: Sendable, Equatable, Codable {
    /// The outline of each step, counterclockwise, from the lowest up.
    public var steps: [[SIMD2<Double>]]
    /// The height of each step above the storey's floor.
    public var heights: [Double]
    /// From the storey's floor to that on which the first step stands.
    public var base = 0.0
    /// Which of the steps are landings.
    public var landings: [Int] = []
    /// From the floor below to that above: one more than steps if the last one leads to a floor.
    public var riserCount: Int
    /// From a step to the next; nil if it is not known.
    public var rise: Dimension?
    /// From the front edge of a step to that of the next; nil if it is not known.
    public var going: Dimension?
    /// Across the flights; nil if it is not known.
    public var width: Dimension?

    /// Creates stairs without landings.
    public init(steps: [[SIMD2<Double>]], heights: [Double]) {
      self.steps = steps
      self.heights = heights
      riserCount = steps.count
    }
  }

  /// A piece of furniture or an appliance, as a box.
  public struct Piece: Sendable, Equatable, Codable {
    /// Its class: `sofa`.
    public var category: String
    /// The middle of its footprint.
    public var center: SIMD2<Double>
    /// The direction of its width, counterclockwise from x, in radians.
    public var turn: Double
    /// Width along ``turn``, depth across and height.
    public var size: SIMD3<Double>
    /// From the storey's floor to its lower end.
    public var base: Double

    /// Creates a piece.
    public init(
      category: String, center: SIMD2<Double>, turn: Double, size: SIMD3<Double>, base: Double
    ) {
      self.category = category
      self.center = center
      self.turn = turn
      self.size = size
      self.base = base
    }
  }
}

extension Building {
  /// Thicknesses that models assume, in metres: of what a scan shows one side of, or neither.
  package enum AssumedThickness {
    package static let (floor, ceiling) = (0.2, 0.02)
    /// Of the leaf of a door, and of the pane of a window.
    package static let (leaf, pane) = (0.04, 0.02)
  }
}

extension Building.Piece {
  /// The corners of its footprint, counterclockwise.
  package var footprint: [SIMD2<Double>] {
    let along = SIMD2(angle: turn)
    return [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map { u, v in
      center + along * (u * size.x) + along.left * (v * size.y)
    }
  }
}
