import MeshpipeBase
package import MeshpipeScene
import POSIX

/// The building of what a phone found in its rooms by itself.
///
/// The phone's numbers are kept as they are: the lengths of walls, and the sizes of openings and furniture. Walls that
/// (nearly) close a loop make a room; a floor without such walls is a room by its own outline.
package struct RoomBuilding {
  /// The building; nil if no wall is upright.
  package let building: Building?
  /// Doors, windows and openings that are in no wall.
  package private(set) var homelessOpenings = 0

  /// Walls that begin this much higher than the lowest ones of a storey are on the next, in metres.
  private static let storeyStep = 1.5
  /// What RoomPlan's dimensions, of which it states no accuracy, are taken to be right within, and by what share.
  private static let (accuracy, relativeAccuracy) = (0.03, 0.005)

  /// - Parameters:
  ///   - up: The scene's up axis.
  ///   - thickness: Of walls of which it is not known, in metres.
  package init(_ room: Room, up: SIMD3<Double>, metersPerUnit: Double, thickness: Double) {
    var placement = PlanFrame.level(up: up, metersPerUnit: metersPerUnit)
    let parts = room.parts
    guard let level = placement.inverse else {
      building = nil
      return
    }
    let directions = parts.filter { $0.kind == .wall }.map { wall in
      let axis = (level * wall.placement).x
      return (angle: SIMD2(axis.x, axis.y).angle, length: wall.curve == nil ? wall.size.x : 0)
    }
    placement = placement.turned(by: PlanFrame.turn(alongLongestOf: directions))
    let inverse = placement.inverse ?? level
    let walls = parts.filter { $0.kind == .wall }.compactMap { SurfaceWall($0, inverse) }
    guard !walls.isEmpty else {
      building = nil
      return
    }
    let bottoms = Self.storeys(of: walls)
    let uses = room.uses.map { (name: $0.name, point: inverse.apply(toPoint: $0.point)) }
    var result = Building(placement: placement, storeys: [])
    for number in bottoms.indices {
      func isHere(_ story: Int?, _ height: Double) -> Bool {
        Self.storey(of: story, height, bottoms) == number
      }
      let storey = RoomStorey(
        name: Self.name(ofStorey: number, lowest: bottoms[0].story ?? 0),
        parts.filter {
          let pose = inverse * $0.placement
          return isHere($0.story, pose.translation.z - ($0.kind == .floor ? 0 : $0.size.y / 2))
        },
        walls: walls.filter { isHere($0.part.story, $0.heights.lowerBound) },
        uses: uses.filter { isHere(nil, $0.point.z) }.map {
          ($0.name, SIMD2($0.point.x, $0.point.y))
        }, inverse: inverse, thickness: thickness)
      homelessOpenings += storey.homelessOpenings
      result.storeys.append(storey.storey)
    }
    result.assumptions = Self.assumptions(walls, thickness)
    building = result
  }

  /// The lowest height of each storey, and its number in the file.
  private static func storeys(of walls: [SurfaceWall]) -> [(story: Int?, height: Double)] {
    let stories = Set(walls.compactMap(\.part.story)).sorted()
    if walls.allSatisfy({ $0.part.story != nil }), stories.count > 1 {
      return stories.map { story in
        let own = walls.filter { $0.part.story == story }.map(\.heights.lowerBound)
        return (story, own.min() ?? 0)
      }
    }
    var result: [(story: Int?, height: Double)] = []
    for height in walls.map(\.heights.lowerBound).sorted()
    where height > (result.last?.height ?? -.infinity) + storeyStep {
      result.append((stories.first.map { $0 + result.count }, height))
    }
    return result
  }

  /// The storey of a part, by its number in the file, otherwise by its height.
  private static func storey(
    of story: Int?, _ height: Double, _ bottoms: [(story: Int?, height: Double)]
  ) -> Int {
    if let story, let known = bottoms.firstIndex(where: { $0.story == story }) { return known }
    return bottoms.lastIndex { $0.height < height + storeyStep / 2 } ?? 0
  }

  /// The name of a storey; those below 0 are basements.
  static func name(ofStorey index: Int, lowest: Int = 0) -> String {
    switch index + lowest {
    case 0: "Ground floor"
    case let number where number > 0: "Floor \(number)"
    case let number: "Basement \(-number)"
    }
  }

  /// A length of RoomPlan.
  static func dimension(_ value: Double) -> Building.Dimension {
    Building.Dimension(value, uncertainty: accuracy + relativeAccuracy * abs(value))
  }

  /// The uncertainty of the area within an outline whose sides move independently.
  static func areaUncertainty(of outline: [SIMD2<Double>]) -> Double {
    var squares = 0.0
    for index in outline.indices {
      let length = (outline[(index + 1) % outline.count] - outline[index]).length
      // Two sides make a dimension.
      squares += length * length * accuracy * accuracy / 2
    }
    return squares.squareRoot() + 2 * relativeAccuracy
      * PolygonTriangulation.signedArea(of: outline)
  }

  private static func assumptions(_ walls: [SurfaceWall], _ thickness: Double) -> [String] {
    var result = [
      "RoomPlan states no accuracy: lengths are taken to be right within 3 cm and 0.5 % at 95 %",
      "ceilings are where walls end",
    ]
    if walls.contains(where: { $0.thickness == nil }) {
      let text = NumberText.fixed(100 * thickness, digits: 1)
      result.append(
        "walls are \(text) cm thick: behind what the phone saw, on both sides of it between rooms")
    }
    return result
  }
}
