import MeshPipeline
import POSIX

/// The plan of a storey: what a horizontal plane cuts, and what is below it.
struct BuildingPlan: Sendable {
  private let storey: Building.Storey
  private let numbers: PlanNumbers
  private let isCut: @Sendable (Building.Opening) -> Bool

  /// Above the floor, in metres: above sills, and below the heads of doors.
  private static let cutHeight = 1.2
  private static let furnitureTextHeight = 1.6

  /// A view for each storey that shows anything.
  ///
  /// - Parameter pictures: Of walls for elevations, by the names of the walls.
  static func views(
    of building: Building, _ settings: SheetSettings, pictures: [String: WallPicture] = [:]
  ) -> [DrawingView] {
    building.storeys.flatMap { storey -> [DrawingView] in
      let plan = BuildingPlan(storey, settings)
      guard let (low, high) = plan.bounds else { return [] }
      var view = DrawingView(title: storey.name, low: low, high: high) { plan.drawing(scale: $0) }
      view.margin = SIMD2(repeating: PlanFacades.margin)
      view.north = building.north?.angle
      view.notes = plan.notes + [building.north?.note].compactMap(\.self)
      view.assumptions = building.assumptions
      guard settings.showsElevations else { return [view] }
      let width = max(2 * (high.x - low.x), Self.leastWidthOfElevations)
      let elevations = WallElevations(
        of: storey, width: width, plan.numbers, pictures: pictures)
      return [view] + (elevations.map { [$0.view] } ?? [])
    }
  }

  /// Of rows of walls, in metres.
  private static let leastWidthOfElevations = 12.0

  init(_ storey: Building.Storey, _ settings: SheetSettings) {
    self.storey = storey
    numbers = PlanNumbers(of: storey, showsUncertainties: settings.showsUncertainties)
    isCut = { PlanOpenings.isCut($0, at: Self.cutHeight) }
  }

  /// What is known of it in words, for the title block.
  private var notes: [String] {
    var notes: [String] = []
    if let note = numbers.note { notes.append(note) }
    let height = NumberText.fixed(
      storey.height.value, digits: PlanNumbers.digits(for: storey.height.uncertainty))
    notes.append(
      "Plan at \(NumberText.fixed(Self.cutHeight, digits: 2)) m above the floor; clear height \(height) m."
    )
    if !storey.rooms.isEmpty { notes.append("Areas are those within the inner faces of walls.") }
    let hasDoors = storey.walls.contains { $0.openings.contains { $0.kind == .door } }
    if hasDoors { notes.append("The swing of doors is assumed.") }
    return notes
  }

  /// The rectangle around everything; nil if there is nothing.
  private var bounds: (low: SIMD2<Double>, high: SIMD2<Double>)? {
    let walls = storey.walls.compactMap { PlanWall($0) }
    var points = walls.flatMap { $0.outline(from: 0, to: $0.length) }
    points += storey.rooms.flatMap { $0.outline.joined() } + storey.columns.flatMap(\.outline)
    points += storey.stairs.flatMap { $0.steps.joined() }
    points += storey.furniture.flatMap { Self.box(of: $0).corners }
    points = points.filter { $0.x.isFinite && $0.y.isFinite }
    guard let first = points.first else { return nil }
    return (points.reduce(first, pointwiseMin), points.reduce(first, pointwiseMax))
  }

  private func drawing(scale: Double) -> Drawing {
    var drawing = Drawing()
    var occupied = PlanOccupancy()
    let walls = PlanWalls(storey.walls, where: isCut)
    if !walls.loops.isEmpty {
      let paths = walls.loops.map { DrawingPath($0, isClosed: true) }
      // Polygons that could not be merged may cover each other.
      let regions = walls.isMerged ? [paths] : paths.map { [$0] }
      for region in regions { drawing.add(region: region, on: .wallFill) }
      for path in paths { drawing.add(path, on: .walls) }
    }
    for column in storey.columns.map(\.outline) where column.count > 2 {
      let path = DrawingPath(column, isClosed: true)
      drawing.add(region: [path], on: .columns)
      drawing.add(path, on: .columns)
      occupied.add(PlanBox(around: column), cost: PlanRooms.textCost)
    }
    for piece in storey.furniture {
      let box = Self.box(of: piece)
      drawing.add(DrawingPath(box.corners, isClosed: true), on: .furniture)
      occupied.add(box, cost: 1)
    }
    for stair in storey.stairs {
      let steps = PlanStair(stair, cutHeight: Self.cutHeight, scale: scale)
      for box in steps.draw(on: &drawing) { occupied.add(box, cost: PlanRooms.textCost) }
    }
    let openings = PlanOpenings(walls.walls, storey.rooms, cutHeight: Self.cutHeight)
    for box in openings.draw(on: &drawing) { occupied.add(box, cost: 4) }
    let rooms = PlanRooms(storey.rooms, numbers, scale: scale)
    rooms.drawLabels(on: &drawing, &occupied)
    for piece in storey.furniture { name(piece, on: &drawing, &occupied, scale) }
    rooms.drawDimensions(on: &drawing, &occupied)
    PlanFacades(walls, storey.rooms, numbers, scale: scale).draw(on: &drawing)
    return drawing
  }

  // MARK: Furniture

  private static func box(of piece: Building.Piece) -> PlanBox {
    PlanBox(
      center: piece.center, size: SIMD2(piece.size.x, piece.size.y), turn: piece.turn)
  }

  /// Writes the name along the longer side, if it fits and covers nothing.
  private func name(
    _ piece: Building.Piece, on drawing: inout Drawing, _ occupied: inout PlanOccupancy,
    _ scale: Double
  ) {
    let isDeep = piece.size.y > piece.size.x
    let (long, short) = isDeep ? (piece.size.y, piece.size.x) : (piece.size.x, piece.size.y)
    let turn = DrawingText.readable(piece.turn + (isDeep ? .pi / 2 : 0))
    let height = Self.furnitureTextHeight
    let up = SIMD2(angle: turn).left
    let text = DrawingText(
      piece.category, at: piece.center - up * (height / 2 * scale), height: height, turn: turn,
      .center)
    guard (text.width + 1) * scale < long, (height + 0.8) * scale < short else { return }
    let box = PlanBox(of: text, scale: scale)
    // Its own outline costs 1.
    guard occupied.cost(of: box) < 3 else { return }
    drawing.add(text, on: .furniture)
    occupied.add(box, cost: PlanRooms.textCost)
  }
}
