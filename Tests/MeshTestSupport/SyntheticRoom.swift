import Foundation
import MeshPipeline

/// A furnished room of boxes of known colours: what a ``SyntheticCapture`` shows.
///
/// 4 m by 2.5 m by 3 m (X, Y up, Z) around the origin, with a table and a cabinet that stand on the floor.
package struct SyntheticRoom: Sendable {
  /// Where the inside of the room ends.
  package static let walls = Box(minimum: SIMD3(-2, -1.25, -1.5), maximum: SIMD3(2, 1.25, 1.5))
  package static let table = Box(
    minimum: SIMD3(-0.2, -1.25, -0.9), maximum: SIMD3(0.8, -0.55, -0.3))
  package static let cabinet = Box(minimum: SIMD3(-2, -1.25, -1), maximum: SIMD3(-1.5, -0.05, 0))
  /// Somebody who walks through: in pictures and depths, not in the mesh.
  package static let person = Box(minimum: SIMD3(1, -1.25, 0.5), maximum: SIMD3(1.3, 0.45, 0.9))
  /// The linear colour of the person, found nowhere else.
  package static let personColor = SIMD3<Float>(0.9, 0.02, 0.6)

  /// Whether everything beyond X = 1.5 m is painted almost plainly.
  var hasPlainWall = false

  /// Waves of 1.1, 0.37 and 0.15 m, three for each of red, green and blue.
  private static let waves: [(x: Float, y: Float, z: Float, phase: Float, height: Float)] = {
    let directions: [SIMD3<Float>] = [
      SIMD3(0.8, 0.3, -0.5), SIMD3(-0.4, 0.7, 0.6), SIMD3(0.6, 0.5, 0.6), SIMD3(0.3, -0.8, 0.5),
      SIMD3(0.7, 0.6, -0.4), SIMD3(-0.6, 0.4, 0.7), SIMD3(0.5, 0.6, 0.6), SIMD3(-0.7, 0.5, 0.5),
      SIMD3(0.5, -0.6, 0.7),
    ]
    let bands: [(wavelength: Float, height: Float)] = [(1.1, 0.16), (0.37, 0.10), (0.15, 0.06)]
    return directions.enumerated().map { index, direction in
      let band = bands[index % 3]
      let wave = direction.normalized * (2 * .pi / band.wavelength)
      return (wave.x, wave.y, wave.z, Float(index) * 1.7, band.height)
    }
  }()

  /// The true colour of a point of the room: linear light, 0.06 to 0.70.
  package func color(at point: SIMD3<Float>) -> SIMD3<Float> {
    let (red, green, blue) = color(point.x, point.y, point.z)
    return SIMD3(red, green, blue)
  }

  // Scalars, because vectors are slow in a debug build, and this runs for each sample of each picture.
  func color(_ x: Float, _ y: Float, _ z: Float) -> (Float, Float, Float) {
    let plain = hasPlainWall ? min(max((x - 1.4) / 0.2, 0), 1) : 0
    let detail = 1 - 0.97 * plain
    var (red, green, blue): (Float, Float, Float) = (0.38, 0.38, 0.38)
    for index in 0..<9 {
      let wave = Self.waves[index]
      let height = wave.height * (index % 3 == 0 ? 1 : detail)
      let value = height * sinf(wave.x * x + wave.y * y + wave.z * z + wave.phase)
      if index < 3 { red += value } else if index < 6 { green += value } else { blue += value }
    }
    return (red, green, blue)
  }

  /// The first thing on a ray that starts inside the room: how far, in lengths of the direction.
  func firstHit(
    from origin: (Float, Float, Float), along direction: (Float, Float, Float), withPerson: Bool
  ) -> (distance: Float, isPerson: Bool) {
    func nearer(_ axis: Float, _ position: Float, _ low: Float, _ high: Float) -> Float {
      axis == 0 ? .infinity : ((axis > 0 ? high : low) - position) / axis
    }
    let room = Self.walls
    var distance = nearer(direction.0, origin.0, room.minimum.x, room.maximum.x)
    distance = min(distance, nearer(direction.1, origin.1, room.minimum.y, room.maximum.y))
    distance = min(distance, nearer(direction.2, origin.2, room.minimum.z, room.maximum.z))
    distance = min(distance, Self.entry(Self.table, origin, direction))
    distance = min(distance, Self.entry(Self.cabinet, origin, direction))
    guard withPerson else { return (distance, false) }
    let person = Self.entry(Self.person, origin, direction)
    return person < distance ? (person, true) : (distance, false)
  }

  /// Where a ray enters a box from outside; infinite when it does not.
  private static func entry(
    _ box: Box, _ origin: (Float, Float, Float), _ direction: (Float, Float, Float)
  ) -> Float {
    var (first, last): (Float, Float) = (0, .infinity)
    func cut(_ axis: Float, _ position: Float, _ low: Float, _ high: Float) {
      let (a, b) = ((low - position) / axis, (high - position) / axis)
      first = max(first, min(a, b))
      last = min(last, max(a, b))
    }
    cut(direction.0, origin.0, box.minimum.x, box.maximum.x)
    cut(direction.1, origin.1, box.minimum.y, box.maximum.y)
    cut(direction.2, origin.2, box.minimum.z, box.maximum.z)
    return first <= last && first > 0 ? first : .infinity
  }
}

