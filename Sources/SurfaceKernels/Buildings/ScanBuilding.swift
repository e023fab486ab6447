import MeshpipeBase
package import MeshpipeScene
import POSIX

/// The building that a scan shows.
///
/// Heights at which much is level are floors and ceilings; what stands upright between them lies on lines, which are made regular;
/// the lines cut each storey into cells, and those with floor and ceiling are rooms; faces that look away from each other are
/// walls, and holes in them openings.
package struct ScanBuilding {
  /// Why there is none.
  package enum Reason: Equatable, Sendable {
    /// There is no level floor with walls above.
    case noFloor
    /// Walls enclose no room.
    case noRoom
  }

  /// The building; nil if there is none.
  package private(set) var building: Building?
  /// Why there is none.
  package private(set) var reason: Reason?

  /// - Parameters:
  ///   - up: The scene's up axis.
  ///   - thickness: Of walls with one face, in metres.
  ///   - progress: Called with the share done; an error ends the search.
  package init(
    _ meshes: [Mesh], up: SIMD3<Double>, metersPerUnit: Double, thickness: Double,
    progress: (Double) throws -> Void
  ) rethrows {
    var placement = PlanFrame.level(up: up, metersPerUnit: metersPerUnit)
    guard let inverse = placement.inverse else {
      reason = .noFloor
      return
    }
    let turn = PlanFrame.turn(of: ScanSamples.uprightFaces(meshes, inverse))
    placement = placement.turned(by: turn)
    let samples = try ScanSamples(meshes, placement.inverse ?? inverse) { try progress(0) }
    try progress(0.3)
    let stairs = StairSearch(samples.samples).stairs
    let samplesOffStairs = samples.samples.filter { sample in
      !stairs.contains { $0.contains(sample.position) }
    }
    let storeys = StoreyLevels(samplesOffStairs).storeys
    guard !storeys.isEmpty else {
      reason = .noFloor
      return
    }
    var result = Building(placement: placement, storeys: [])
    var hasOpenSides = false
    for (number, storey) in storeys.enumerated() {
      try progress(0.3 + 0.65 * Double(number) / Double(storeys.count))
      let found = ScanStorey(
        samplesOffStairs, storey,
        stairs: stairs.filter { Self.storey(of: $0, storeys) == number },
        name: RoomBuilding.name(ofStorey: result.storeys.count), thickness: thickness)
      guard !found.storey.rooms.isEmpty else { continue }
      result.storeys.append(found.storey)
      hasOpenSides = hasOpenSides || found.hasOpenSides
    }
    guard !result.storeys.isEmpty else {
      reason = .noRoom
      return
    }
    result.assumptions = Self.assumptions(
      storeys.flatMap(\.levels), result.storeys.flatMap(\.walls), thickness)
    if hasOpenSides {
      result.assumptions.append("where the scan ends without a wall, the room ends")
    }
    result.alignAxes()
    building = result
  }

  /// The storey on a floor of which stairs begin: the highest one that is not above them.
  private static func storey(
    of stairs: StairSearch.Found, _ storeys: [StoreyLevels.Storey]
  ) -> Int {
    storeys.lastIndex { storey in
      storey.levels.contains { ($0.floors.min() ?? $0.floor) < stairs.foot + 0.2 }
    } ?? 0
  }

  private static func assumptions(
    _ levels: [StoreyLevels.Level], _ walls: [Building.Wall], _ thickness: Double
  ) -> [String] {
    var result: [String] = []
    let assumed = walls.map(\.thickness).filter(\.isAssumed).map(\.value)
    if assumed.contains(where: { $0 <= thickness }) {
      let text = NumberText.fixed(100 * thickness, digits: 1)
      result.append("walls of which one face was seen are \(text) cm thick")
    }
    if assumed.contains(where: { $0 > thickness }) {
      result.append("walls with a deeper recess are as thick as it is deep")
    }
    if levels.contains(where: { !$0.hasCeiling }) {
      result.append("where no ceiling was seen it is where walls end")
    }
    result.append("lengths have drifted by about 1 cm in 10 m")
    return result
  }
}
