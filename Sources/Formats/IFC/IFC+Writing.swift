package import MeshPipeline
import POSIX

extension IFC: WritableFormat {
  package struct Options: StageParameters {
    @Parameter("Also write the faces of the scan, as a building element proxy.")
    package var scan = false

    package init() {}
  }

  package static let keeps: Set<SceneFeature> = [.building]
  package static let axes = AxisConvention.fixed(.blender)
  package static let addsOrigin = true
  package static let holdsProvenance = Provenance.Extent.full
  package static let remark = """
    The building that `detect-rooms` found, as IFC4 (ISO 16739-1:2018, Reference View): storeys, walls with openings, doors, \
    windows, spaces, floors, columns, stairs and furniture, in metres and Z up, with their base quantities; the property set \
    `Meshpipe_Measurement` says how sure each dimension is. Round walls are chords of 5°, the thickness of floors is assumed. \
    With `scan` the faces are there, too. A scan on a grid, as of LAS with a reference system, is georeferenced by \
    `IfcMapConversion` and `IfcProjectedCRS`. Identifiers are the same each time the same building is written.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    guard !scene.buildings.isEmpty else { throw NoBuilding(format: "IFC") }
    var scene = scene
    scene.convert(to: .blender)
    let file = try FileWriter(creating: output.mainPath, in: context.stage)
    let step = try StepWriter(
      to: file, schema: "IFC4", description: "ViewDefinition [ReferenceView_V1.2]",
      name: FileSystem.name(of: output.mainPath), program: "meshpipe \(meshpipeVersion)",
      remarks: context.provenance?.lines ?? [])
    let georeference = IFCGeoreference(of: scene)
    let title = scene.name.isEmpty ? "Building" : scene.name
    var model = try IFCModel(
      step, name: title, seed: try JSONEncoding.json(scene.buildings).compactText,
      north: scene.buildings.first.flatMap(trueNorth), georeference: georeference)
    // On a map, the model's zero is the scene's: large numbers stand in the map conversion alone.
    let place = try model.localPlacement(in: nil, at: georeference == nil ? scene.origin : .zero)
    let site = try model.add(
      "IFCSITE", model.identifier("site"), .none, .text("Site"), .none, .none, .instance(place),
      .none, .none, .symbol("ELEMENT"), .none, .none, .none, .none, .none)
    try model.aggregate([site], into: model.project)
    var buildings: [StepReference] = []
    for (index, building) in scene.buildings.enumerated() {
      let name = scene.buildings.count == 1 ? title : "\(title) \(index + 1)"
      buildings.append(
        try write(building, name, path: "building-\(index)", in: place, to: &model))
    }
    try model.aggregate(buildings, into: site)
    if options.scan { try writeScan(scene, in: site, place, to: &model) }
    try model.step.finish()
    try file.finish()
  }

  /// The direction of true north in the scene, whose axes are the model's; nil if it is unknown, or only that of a map's grid.
  private static func trueNorth(of building: Building) -> SIMD2<Double>? {
    guard let north = building.north else { return nil }
    switch north.source {
    case .user, .photographs(_, isMagnetic: false): break
    case .grid, .photographs(_, isMagnetic: true): return nil
    }
    let inPlan = SIMD3(-sin(north.angle), cos(north.angle), 0)
    let direction = building.placement.apply(toVector: inPlan)
    return SIMD2(direction.x, direction.y).normalized
  }

  private static func write(
    _ building: Building, _ name: String, path: String, in parent: StepReference,
    to model: inout IFCModel
  ) throws -> StepReference {
    let frame = building.placement
    let place = try model.localPlacement(
      in: parent, at: frame.translation, z: frame.z.normalized, x: frame.x.normalized)
    let note = building.assumptions.joined(separator: "; ")
    let reference = try model.add(
      "IFCBUILDING", model.identifier(path), .none, .text(name), .optional(note), .none,
      .instance(place), .none, .none, .symbol("ELEMENT"), .none, .none, .none)
    var storeys: [StepReference] = []
    let measures = BuildingMeasures(building)
    for (index, storey) in building.storeys.enumerated() {
      storeys.append(
        try IFCStorey.write(
          storey, measures.storeys[index], path: "\(path)/storey-\(index)", in: place, to: &model))
    }
    try model.aggregate(storeys, into: reference)
    return reference
  }

  /// Writes the faces of all meshes.
  private static func writeScan(
    _ scene: Scene, in site: StepReference, _ place: StepReference, to model: inout IFCModel
  ) throws {
    var items: [StepReference] = []
    for mesh in scene.meshes where mesh.faceCount > 0 {
      let points = try model.add(
        "IFCCARTESIANPOINTLIST3D",
        .list(mesh.positions.map { .reals([Double($0.x), Double($0.y), Double($0.z)]) }))
      let faces = (0..<mesh.faceCount).map { face -> StepValue in
        let (a, b, c) = mesh.vertices(ofFace: face)
        return .list([a, b, c].map { .integer(Int($0) + 1) })
      }
      items.append(
        try model.add(
          "IFCTRIANGULATEDFACESET", .instance(points), .none, .none, .list(faces), .none))
    }
    guard !items.isEmpty else { return }
    let proxy = try model.add(
      "IFCBUILDINGELEMENTPROXY", model.identifier("scan"), .none, .text("Scan"), .none, .none,
      .instance(try model.localPlacement(in: place)),
      .instance(try model.shape(items, "Tessellation")), .none, .symbol("NOTDEFINED"))
    try model.contain([proxy], in: site)
  }
}

/// A scene without a building, for a format that holds nothing else.
struct NoBuilding: UserError {
  /// The name of the format.
  var format: String

  var exitCode: ExitCode { .data }
  var message: String {
    "there is no building to write as \(format); 'detect-rooms' finds the rooms of a scan"
  }
}
