import MeshPipeline
import POSIX

/// Writes the elements of a storey.
struct IFCStorey {
  /// Openings go this far beyond both faces of their wall, so that nothing of it stays.
  private static let openingSlack = 0.01

  private let storey: Building.Storey
  private let measures: BuildingMeasures.Storey
  /// What its identifiers begin with.
  private let path: String
  private let placement: StepReference
  private var elements: [StepReference] = []

  /// Writes a storey with all that is in it.
  ///
  /// - Returns: The storey.
  static func write(
    _ storey: Building.Storey, _ measures: BuildingMeasures.Storey, path: String,
    in parent: StepReference, to model: inout IFCModel
  ) throws -> StepReference {
    let placement = try model.localPlacement(in: parent, at: SIMD3(0, 0, storey.elevation))
    let reference = try model.add(
      "IFCBUILDINGSTOREY", model.identifier(path), .none, .text(storey.name), .none, .none,
      .instance(placement), .none, .none, .symbol("ELEMENT"), .real(storey.elevation))
    var writer = IFCStorey(
      storey: storey, measures: measures, path: path, placement: placement)
    try writer.writeWalls(to: &model)
    try writer.writeSlabs(to: &model)
    try writer.writeOthers(to: &model)
    try model.contain(writer.elements, in: reference)
    try model.aggregate(try writer.spaces(to: &model), into: reference)
    return reference
  }

  private init(
    storey: Building.Storey, measures: BuildingMeasures.Storey, path: String,
    placement: StepReference
  ) {
    (self.storey, self.measures) = (storey, measures)
    (self.path, self.placement) = (path, placement)
  }

  // MARK: Walls

  private mutating func writeWalls(to model: inout IFCModel) throws {
    var wallsOfThickness: [Double: [StepReference]] = [:]
    for (index, outline) in storey.wallOutlines.enumerated() {
      let wall = storey.walls[index]
      let frame = PlanFrame(origin: wall.start, turn: (wall.end - wall.start).angle)
      let place = try model.localPlacement(
        in: placement, at: SIMD3(frame.origin, wall.base), turn: frame.turn)
      let solid = try model.extrusion(
        of: [outline.map(frame.local)], from: 0, by: wall.height.value, style: "wall")
      let line = try centerLine(of: wall, frame, in: &model)
      let shape = try model.shape([solid], "SweptSolid", axis: line)
      let reference = try model.add(
        "IFCWALL", identifier(wall.name, model), .none, .text(wall.name), .none, .none,
        .instance(place), .instance(shape), .text(wall.name), .symbol("NOTDEFINED"))
      elements.append(reference)
      wallsOfThickness[wall.thickness.value, default: []].append(reference)
      try IFCQuantities.write(measures.walls[index], of: reference, identifier(wall.name), &model)
      for opening in wall.openings {
        try write(opening, in: wall, frame, reference, place, to: &model)
      }
    }
    for (thickness, walls) in wallsOfThickness.sorted(by: { $0.key < $1.key }) {
      let material = try model.add("IFCMATERIAL", .text("unknown"), .none, .none)
      let layer = try model.add(
        "IFCMATERIALLAYER", .instance(material), .real(thickness), .none, .none, .none, .none, .none
      )
      let layers = try model.add("IFCMATERIALLAYERSET", .instances([layer]), .none, .none)
      try model.associate(walls, with: layers)
    }
  }

  /// The centre line of a wall in its own axes.
  private func centerLine(
    of wall: Building.Wall, _ frame: PlanFrame, in model: inout IFCModel
  ) throws -> StepReference {
    let course = wall.course
    let count = course.arc == nil ? 1 : 16
    let points = try (0...count).map { index in
      let point = frame.local(course.point(at: Double(index) / Double(count)))
      return try model.add("IFCCARTESIANPOINT", .reals([point.x, point.y]))
    }
    return try model.add("IFCPOLYLINE", .instances(points))
  }

  private mutating func write(
    _ opening: Building.Opening, in wall: Building.Wall, _ frame: PlanFrame,
    _ wallReference: StepReference, _ wallPlacement: StepReference, to model: inout IFCModel
  ) throws {
    let course = wall.course
    let share = opening.position / max(course.length, 1e-9)
    let (center, direction) = (frame.local(course.point(at: share)), course.direction(at: share))
    // What is cut is within the wall.
    let low = max(opening.sill.value - wall.base, 0)
    let high = min(opening.sill.value + opening.height.value - wall.base, wall.height.value)
    guard high > low else { return }
    let place = try model.localPlacement(
      in: wallPlacement, at: SIMD3(center, low), turn: direction.angle - frame.turn)
    func box(_ depth: Double, _ style: String) throws -> StepReference {
      let solid = try model.extrusion(
        of: [PlanFrame.rectangle(opening.width.value, depth)], from: 0, by: high - low, style: style
      )
      return try model.shape([solid], "SweptSolid")
    }
    let hole = try model.add(
      "IFCOPENINGELEMENT", identifier("hole of \(opening.name)", model), .none,
      .text(opening.name), .none, .none, .instance(place),
      .instance(try box(wall.thickness.value + 2 * Self.openingSlack, "opening")), .none,
      .symbol("OPENING"))
    _ = try model.add(
      "IFCRELVOIDSELEMENT", identifier("void of \(opening.name)", model), .none, .none, .none,
      .instance(wallReference), .instance(hole))
    guard opening.kind != .opening else { return }
    let isDoor = opening.kind == .door
    let leaf = isDoor ? Building.AssumedThickness.leaf : Building.AssumedThickness.pane
    let reference = try model.add(
      isDoor ? "IFCDOOR" : "IFCWINDOW", identifier(opening.name, model), .none,
      .text(opening.name), .none, .none, .instance(try model.localPlacement(in: place)),
      .instance(try box(leaf, opening.kind.rawValue)),
      .text(opening.name), .real(high - low), .real(opening.width.value),
      .symbol(isDoor ? "DOOR" : "WINDOW"), .none, .none)
    elements.append(reference)
    _ = try model.add(
      "IFCRELFILLSELEMENT", identifier("filling of \(opening.name)", model), .none, .none, .none,
      .instance(hole), .instance(reference))
    if let measured = measures.openings.first(where: { $0.name == opening.name }) {
      try IFCQuantities.write(measured, of: reference, identifier(opening.name), &model)
    }
  }

