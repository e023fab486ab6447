import MeshPipeline

/// The geometry of a room: walls with holes, panels in them, floors, and boxes.
struct RoomMeshes {
  /// The thickness of a door's leaf and of a window, in metres.
  private static let panelThickness = 0.04
  /// A door or window without a known wall belongs to one at most this far from its middle, in metres.
  private static let reach = 0.3

  private(set) var meshes: [Mesh] = []
  private var counts: [String: Int] = [:]
  private var classes = FaceClasses(labels: [])
  private let walls: [WallShape]

  /// - Parameter check: Called for each part; may throw to cancel.
  init(_ room: Room, check: () throws -> Void) throws {
    func parts(_ kinds: Room.Kind...) -> [Room.Part] {
      room.parts.filter { kinds.contains($0.kind) }
    }
    walls = WallJoints(parts(.wall), floors: parts(.floor)).walls
    let inserts = room.parts.filter(\.isInsert)
    let owners = inserts.map { owner(of: $0) }
    var holes = [[[SIMD2<Double>]]](repeating: [], count: walls.count)
    for (insert, owner) in zip(inserts, owners) {
      guard let owner, let outline = walls[owner].outline(of: insert) else { continue }
      holes[owner].append(outline)
    }
    for (wall, holes) in zip(walls, holes) {
      try check()
      add(wall.mesh(holes: holes), as: wall.part)
    }
    for floor in parts(.floor) {
      try check()
      add(Self.sheet(floor), as: floor)
    }
    for (insert, owner) in zip(inserts, owners) where insert.kind != .opening {
      try check()
      add(panel(insert, in: owner.map { walls[$0] }), as: insert)
    }
    for object in parts(.object) {
      try check()
      add(Self.box(object), as: object)
    }
  }

  private mutating func add(_ mesh: Mesh, as part: Room.Part) {
    guard mesh.faceCount > 0 else { return }
    let number = counts[part.category, default: 0] + 1
    counts[part.category] = number
    var mesh = mesh
    mesh.name = "\(part.category)-\(number)"
    // The table grows with unknown categories; all meshes have the same at the end.
    let label = classes.label(named: part.category) ?? 0
    classes.labels = [UInt16](repeating: label, count: mesh.faceCount)
    mesh.classes = classes
    meshes.append(mesh)
  }

  /// The wall of a door, window or opening: by name, or the nearest in whose plane it is.
  private func owner(of part: Room.Part) -> Int? {
    if let parent = part.parent,
      let named = walls.firstIndex(where: { $0.part.identifier == parent })
    {
      return named
    }
    var nearest: (wall: Int, distance: Double)?
    for (index, wall) in walls.enumerated() where wall.part.curve == nil {
      guard let inverse = wall.part.placement.inverse else { continue }
      let relative = inverse * part.placement
      let (center, size) = (relative.translation, wall.part.size)
      guard abs(relative.z.z) > 0.9, abs(center.x) < size.x / 2, abs(center.y) < size.y / 2,
        abs(center.z) < min(Self.reach, nearest?.distance ?? .infinity)
      else { continue }
      nearest = (index, abs(center.z))
    }
    return nearest?.wall
  }

  /// A floor, which looks up.
  private static func sheet(_ part: Room.Part) -> Mesh {
    let cells = PlanarCells(outline: part.outline, holes: [])
    var mesh = Mesh(
      positions: cells.points.map {
        Vector3(SIMD3<Float>(part.placement.apply(toPoint: SIMD3($0.x, $0.y, 0))))
      }, indices: cells.triangles)
    if part.placement.x.cross(part.placement.y).y < 0 { mesh.flipWinding() }
    return mesh
  }

  /// A door's leaf or a window: a thin box in the middle of its wall.
  private func panel(_ part: Room.Part, in wall: WallShape?) -> Mesh {
    let shape: WallShape
    let outline: [SIMD2<Double>]
    var middle = 0.0
    if let wall, let inner = wall.outline(of: part) {
      (shape, outline) = (wall, inner)
      middle = (wall.front - wall.back) / 2
    } else {
      (shape, outline) = (WallShape(part), part.outline)
    }
    let half = min(Self.panelThickness, wall?.thickness ?? .infinity) / 2
    let cells = PlanarCells(outline: outline, holes: [], cuts: shape.cuts)
    return Slab(cells) { point in
      shape.place(point.x, point.y, middle + half)
    } back: { point in
      shape.place(point.x, point.y, middle - half)
    }.mesh(mirrored: shape.part.placement.determinant < 0)
  }

  /// The box of an object.
  private static func box(_ part: Room.Part) -> Mesh {
    let cells = PlanarCells(outline: part.outline, holes: [])
    func place(_ point: SIMD2<Double>, _ z: Double) -> Vector3 {
      Vector3(SIMD3<Float>(part.placement.apply(toPoint: SIMD3(point.x, point.y, z))))
    }
    return Slab(cells) {
      place($0, part.size.z / 2)
    } back: {
      place($0, -part.size.z / 2)
    }
    .mesh(mirrored: part.placement.determinant < 0)
  }
}