extension SyntheticRoom {
  /// The room's surface: floor, ceiling, walls, and what stands in it, without the person.
  ///
  /// Faces wind towards the inside of the room. The floor goes on below the furniture, where nobody
  /// can see it; the sides of each piece of furniture do not share vertices with the floor.
  ///
  /// - Parameter cell: The largest edge of the quads that the faces are halves of, in metres.
  package static func mesh(cell: Float = 0.5) -> Mesh {
    var builder = PlateBuilder(cell: cell)
    let (low, high) = (walls.minimum, walls.maximum)
    let (x, y, z) = (
      SIMD3<Float>(high.x - low.x, 0, 0), SIMD3<Float>(0, high.y - low.y, 0),
      SIMD3<Float>(0, 0, high.z - low.z)
    )
    builder.add(corner: low, along: z, across: x, label: 2)
    builder.add(corner: low + y, along: x, across: z, label: 3)
    builder.add(corner: low, along: x, across: y, label: 1)
    builder.add(corner: low + z, along: y, across: x, label: 1)
    builder.add(corner: low, along: y, across: z, label: 1)
    builder.add(corner: low + x, along: z, across: y, label: 1)
    builder.addFurniture(table, label: 4)
    builder.addFurniture(cabinet, label: 14)
    builder.mesh.name = "room"
    return builder.mesh
  }
}

/// Puts plates of quads together and welds what lies at the same place.
private struct PlateBuilder {
  let cell: Float
  var mesh = Mesh()
  private var vertexAt: [Vector3: UInt32] = [:]

  init(cell: Float) {
    self.cell = cell
    mesh.classes = FaceClasses(labels: [])
  }

  /// Adds the sides and the top of a box that stands on the floor, facing outwards.
  mutating func addFurniture(_ box: Box, label: UInt16) {
    vertexAt = [:]
    let (low, size) = (box.minimum, box.size)
    let (x, y, z) = (SIMD3(size.x, 0, 0), SIMD3(0, size.y, 0), SIMD3(0, 0, size.z))
    add(corner: low + y, along: z, across: x, label: label)
    add(corner: low, along: y, across: x, label: label)
    add(corner: low + z, along: x, across: y, label: label)
    add(corner: low, along: z, across: y, label: label)
    add(corner: low + x, along: y, across: z, label: label)
  }

  /// Adds a plate that faces `along × across`.
  mutating func add(
    corner: SIMD3<Float>, along: SIMD3<Float>, across: SIMD3<Float>, label: UInt16
  ) {
    let columns = max(1, Int((along.length / cell - 1e-4).rounded(.up)))
    let rows = max(1, Int((across.length / cell - 1e-4).rounded(.up)))
    func place(_ u: Int, _ v: Int) -> SIMD3<Float> {
      corner + along * (Float(u) / Float(columns)) + across * (Float(v) / Float(rows))
    }
    for u in 0..<columns {
      for v in 0..<rows {
        let quad = [place(u, v), place(u + 1, v), place(u + 1, v + 1), place(u, v + 1)].map {
          vertex(at: Vector3($0))
        }
        mesh.indices += [quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]]
        mesh.classes?.labels += [label, label]
      }
    }
  }

  private mutating func vertex(at position: Vector3) -> UInt32 {
    // The same corner may be reached by different sums.
    func grid(_ value: Float) -> Float { (value * 4096).rounded() / 4096 }
    let key = Vector3(grid(position.x), grid(position.y), grid(position.z))
    if let known = vertexAt[key] { return known }
    let index = UInt32(mesh.positions.count)
    vertexAt[key] = index
    mesh.positions.append(position)
    return index
  }
}