  // MARK: Rooms

  private mutating func writeSlabs(to model: inout IFCModel) throws {
    for (index, room) in storey.rooms.enumerated() where !room.outline.isEmpty {
      let thickness = Building.AssumedThickness.floor
      let solid = try model.extrusion(
        of: room.outline, from: room.base - thickness, by: thickness, style: "floor")
      let shape = try model.shape([solid], "SweptSolid")
      let name = "Floor of \(room.name)"
      elements.append(
        try model.add(
          "IFCSLAB", identifier("slab-\(index)", model), .none, .text(name),
          .text("The thickness is assumed."), .none,
          .instance(try model.localPlacement(in: placement)), .instance(shape), .none,
          .symbol("FLOOR")))
    }
  }

  private func spaces(to model: inout IFCModel) throws -> [StepReference] {
    var spaces: [StepReference] = []
    for (index, room) in storey.rooms.enumerated() where !room.outline.isEmpty {
      let solid = try model.extrusion(
        of: room.outline, from: room.base, by: room.height.value, style: "none")
      let shape = try model.shape([solid], "SweptSolid")
      let space = try model.add(
        "IFCSPACE", identifier("space-\(index)", model), .none, .text(String(index + 1)), .none,
        .none, .instance(try model.localPlacement(in: placement)), .instance(shape),
        .text(room.name), .symbol("ELEMENT"), .symbol("SPACE"), .real(storey.elevation + room.base))
      try IFCQuantities.write(
        measures.rooms[index], of: space, identifier("space-\(index)"), &model)
      spaces.append(space)
    }
    return spaces
  }

  // MARK: Others

  private mutating func writeOthers(to model: inout IFCModel) throws {
    for (index, column) in storey.columns.enumerated() {
      let solid = try model.extrusion(
        of: [column.outline], from: 0, by: column.height.value, style: "column")
      elements.append(
        try model.add(
          "IFCCOLUMN", identifier("column-\(index)", model), .none, .text("column-\(index + 1)"),
          .none, .none, .instance(try model.localPlacement(in: placement)),
          .instance(try model.shape([solid], "SweptSolid")), .none, .symbol("COLUMN")))
    }
    for (index, stair) in storey.stairs.enumerated() {
      let stairs = try IFCStairs.write(
        stair, name: "stair-\(index + 1)", path: identifier("stair-\(index)"), in: placement,
        to: &model)
      if let stairs { elements.append(stairs) }
    }
    for (index, piece) in storey.furniture.enumerated() {
      let place = try model.localPlacement(
        in: placement, at: SIMD3(piece.center, piece.base), turn: piece.turn)
      let solid = try model.extrusion(
        of: [PlanFrame.rectangle(piece.size.x, piece.size.y)], from: 0, by: piece.size.z,
        style: piece.category)
      elements.append(
        try model.add(
          "IFCFURNITURE", identifier("furniture-\(index)", model), .none,
          .text("\(piece.category)-\(index + 1)"), .none, .text(piece.category), .instance(place),
          .instance(try model.shape([solid], "SweptSolid")), .none, .symbol("USERDEFINED")))
    }
  }

  private func identifier(_ name: String) -> String { "\(path)/\(name)" }

  private func identifier(_ name: String, _ model: IFCModel) -> StepValue {
    model.identifier(identifier(name))
  }
}

/// Axes in the plan that are moved and turned.
private struct PlanFrame {
  var origin: SIMD2<Double>
  /// Counterclockwise, in radians.
  var turn: Double

  /// A point of the plan in these axes.
  func local(_ point: SIMD2<Double>) -> SIMD2<Double> {
    let (offset, c, s) = (point - origin, cos(turn), sin(turn))
    return SIMD2(c * offset.x + s * offset.y, c * offset.y - s * offset.x)
  }

  /// A rectangle around the origin, counterclockwise.
  static func rectangle(_ width: Double, _ depth: Double) -> [SIMD2<Double>] {
    let (x, y) = (width / 2, depth / 2)
    return [SIMD2(-x, -y), SIMD2(x, -y), SIMD2(x, y), SIMD2(-x, y)]
  }
}

extension SIMD3<Double> {
  fileprivate init(_ plan: SIMD2<Double>, _ z: Double) { self.init(plan.x, plan.y, z) }
}
