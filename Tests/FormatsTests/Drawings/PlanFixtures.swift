import MeshPipeline
import MeshTestSupport

/// Buildings whose drawings are known.
enum PlanFixtures {
  /// A measured length, ± 4 mm.
  static func measured(_ value: Double) -> Building.Dimension {
    Building.Dimension(value, uncertainty: 0.004)
  }

  static func wall(
    _ start: SIMD2<Double>, _ end: SIMD2<Double>, _ thickness: Double, bulge: Double = 0,
    _ openings: [Building.Opening] = []
  ) -> Building.Wall {
    let chord = end - start
    var wall = Building.Wall(
      name: "wall", from: start, to: end, thickness: measured(thickness), height: measured(2.5),
      length: measured((chord * chord).sum().squareRoot()))
    (wall.bulge, wall.openings) = (bulge, openings)
    return wall
  }

  static func opening(
    _ kind: Building.Opening.Kind, at position: Double, width: Double, sill: Double = 0
  ) -> Building.Opening {
    Building.Opening(
      name: "\(kind)", kind, at: position, width: measured(width), sill: measured(sill),
      height: measured(kind == .window ? 1.3 : 2.05))
  }

  static func space(_ name: String, _ outline: [SIMD2<Double>]) -> Building.Space {
    Building.Space(
      name: name, outline: [outline], height: measured(2.5),
      area: Building.Dimension(area(outline), uncertainty: 0.02))
  }

  static func area(_ loop: [SIMD2<Double>]) -> Double {
    zip(loop, loop.dropFirst() + loop.prefix(1)).reduce(0) {
      $0 + ($1.0.x * $1.1.y - $1.0.y * $1.1.x) / 2
    }
  }

  /// A room of 4 by 3 m inside walls of 30 cm, with a door of 90 cm and a window of 1.2 m.
  static var room: Building.Storey {
    let (w, d) = (4.3, 3.3)
    var storey = Building.Storey(name: "Ground floor", elevation: 0, height: measured(2.5))
    storey.walls = [
      wall(SIMD2(0, 0), SIMD2(w, 0), 0.3, [opening(.door, at: 1.15, width: 0.9)]),
      wall(SIMD2(w, 0), SIMD2(w, d), 0.3),
      wall(SIMD2(w, d), SIMD2(0, d), 0.3, [opening(.window, at: 2, width: 1.2, sill: 0.9)]),
      wall(SIMD2(0, d), SIMD2(0, 0), 0.3),
    ]
    storey.rooms = [
      space(
        "Kitchen",
        [
          SIMD2(0.15, 0.15), SIMD2(w - 0.15, 0.15), SIMD2(w - 0.15, d - 0.15),
          SIMD2(0.15, d - 0.15),
        ])
    ]
    return storey
  }

  /// A flat with three rooms, a wall at 45 degrees, a round one, a column, stairs and furniture.
  static var flat: Building.Storey {
    var storey = Building.Storey(name: "Flat & attic", elevation: 0, height: measured(2.5))
    let (outer, inner) = (0.3, 0.12)
    storey.walls = [
      wall(
        SIMD2(0, 0), SIMD2(6, 0), outer,
        [
          opening(.window, at: 1.6, width: 1.2, sill: 0.9),
          opening(.window, at: 4.3, width: 1.6, sill: 0.9),
        ]),
      wall(SIMD2(6, 0), SIMD2(6, 3.2), outer, [opening(.door, at: 1, width: 1)]),
      wall(SIMD2(6, 3.2), SIMD2(9.4, 3.2), outer),
      wall(
        SIMD2(9.4, 3.2), SIMD2(9.4, 6), outer, [opening(.window, at: 1.4, width: 1.2, sill: 0.9)]),
      wall(SIMD2(9.4, 6), SIMD2(8, 7.4), outer),
      wall(SIMD2(8, 7.4), SIMD2(3, 7.4), outer, [opening(.door, at: 3.8, width: 1.6)]),
      wall(
        SIMD2(3, 7.4), SIMD2(0, 4.4), outer, bulge: 0.41421356,
        [opening(.window, at: 2.3, width: 1, sill: 0.9)]),
      wall(SIMD2(0, 4.4), SIMD2(0, 0), outer, [opening(.window, at: 2, width: 0.6, sill: 1.6)]),
      wall(
        SIMD2(0, 3.2), SIMD2(6, 3.2), inner,
        [opening(.door, at: 1.2, width: 0.8), opening(.opening, at: 4.6, width: 1.4)]),
      wall(SIMD2(3.4, 0), SIMD2(3.4, 3.2), inner, [opening(.door, at: 2.4, width: 0.8)]),
    ]
    storey.rooms = [
      space(
        "Kitchen",
        [SIMD2(0.15, 0.15), SIMD2(3.34, 0.15), SIMD2(3.34, 3.14), SIMD2(0.15, 3.14)]),
      space(
        "Bath", [SIMD2(3.46, 0.15), SIMD2(5.85, 0.15), SIMD2(5.85, 3.14), SIMD2(3.46, 3.14)]),
      space(
        "Living room",
        [
          SIMD2(0.15, 3.26), SIMD2(6, 3.26), SIMD2(6, 3.35), SIMD2(9.25, 3.35),
          SIMD2(9.25, 5.94), SIMD2(7.94, 7.25), SIMD2(3, 7.25), SIMD2(1, 6.4), SIMD2(0.15, 4.4),
        ]),
    ]
    storey.columns = [
      Building.Column(
        outline: [SIMD2(6, 5.2), SIMD2(6.3, 5.2), SIMD2(6.3, 5.5), SIMD2(6, 5.5)],
        height: measured(2.5))
    ]
    storey.furniture = [
      piece("sofa", SIMD2(8.6, 4.9), .pi / 2, SIMD3(1.8, 0.8, 0.8)),
      piece("table", SIMD2(3.2, 5.6), 0.5, SIMD3(1.6, 0.9, 0.75)),
      piece("stove", SIMD2(0.5, 0.5), 0, SIMD3(0.6, 0.6, 0.9)),
    ]
    storey.stairs = [
      Building.Stair(
        steps: (0..<5).map { step in
          let x = 6.6 + 0.25 * Double(step)
          return [SIMD2(x, 3.4), SIMD2(x + 0.25, 3.4), SIMD2(x + 0.25, 4.3), SIMD2(x, 4.3)]
        }, heights: (1...5).map { 0.18 * Double($0) })
    ]
    return storey
  }

