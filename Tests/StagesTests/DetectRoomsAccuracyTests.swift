import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// The benchmark of plans from scans: `make bench-plans`, or with other seeds `make bench-plans SEEDS=11-20`.
///
/// Thresholds were chosen with seeds 1 to 10 in sight; the others are held back.
@Suite struct DetectRoomsAccuracyTests {
  /// From `MESHPIPE_PLAN_SEEDS`: "1-10", or one.
  private static let seeds: [UInt64] = {
    let words = ProcessInfo.processInfo.environment["MESHPIPE_PLAN_SEEDS"]?.split(separator: "-")
    let ends = words?.compactMap { UInt64($0) } ?? []
    guard let first = ends.first, let last = ends.last, first <= last else { return [] }
    return Array(first...last)
  }()

  @Test(.enabled(if: !seeds.isEmpty, "runs by make bench-plans"))
  func `a table of what is found of each plan`() throws {
    var (rows, faults) = ([PlanAccuracy.head], [String]())
    for (plan, hasOpenDoors) in BuildingFixture.Plan.allCases.map({ ($0, false) }) + [(.flat, true)]
    {
      var accuracy = PlanAccuracy("\(plan)\(hasOpenDoors ? ", open doors" : "")")
      for seed in Self.seeds {
        let truth = BuildingFixture(plan, seed: seed)
        var parameters = DetectRooms.Parameters()
        parameters.from = .scan
        let scene = try DetectRooms(parameters).run(
          Scene(meshes: [truth.scan(hasOpenDoors: hasOpenDoors)]), in: StageContext())
        let found = BuildingComparison(scene.buildings.first, truth)
        let name = accuracy.name
        faults += PlanAccuracy.faults(found).map { "\(name) \(seed): \($0)" }
        accuracy.comparisons.append(found)
      }
      rows.append(accuracy.row)
    }
    print((rows + [""] + faults).joined(separator: "\n"))
  }
}
