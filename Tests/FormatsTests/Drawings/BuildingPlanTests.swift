import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// What plans of made buildings show.
struct BuildingPlanTests {
  private func sheets(
    _ scene: Scene, _ change: (inout DrawingOptions) -> Void = { _ in }
  ) throws -> [DrawingSheet] {
    var options = DrawingOptions()
    change(&options)
    return try DrawingSet(of: scene, options, in: WritingContext(), format: "test").sheets
  }

  private func dimensions(_ sheet: DrawingSheet) -> [DrawingDimension] {
    sheet.drawing.elements.compactMap { element in
      if case .dimension(let one) = element.shape { one } else { nil }
    }
  }

  private func texts(_ sheet: DrawingSheet) -> [DrawingText] {
    sheet.drawing.elements.compactMap { if case .text(let one) = $0.shape { one } else { nil } }
  }

  private func blocks(_ sheet: DrawingSheet) -> [DrawingBlock.Reference] {
    sheet.drawing.elements.compactMap { if case .block(let one) = $0.shape { one } else { nil } }
  }

  @Test func `walls are filled around their corners, and openings are cut out`() {
    let walls = PlanWalls(PlanFixtures.room.walls) { PlanOpenings.isCut($0, at: 1.2) }
    // Two parts, since door and window cut the ring.
    #expect(walls.loops.count == 2)
    let area = walls.loops.map(PlanFixtures.area).reduce(0, +)
    #expect(abs(area - (4.6 * 3.6 - 4 * 3 - 0.3 * (0.9 + 1.2))) < 1e-6)
    let uncut = PlanWalls(PlanFixtures.room.walls) { _ in false }
    #expect(uncut.loops.map(\.count) == [4, 4])
  }

  @Test func `a round wall has its area, and walls at any angle a corner`() throws {
    // Half a ring of 2 m.
    let half = PlanFixtures.wall(SIMD2(2, 0), SIMD2(-2, 0), 0.2, bulge: 1)
    let ring = PlanWalls([half]) { _ in false }.loops.map(PlanFixtures.area).reduce(0, +)
    let exact = Double.pi / 2 * (2.1 * 2.1 - 1.9 * 1.9)
    #expect(abs(ring - exact) < 0.002 * exact)
    let corner = PlanWalls([
      PlanFixtures.wall(SIMD2(0, 0), SIMD2(2, 0), 0.2),
      PlanFixtures.wall(SIMD2(2, 0), SIMD2(4, 2), 0.2),
    ]) { _ in false }
    // A band of two parts with a mitre is as large as its middle is long.
    #expect(corner.loops.count == 1)
    let length = 2 + 8.0.squareRoot()
    #expect(abs(PlanFixtures.area(corner.loops[0]) - 0.2 * length) < 1e-4)
  }

