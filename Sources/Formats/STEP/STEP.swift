package import MeshPipeline

/// STEP, the exchange format of CAD (ISO 10303-21), with the schema of AP214.
package enum STEP: WritableFormat {
  package struct Options: StageParameters {
    @Parameter(
      "Maximum distance of vertices from the flat face that they share, and from its straight edges: neighbouring triangles within it become one face.",
      in: 0...1)
    package var flatness = Length(meters: 0.000_01)

    package init() {}
  }

  package static let id = "step"
  package static let name = "STEP"
  package static let extensions = ["step", "stp"]
  package static let keeps: Set<SceneFeature> = [.faces, .materials, .classification]
  package static let axes = AxisConvention.fixed(
    CoordinateSystem(up: .z, forward: .y, metersPerUnit: 0.001))
  package static let holdsProvenance = Provenance.Extent.full
  package static let remark = """
    Boundary representation of AP214 in millimetres, as CAD programs expect, and Z up. Neighbouring triangles in one plane are one \
    face with holes, with edges that faces share; `flatness` says how plane. A closed mesh is a solid with its cavities, an open \
    one a shell. Each mesh is a part by its name; faces have the colours of materials and classes, and the names of classes. For up \
    to some ten thousand faces: flatten a scan and keep few.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    guard scene.faceCount > 0 else {
      throw UnwritableScene.nothingToWrite(format: name, holds: "faces")
    }
    try context.requireFinitePositions(of: scene)
    context.warnOfLosses(of: scene, in: Self.self)
    var scene = scene
    // Materials of classes are white where vertices have colours.
    for index in scene.meshes.indices { scene.meshes[index].colors = nil }
    scene.pointClouds = []
    let file = try FileWriter(creating: output.mainPath, in: context.stage)
    let step = try StepWriter(
      to: file, schema: "AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }", description: "",
      name: FileSystem.name(of: output.mainPath), program: "meshpipe \(meshpipeVersion)",
      remarks: context.provenance?.lines ?? [])
    var system = CoordinateSystem.blender
    system.metersPerUnit = 0.001
    let tolerance = max(
      options.flatness.meters / system.metersPerUnit,
      spacing(of: scene) * scene.coordinateSystem.metersPerUnit / system.metersPerUnit)
    // Vertices that are nearer than the tolerance are one; those that stay must not be taken for the same.
    var model = try STEPModel(step, accuracy: tolerance / 10)
    let placement = scene.coordinateSystem.transform(to: system)
    var table = MaterialTable(of: scene, splitsByClass: true)
    var names = UniqueNames()
    let meshes = scene.meshes.filter { $0.faceCount > 0 }
    for (index, mesh) in meshes.enumerated() {
      let facets = Facets(
        mesh, placement: placement, styles: styles(of: mesh, &table), tolerance: tolerance)
      let boundary = try BoundaryModel(facets, tolerance: tolerance) {
        try context.stage.checkCancellation()
      }
      let name = names.unique(mesh.name.isEmpty ? "mesh" : mesh.name)
      try model.addPart(boundary, name: name, looks: table.entries)
      try context.stage.progress(Double(index + 1) / Double(meshes.count))
    }
    try model.finish(name: scene.name.isEmpty ? "model" : scene.name)
    try file.finish()
  }

  /// The distance of neighbouring numbers at the farthest vertex: flat faces are not flatter than this.
  private static func spacing(of scene: Scene) -> Double {
    let box = scene.bounds
    let farthest = max(abs(box.minimum.min()), abs(box.maximum.max()))
    return farthest.isFinite ? Double(farthest.ulp) : 0
  }

  /// The entry of each face's material and class in a table; -1 of those with neither.
  private static func styles(of mesh: Mesh, _ table: inout MaterialTable) -> [Int32] {
    var styles = [Int32](repeating: -1, count: mesh.faceCount)
    let groups = FaceGroups(mesh)
    for group in groups.groups {
      let className = group.label.flatMap { mesh.classes?.names[Int($0)] }
      guard let style = table.index(material: group.material, className: className) else {
        continue
      }
      for place in group.range { styles[groups.face(at: place)] = Int32(style) }
    }
    return styles
  }
}