  /// A room of 8 by 6 m whose walls bend by up to four degrees and jump by up to 15 cm, as phones trace them.
  static func crooked(seed: UInt64) -> Building.Storey {
    var random = SeededGenerator(seed: seed)
    var corners: [SIMD2<Double>] = []
    let frame = [SIMD2(0.0, 0), SIMD2(8, 0), SIMD2(8, 6), SIMD2(0, 6)]
    for (from, to) in zip(frame, frame.dropFirst() + frame.prefix(1)) {
      let count = Int.random(in: 2...5, using: &random)
      let side = to - from
      let normal = SIMD2(-side.y, side.x) / (side * side).sum().squareRoot()
      for step in 0..<count {
        let place = from + side * (Double(step) / Double(count))
        let bend = place + normal * Double.random(in: 0...0.12, using: &random)
        corners.append(bend)
        if Bool.random(using: &random) {
          corners.append(bend + normal * Double.random(in: 0.02...0.15, using: &random))
        }
      }
    }
    var storey = Building.Storey(name: "Ground floor", elevation: 0, height: measured(2.5))
    storey.walls = zip(corners, corners.dropFirst() + corners.prefix(1)).enumerated().map {
      var one = wall($1.0, $1.1, 0.1)
      one.name = "wall-\($0 + 1)"
      one.length.uncertainty = Double.random(in: 0.003...0.05, using: &random)
      return one
    }
    let middle = SIMD2(4.0, 3)
    storey.rooms = [space("Room 1", corners.map { middle + ($0 - middle) * 0.97 })]
    return storey
  }

  private static func piece(
    _ category: String, _ center: SIMD2<Double>, _ turn: Double, _ size: SIMD3<Double>
  ) -> Building.Piece {
    Building.Piece(category: category, center: center, turn: turn, size: size, base: 0)
  }

  /// A scene with nothing but storeys.
  static func scene(_ storeys: Building.Storey...) -> Scene {
    var building = Building(placement: .identity, storeys: storeys)
    building.north = Building.North(
      angle: 0.4, uncertainty: 0.2, source: .photographs(count: 24, isMagnetic: false))
    building.assumptions = ["walls without a second face are 10 cm thick"]
    var scene = Scene(name: "flat", coordinateSystem: .blender)
    scene.buildings = [building]
    return scene
  }

  /// A square of 2 m with a hole of 1 m in it, and an open line, in centimetres.
  static var section: Scene {
    func square(_ low: Double, _ high: Double) -> [SIMD2<Double>] {
      [SIMD2(low, low), SIMD2(high, low), SIMD2(high, high), SIMD2(low, high)]
    }
    var scene = Scene(name: "block", coordinateSystem: .blender)
    scene.coordinateSystem.metersPerUnit = 0.01
    scene.sections = [
      Section(
        name: "1.20 m", placement: .identity,
        curves: [
          Section.Curve(points: square(0, 200), isClosed: true, layer: "wall"),
          Section.Curve(points: square(50, 150).reversed(), isClosed: true, layer: "wall"),
          Section.Curve(
            points: [SIMD2(220, 0), SIMD2(220, 90)], isClosed: false, layer: "my chair"),
        ])
    ]
    return scene
  }
}