  @Test func `dimensions are those of openings, sides and rooms, in their digits`() throws {
    let sheet = try #require(try sheets(PlanFixtures.scene(PlanFixtures.room)).first)
    let numbers = dimensions(sheet).map(\.text).sorted()
    #expect(
      numbers
        == [
          // Below: the wall, the door, the wall; above with the window; three sides as a whole, the room.
          "0.850", "0.900", "1.200", "1.550", "1.850", "2.850", "3.000", "3.600", "3.600", "4.000",
          "4.600", "4.600",
        ].sorted())
    for dimension in dimensions(sheet) {
      #expect(abs(dimension.length - (Double(dimension.text) ?? 0)) < 1e-6)
    }
    #expect(texts(sheet).map(\.string).contains("12.00 m²"))
    let shown = try sheets(PlanFixtures.scene(PlanFixtures.room)) { $0.uncertainties = true }
    #expect(dimensions(shown[0]).map(\.text).contains("4.600 ± 0.004"))
  }

  @Test func `a door opens into the room, hung at the nearer corner`() throws {
    let sheet = try sheets(PlanFixtures.scene(PlanFixtures.room))[0]
    let door = try #require(blocks(sheet).first { $0.block.name == "DOOR" })
    // The wall runs along x; its inner face is at 0.15.
    #expect(abs(door.origin.x - 0.7) < 1e-9 && abs(door.origin.y - 0.15) < 1e-9)
    let tip = try #require(door.paths.first?.points[1])
    #expect(abs(tip.x - 0.7) < 1e-9 && abs(tip.y - 1.05) < 1e-9)
    let window = try #require(blocks(sheet).first { $0.block.name == "WINDOW" })
    #expect(abs(abs(window.scale.x) - 1.2) < 1e-9 && abs(window.scale.y - 0.3) < 1e-9)
  }

  @Test(arguments: [nil, Scale(factor: 1 / 100)])
  func `no text covers another one, and all is within the frame`(scale: Scale?) throws {
    let storeys = PlanFixtures.scene(PlanFixtures.flat, PlanFixtures.room)
    let sheets = try sheets(storeys) { $0.scale = scale }
    #expect(sheets.count == 2 && sheets[0].scale == sheets[1].scale)
    expectLegible(sheets)
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func `no text covers another one where walls bend by degrees and jump by centimetres`(
    seed: UInt64
  ) throws {
    let scene = PlanFixtures.scene(PlanFixtures.crooked(seed: seed))
    for scale in [nil, Scale(factor: 1 / 50), Scale(factor: 1 / 100)] {
      for uncertainties in [false, true] {
        let sheets = try sheets(scene) {
          ($0.scale, $0.uncertainties, $0.elevations) = (scale, uncertainties, true)
        }
        expectLegible(sheets)
        // The whole, and at least a part of each side.
        #expect(dimensions(sheets[0]).count >= 6)
      }
    }
  }

  @Test func `stairs are dashed above the plan, and broken there`() throws {
    var storey = PlanFixtures.flat
    let step = { (index: Int) -> [SIMD2<Double>] in
      let x = 6.2 + 0.25 * Double(index)
      return [SIMD2(x, 3.4), SIMD2(x + 0.25, 3.4), SIMD2(x + 0.25, 4.3), SIMD2(x, 4.3)]
    }
    storey.stairs = [
      Building.Stair(steps: (0..<10).map(step), heights: (1...10).map { 0.18 * Double($0) })
    ]
    let elements = try sheets(PlanFixtures.scene(storey))[0].drawing.elements
    func paths(_ layer: DrawingLayer) -> [DrawingPath] {
      elements.compactMap { element in
        if element.layer == layer, case .line(let path) = element.shape { path } else { nil }
      }
    }
    // The plane at 1.2 m is between the sixth step, at 1.08 m, and the seventh.
    #expect(paths(.stairsAbove).count == 4)
    #expect(paths(.stairs).count { $0.isClosed && $0.bulges.isEmpty } == 6)
    let line = try #require(
      paths(.stairs).first {
        $0.points.count == 6 && !$0.isClosed && $0.points[0].y != $0.points[5].y
      })
    #expect(line.points.allSatisfy { abs($0.x - 7.7) < 0.1 })
    #expect(min(line.points[0].y, line.points[5].y) < 3.4)
    #expect(max(line.points[0].y, line.points[5].y) > 4.3)
  }

  @Test func `dimensions of a room have the uncertainty of their side`() throws {
    var storey = PlanFixtures.room
    storey.rooms[0].sides = [(4.0, 0.004), (3, 0.021), (4, 0.007), (3, 0.012)].map {
      Building.Dimension($0, uncertainty: $1)
    }
    let sheet = try sheets(PlanFixtures.scene(storey)) { $0.uncertainties = true }[0]
    let numbers = dimensions(sheet).map(\.text)
    // Of opposite sides the less certain one counts, also for the digits.
    #expect(numbers.contains("4.000 ± 0.007"), "\(numbers)")
    #expect(numbers.contains("3.00 ± 0.02"), "\(numbers)")
  }

  private func expectLegible(_ sheets: [DrawingSheet]) {
    for sheet in sheets {
      let all = texts(sheet) + dimensions(sheet).map { $0.shown(scale: sheet.scale).text }
      // A tenth of a millimetre may touch.
      let boxes = all.map { text in
        PlanBox(
          center: middle(of: text, sheet.scale),
          size: SIMD2(text.width - 0.1, text.height - 0.1) * sheet.scale, turn: text.turn)
      }
      for (index, box) in boxes.enumerated() {
        for other in boxes.indices.dropFirst(index + 1) where boxes[other].overlaps(box) {
          Issue.record("'\(all[index].string)' covers '\(all[other].string)'")
        }
        for corner in box.corners.map(sheet.onPaper) {
          #expect(
            all10(corner, sheet.paper), "'\(all[index].string)' is at \(corner)")
        }
      }
    }
  }

  private func middle(of text: DrawingText, _ scale: Double) -> SIMD2<Double> {
    let shift =
      switch text.alignment {
      case .left: text.width / 2
      case .center: 0.0
      case .right: -text.width / 2
      }
    let (c, s) = (cos(text.turn), sin(text.turn))
    return text.position + (SIMD2(c, s) * shift + SIMD2(-s, c) * (text.height / 2)) * scale
  }

  private func all10(_ place: SIMD2<Double>, _ paper: SIMD2<Double>) -> Bool {
    all(place .>= 10) && all(place .<= paper - 10)
  }

  @Test func `the sheet is the smallest for the scale, the scale the largest for the sheet`() throws
  {
    let scene = PlanFixtures.scene(PlanFixtures.flat)
    func result(_ change: (inout DrawingOptions) -> Void) throws -> [Double] {
      let sheet = try sheets(scene, change)[0]
      return [(sheet.scale * 1000).rounded(), sheet.paper.x, sheet.paper.y]
    }
    #expect(try result { _ in } == [50, 420, 297])
    #expect(try result { $0.scale = Scale(factor: 1 / 100) } == [100, 297, 210])
    #expect(try result { $0.sheet = .a4 } == [100, 297, 210])
    #expect(try result { $0.scale = Scale(factor: 1 / 20) } == [20, 841, 594])
    #expect(throws: DrawingMisfit.self) {
      try result { ($0.scale, $0.sheet) = (Scale(factor: 1 / 20), .a4) }
    }
    var huge = PlanFixtures.room
    huge.walls[0].end.x = 1e9
    #expect(throws: DrawingMisfit.self) { try sheets(PlanFixtures.scene(huge)) }
  }

  @Test func `elevations are further sheets, with the openings at their heights`() throws {
    let sheets = try sheets(PlanFixtures.scene(PlanFixtures.room)) { $0.elevations = true }
    #expect(sheets.map(\.title) == ["Ground floor", "Elevations, Ground floor"])
    let doors = sheets[1].drawing.elements.compactMap { element -> DrawingPath? in
      if element.layer == .doors, case .line(let path) = element.shape { path } else { nil }
    }
    try #require(doors.count == 1)
    let size = doors[0].points[2] - doors[0].points[0]
    #expect(abs(size.x - 0.9) < 1e-9 && abs(size.y - 2.05) < 1e-9)
    let numbers = Set(dimensions(sheets[1]).map(\.text))
    #expect(numbers.isSuperset(of: ["4.300", "3.300", "2.500", "0.900", "1.300", "1.200"]))
  }

  @Test func `broken numbers of a building end in no endless loop`() throws {
    var broken = PlanFixtures.flat
    broken.walls[0].end = SIMD2(.nan, 0)
    broken.walls[1].openings[0].position = .infinity
    broken.walls[2].thickness.value = 0
    broken.walls[3].end = broken.walls[3].start
    broken.rooms[0].outline = []
    broken.rooms[1].outline = [[SIMD2(0, 0)]]
    #expect(try sheets(PlanFixtures.scene(broken)).count == 1)
    let empty = Building.Storey(name: "Roof", elevation: 3, height: PlanFixtures.measured(2))
    #expect(throws: UnwritableScene.self) { try sheets(PlanFixtures.scene(empty)) }
  }

  @Test func `the title block says where north is from, and more than fits ends with dots`() throws
  {
    func remarks(_ scene: Scene) throws -> (north: Bool, lines: [String]) {
      let sheet = try sheets(scene)[0]
      return (texts(sheet).contains { $0.string == "N" }, texts(sheet).map(\.string))
    }
    var scene = PlanFixtures.scene(PlanFixtures.room)
    let told = try remarks(scene)
    #expect(told.north)
    #expect(
      told.lines.contains("North by the phone's compass in 24 photographs, within ± 11° (95 %)."))
    #expect(told.lines.contains("Assumed: walls without a second face are 10 cm thick."))
    scene.buildings[0].north = nil
    scene.buildings[0].assumptions = (0..<40).map { "the assumption with the number \($0) holds" }
    let unknown = try remarks(scene)
    #expect(!unknown.north && !unknown.lines.contains { $0.contains("North") })
    #expect(unknown.lines.contains { $0.hasPrefix("Lengths are") })
    #expect(unknown.lines.contains { $0.hasSuffix("...") })
    expectLegible(try sheets(scene))
  }

  @Test(arguments: [90.0, 89, 91, -90, -89, 271, -91])
  func `texts that are nearly upright are all read from the right`(degrees: Double) {
    let turn = DrawingText.readable(degrees * .pi / 180) * 180 / .pi
    #expect(abs(turn - 90) < 1.5)
  }

  @Test func `the depth of a crooked corridor is measured in its middle`() throws {
    var storey = PlanFixtures.room
    // The far side is 3 cm askew.
    let outline = [SIMD2(0.15, 0.15), SIMD2(2.15, 0.15), SIMD2(2.15, 9.15), SIMD2(0.15, 9.12)]
    storey.rooms = [PlanFixtures.space("Corridor", outline)]
    storey.rooms[0].sides = [2, 9, 2, 9].map { Building.Dimension($0, uncertainty: 0.08) }
    let sheet = try sheets(PlanFixtures.scene(storey))[0]
    let depth = try #require(dimensions(sheet).first { $0.length > 8.9 && $0.line.x < 2.15 })
    #expect((0.3...2.0).contains(depth.line.x), "\(depth.line)")
  }
}
