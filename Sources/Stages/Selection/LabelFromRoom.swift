public import MeshPipeline
import SurfaceKernels

/// Gives a scan the classes of RoomPlan: walls, doors, windows, and furniture by category.
public struct LabelFromRoom: Stage {
  public static let otherNames = ["roomplan", "label-room", "classify-room", "captured-room"]
  public static let summary =
    "Gives a scan the classes of RoomPlan: walls, doors, windows, and furniture by category."
  public static let discussion = """
    Faces and points take the class of the surface of the room that they are on, or of the object whose box they are in. \
    The room is a file of Apple's RoomPlan, given with `--room FILE` or found beside the scan: `room.json`, \
    `CapturedRoom.json`, any `.json` with `roomplan` in its name, or `scan.room.json` for `scan.obj`.

    - **The same session**: RoomPlan and ARKit share their axes when both come from one session of the app. A room of another \
    session lies elsewhere; a warning says how little of the scan is on it. Stages that move the scan move the room along.
    - **Objects** win over surfaces inside their box and within `maximumDistance` around it, except for what looks into the box: the \
    floor under a table and the wall behind a sofa. Of boxes in one another the smallest counts.
    - **Doors, windows and openings** win over their wall, and reach 2.5 times as deep behind it, with the sides of their recess.
    - **Walls and floors** take what is near them and looks the same way, and what is half as near if it looks another way. RoomPlan has \
    no ceilings: one is assumed over each floor, where most walls end.

    Classes: `wall`, `floor`, `ceiling`, `door`, `window`, `opening`, `storage`, `refrigerator`, `stove`, `bed`, `sink`, \
    `washer-dryer`, `toilet`, `bathtub`, `oven`, `dishwasher`, `table`, `sofa`, `chair`, `fireplace`, `television`, `stairs`, and \
    categories that are not known by the name in the file. Everything else keeps the class it has, or is `none`.

    Faces must look to where people are: run `weld` first, and `clean orientation=false` if windings are mixed.
    """
  public static let example = #"""
    { "use": "label-from-room", "when": "room" }
    """#
  public static let dataFlow = StageDataFlow(needs: [.room], makes: [.classification])

  public struct Parameters: StageParameters {
    @Parameter("Maximum distance from a surface or object.", in: 1e-6...10, scope: .free)
    public var maximumDistance = Length(meters: 0.1)

    @Parameter("Classes of faces and points that are on no part of the room.")
    public var elsewhere = Elsewhere.keep

    public init() {}
  }

  /// The class of what is on no part of the room.
  public enum Elsewhere: String, CaseIterable, ParameterValue {
    /// The one it has.
    case keep
    /// None.
    case none
  }

  /// Why the scan could not be labelled.
  public enum Failure: StageFailure, Equatable {
    /// There is no room.
    case noRoom

    public var message: String {
      "the scan has no room; name a file of RoomPlan with --room, or guard the stage with \"when\": \"room\""
    }
  }

  /// With less of the scan on the room, in percent, it is probably another one.
  private static let leastShare = 30.0

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard scene.faceCount + scene.pointCount > 0 else {
      try context.progress(1)
      return scene
    }
    guard let room = scene.room else { throw Failure.noRoom }
    let finder = RoomLabels(room, maximumDistance: parameters.maximumDistance.meters)
    var tally = Tally(names: finder.names)
    for index in scene.meshes.indices {
      try context.progress(Double(index) / Double(scene.meshes.count + 1))
      let labels = finder.labels(of: scene.meshes[index])
      tally.add(labels, of: scene.meshes[index])
      scene.meshes[index].classes = classes(scene.meshes[index].classes, labels, finder.names)
    }
    for index in scene.pointClouds.indices {
      try context.checkCancellation()
      let labels = finder.labels(of: scene.pointClouds[index])
      tally.add(labels)
      scene.pointClouds[index].classes = classes(
        scene.pointClouds[index].classes, labels, finder.names)
    }
    report(tally, unit: scene.coordinateSystem.metersPerUnit, to: context)
    try context.progress(1)
    return scene
  }

  /// The classes after labelling, of which those before it remain elsewhere.
  private func classes(
    _ before: FaceClasses?, _ labels: [Int32], _ names: [String]
  ) -> FaceClasses {
    var table = FaceClasses(labels: [], names: before?.names ?? FaceClasses.arkitNames)
    let numbers = names.map { table.label(named: $0) ?? 0 }
    let kept = parameters.elsewhere == .keep ? before?.labels : nil
    table.labels = Parallel.array(count: labels.count) { index in
      labels[index] >= 0 ? numbers[Int(labels[index])] : kept?[index] ?? 0
    }
    return table
  }

  private func report(_ tally: Tally, unit: Double, to context: StageContext) {
    context.note("squareMeters", tally.json(tally.areas.map { $0 * unit * unit }))
    if tally.points.contains(where: { $0 > 0 }) { context.note("points", tally.json(tally.points)) }
    let share = tally.labelledPercent
    context.note("labelledPercent", share.json(digits: 1))
    if tally.hasElements, share < Self.leastShare {
      context.warn(
        "only \(share.json(digits: 1).compactText)% of the scan is on the room; is it of the same session, and nothing has moved the scan before?"
      )
    }
  }
}

/// Areas of faces and numbers of points for each class.
private struct Tally {
  let names: [String]
  /// In square units, with those of no class at the end; likewise points.
  var areas: [Double]
  var points: [Double]

  init(names: [String]) {
    self.names = names
    areas = [Double](repeating: 0, count: names.count + 1)
    points = areas
  }

  mutating func add(_ labels: [Int32], of mesh: borrowing Mesh) {
    for face in labels.indices {
      let area = mesh.area(ofFace: face)
      guard area.isFinite else { continue }
      areas[labels[face] < 0 ? names.count : Int(labels[face])] += area
    }
  }

  mutating func add(_ labels: [Int32]) {
    for label in labels { points[label < 0 ? names.count : Int(label)] += 1 }
  }

  var hasElements: Bool { areas.contains { $0 > 0 } || points.contains { $0 > 0 } }

  /// Of the area, or of the points of a scan without faces.
  var labelledPercent: Double {
    let values = areas.contains { $0 > 0 } ? areas : points
    let all = values.reduce(0, +)
    return all > 0 ? 100 * (all - values[names.count]) / all : 0
  }

  func json(_ values: [Double]) -> JSONValue {
    let members = zip(names + ["none"], values).filter { $0.1 > 0 }.map {
      JSONValue.Member($0, $1.json(digits: 2))
    }
    return JSONValue(.object(members))
  }
}
