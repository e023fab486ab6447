package import MeshPipeline
import SurfaceKernels

/// The measures of a scene's buildings and meshes, for the stage `measure` and `info --measures`.
package struct SceneMeasurement {
  package let buildings: [BuildingMeasures]
  package let meshes: [MeshMeasures]
  /// Why there is no plan, where rooms were looked for; nil if there is one.
  package private(set) var noPlan: String?

  /// Area and volume of a mesh, in metres.
  package struct MeshMeasures: Sendable, Equatable {
    package var name: String
    package var faceCount: Int
    package var area: Double
    /// Nil if it is not closed.
    package var volume: Double?

    init(_ mesh: Mesh, metersPerUnit unit: Double) {
      let health = MeshHealth(mesh)
      (name, faceCount) = (mesh.name, mesh.faceCount)
      area = mesh.area * unit * unit
      volume = health.isWatertight ? health.volume * unit * unit * unit : nil
    }
  }

  /// Measures what is in a scene.
  package init(_ scene: Scene, in context: StageContext) throws {
    buildings = scene.buildings.map(BuildingMeasures.init)
    let unit = scene.coordinateSystem.metersPerUnit
    var meshes: [MeshMeasures] = []
    for (index, mesh) in scene.meshes.enumerated() where mesh.faceCount > 0 {
      meshes.append(MeshMeasures(mesh, metersPerUnit: unit))
      try context.progress(Double(index + 1) / Double(scene.meshes.count))
    }
    self.meshes = meshes
  }

  /// Measures a scene, and finds its rooms first, as ``DetectRooms`` does by default, unless it has a building.
  package init(
    findingRoomsIn scene: Scene, cancellation: Cancellation
  ) throws {
    let context = StageContext(cancellation: cancellation)
    guard scene.buildings.isEmpty else {
      self = try Self(scene, in: context)
      return
    }
    do {
      self = try Self(DetectRooms(.init()).run(scene, in: context), in: context)
    } catch let failure as DetectRooms.Failure {
      self = try Self(scene, in: context)
      noPlan = failure.message
      return
    }
    if buildings.isEmpty {
      noPlan = context.warnings.last ?? "there is nothing that could have rooms"
    }
  }

  package var storeys: [BuildingMeasures.Storey] { buildings.flatMap(\.storeys) }

  /// The figures by name, in metres.
  package var figures: [JSONValue.Member] {
    var members = buildings.isEmpty ? [] : buildingFigures
    if let noPlan { members.append(.init("noPlan", JSONValue(.string(noPlan)))) }
    if !meshes.isEmpty {
      members.append(.init("meshes", JSONValue(.array(meshes.map(Self.json)))))
    }
    return members
  }

  private var buildingFigures: [JSONValue.Member] {
    let openings = storeys.flatMap(\.openings)
    let rooms = storeys.flatMap(\.rooms)
    let walls = storeys.flatMap(\.walls)
    var members: [JSONValue.Member] = [
      .init("floorArea", buildings.reduce(0) { $0 + $1.floorArea }.json(digits: 4)),
      .init("roomVolume", buildings.reduce(0) { $0 + $1.volume }.json(digits: 4)),
      .init("wallArea", walls.reduce(0) { $0 + $1.area }.json(digits: 4)),
    ]
    if let lowest = rooms.map(\.height.value).min() {
      members.append(.init("lowestCeiling", lowest.json(digits: 4)))
    }
    let all = buildings.flatMap { $0.json["storeys"]?.elements ?? [] }
    return members + [
      .init("rooms", rooms.count.json), .init("walls", walls.count.json),
      .init("doors", openings.count { $0.kind == .door }.json),
      .init("windows", openings.count { $0.kind == .window }.json),
      .init("storeys", JSONValue(.array(all))),
    ]
  }

  private static func json(of mesh: MeshMeasures) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", mesh.name.json), .init("faces", mesh.faceCount.json),
      .init("area", mesh.area.json(digits: 6)),
    ]
    if let volume = mesh.volume { members.append(.init("volume", volume.json(digits: 9))) }
    return JSONValue(.object(members))
  }
}
